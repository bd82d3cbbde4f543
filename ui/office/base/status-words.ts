/** Words for the status that people set for a machine, for warning lamps, and for the roles of people. */
import type { Role } from '#contract/base/roles.ts';
import type { ShownStatus } from '#contract/fleet/shown-status.ts';
import { inside, t, type Word } from '#ui/languages/texts.ts';

/** The text that pages show for each reported status. */
export const STATUS_TEXT: Readonly<Record<ShownStatus, Word>> = {
  available: 'Available',
  in_use: 'In use',
  maintenance: 'Service',
  down: 'Down',
  decommissioned: 'Retired',
  unknown: 'Unknown',
};

/** The names of the warning lamps of J1939. */
export const LAMP_WORDS = {
  red_stop: 'Red stop lamp',
  amber: 'Amber warning lamp',
  protect: 'Protect lamp',
  mil: 'Malfunction indicator lamp',
} as const satisfies Record<string, Word>;

/** The names of roles in lists. */
export const ROLE_WORDS: Readonly<Record<Role, Word>> = {
  owner: 'Owner',
  admin: 'Admin',
  supervisor: 'Supervisor',
  mechanic: 'Mechanic',
  operator: 'Operator',
  viewer: 'Viewer',
  agent: 'Agent',
  device: 'Device',
  display: 'Display',
  tablet: 'Tablet',
  gateway: 'Gateway',
};

/** Returns the name of a role inside a sentence. */
export const roleText = (role: Role | null): string => (role === null ? t('no role') : inside(t(ROLE_WORDS[role])));
