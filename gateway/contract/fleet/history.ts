/** The record of the history of a machine that the gateway deleted, because it was old or because the database was too large. */
import { z } from 'zod';
import { Timestamp } from '#contract/base/common.ts';

/** The data of a stored document `history_removed`, one for each machine, in `local`. */
export interface HistoryRemoved {
  readonly equipment_id: string;
  /** Time of the newest deleted sample, ISO 8601. */
  readonly through: string;
  /** Number of samples deleted so far. */
  readonly samples: number;
  /** The samples that were deleted before they reached the age limit, because the database was too large; null if there are none. */
  readonly early: { readonly through: string; readonly samples: number } | null;
}

/** Id of the `HistoryRemoved` document of a machine. */
export function historyRemovedId(equipment_id: string): string {
  return `history_removed_${equipment_id}`;
}

/** Samples of one machine that were deleted, because they were old or because the database was too large. */
const DeletedHistory = z
  .object({
    project_id: z.string(),
    equipment_id: z.string(),
    through: Timestamp.meta({ description: 'Time of the newest deleted sample.' }),
    samples: z.number().int().meta({ description: 'Number of samples deleted so far.' }),
    early_through: Timestamp.nullable().meta({
      description: 'Newest sample deleted before its age limit; null: none.',
    }),
    early_samples: z.number().int().meta({
      description: 'Samples deleted before their age limit, because the database was too large.',
    }),
  })
  .meta({ id: 'DeletedHistory' });

export const HistoryHealth = z
  .object({
    days: z.number().int().meta({ description: 'Days for which samples are kept.', unit: 'd' }),
    database_bytes: z.number().meta({ description: 'Size of the database without its free pages.', unit: 'bytes' }),
    limit_bytes: z.number().nullable().meta({
      description:
        'Size of the database above which the oldest samples are deleted; null if the size of the disk is unknown.',
      unit: 'bytes',
    }),
    deleted: z
      .array(DeletedHistory)
      .meta({ description: 'Machines with deleted samples; at most 100, the latest added.' }),
  })
  .meta({ id: 'HistoryHealth', description: 'Limits of the stored history, and what was deleted because of them.' });
export type HistoryHealth = z.infer<typeof HistoryHealth>;
