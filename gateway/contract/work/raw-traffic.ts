/** The raw traffic that the gateway keeps around a critical alert. */
import { z } from 'zod';
import { Timestamp } from '#contract/base/common.ts';

const RawFile = z.object({
  artifact_id: z.string(),
  device_id: z.string().meta({ description: 'Record id of the device.' }),
  name: z.string(),
  frames: z.number().int(),
  bytes: z.number().int().meta({ unit: 'B' }),
  download_url: z.string(),
});

/** The raw traffic of an alert, as the API shows it. */
export const RawTraffic = z
  .object({
    state: z.enum(['waiting', 'kept', 'partly', 'none', 'deleted']).meta({
      description: 'waiting: the time window has not ended. none: nothing was kept, see `reason`.',
    }),
    from: Timestamp.meta({ description: 'Start of the window, by time of receipt.' }),
    to: Timestamp,
    reason: z.string().nullable().meta({ description: 'Why something is missing; null: nothing is.' }),
    files: z.array(RawFile).max(8).meta({ description: 'MF4 files, one for each device.' }),
  })
  .meta({ id: 'RawTraffic', description: 'CAN frames around a critical alert.' });
export type RawTraffic = z.infer<typeof RawTraffic>;

/** The largest number of files of one alert. */
export const MOST_RAW_FILES = 8;

/** The data of a stored document `raw_freeze`, one for each critical alert, in `local`. */
export interface RawFreezeData extends Omit<RawTraffic, 'files'> {
  readonly alert_id: string;
  readonly machine_id: string | null;
  /** The record id of the device of an alert without a machine. */
  readonly device_id: string | null;
  readonly files: readonly Omit<RawTraffic['files'][number], 'download_url'>[];
  /** Number of failed attempts. */
  readonly attempts: number;
}

/** Id of the `RawFreezeData` document of an alert. */
export function rawFreezeId(alert_id: string): string {
  return `raw_freeze_${alert_id}`;
}
