/** The record of the history of a machine that the gateway deleted, because it was old or because history used its share of the disk. */
import { z } from 'zod';
import { Timestamp } from '#contract/base/common.ts';

/** The data of a stored document `history_removed`, one for each machine, in `local`. */
export interface HistoryRemoved {
  readonly equipment_id: string;
  /** Time of the newest deleted sample, ISO 8601. */
  readonly through: string;
  /** Number of samples deleted so far. */
  readonly samples: number;
  /** The samples that were deleted before they reached the age limit, because of their share of the disk; null if there are none. */
  readonly early: { readonly through: string; readonly samples: number } | null;
  /** The deleted time ranges, at most 20. Records of earlier versions lack them. */
  readonly ranges?: readonly DeletedRange[];
}

/** The most ranges that a record and a read of telemetry have. */
export const MOST_DELETED_RANGES = 20;

/** A time range in which the retention deleted stored history. */
export const DeletedRange = z
  .object({
    what: z.enum(['samples', 'minutes']).meta({ description: '`minutes`: the statistics of each minute.' }),
    from: Timestamp,
    to: Timestamp,
    because: z.enum(['age', 'disk']).meta({ description: '`disk`: history used its share of the disk.' }),
    first_deleted_at: Timestamp.meta({ description: 'First deletion in this range.' }),
    deleted_at: Timestamp.meta({ description: 'Last deletion in this range.' }),
  })
  .meta({ id: 'DeletedRange', description: 'History that the retention deleted.' });
export type DeletedRange = z.infer<typeof DeletedRange>;

/** The limits of one resolution of stored data. */
const RetentionLimit = z
  .object({
    what: z.enum(['samples', 'minutes', 'raw']).meta({
      description: '`minutes`: statistics of each minute; `raw`: messages as they arrived.',
    }),
    days: z.number().int().meta({ unit: 'd' }),
    bytes: z.number().nullable().meta({ description: 'Without backups; null until measured.', unit: 'bytes' }),
    limit_bytes: z.number().nullable().meta({ description: 'Null if the disk is unknown.', unit: 'bytes' }),
    reaches_back_days: z.number().nullable().meta({
      description: 'Age of the oldest; null: nothing stored, or the clock is wrong.',
      unit: 'd',
    }),
    decides: z.enum(['age', 'disk']).meta({ description: 'The limit that deleted data last.' }),
    note: z.string().nullable().meta({ description: 'Set if the disk decides.' }),
  })
  .meta({ id: 'RetentionLimit' });
export type RetentionLimit = z.infer<typeof RetentionLimit>;

/** Id of the `HistoryRemoved` document of a machine. */
export function historyRemovedId(equipment_id: string): string {
  return `history_removed_${equipment_id}`;
}

/** Samples of one machine that were deleted, because they were old or because of their share of the disk. */
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
      description: 'Samples deleted before their age limit, because of their share of the disk.',
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
    limits: z.array(RetentionLimit).meta({ description: 'Limits by resolution.' }),
    deleted: z
      .array(DeletedHistory)
      .meta({ description: 'Machines with deleted samples; at most 100, the latest added.' }),
  })
  .meta({ id: 'HistoryHealth', description: 'Limits of the stored history, and what was deleted because of them.' });
export type HistoryHealth = z.infer<typeof HistoryHealth>;

/** The daily backups in the data folder. They share packs: files with sealed history. */
export const BackupHealth = z
  .object({
    count: z.number().int(),
    newest_at: Timestamp.nullable(),
    base_bytes: z.number().meta({ description: 'Without packs.', unit: 'bytes' }),
    packs: z.number().int().meta({ description: 'Files with the history of all backups.' }),
    pack_bytes: z.number().meta({ unit: 'bytes' }),
    unneeded_bytes: z.number().nullable().meta({
      description: 'Part of the packs that no backup needs; null until measured.',
      unit: 'bytes',
    }),
    checked_from: Timestamp.nullable().meta({ description: 'Each pack was read and checked since then.' }),
  })
  .meta({ id: 'BackupHealth', description: 'Daily backups, measured after the last one.' });
