/** Words for the status that people set for a machine. */
import type { ShownStatus } from '#contract/fleet/shown-status.ts';

/** The text that pages show for each reported status. */
export const STATUS_TEXT: Readonly<Record<ShownStatus, string>> = {
  available: 'Available',
  in_use: 'In use',
  maintenance: 'Service',
  down: 'Down',
  decommissioned: 'Retired',
  unknown: 'Unknown',
};
