/**
 * Storage budgets: how many items a second and how many bytes a day the gateway stores for one device, or for the history of one machine.
 * Each kind of data has a separate budget. The device settings and docs/budgets.md use this table, too.
 */
import { z } from 'zod';
import type { Write } from './view.ts';

/** Kinds of stored data. Each kind has a separate budget. */
export const BUDGET_KINDS = ['events', 'facts', 'samples', 'files'] as const;
export type BudgetKind = (typeof BUDGET_KINDS)[number];

/** The budget of one kind of data. */
export interface Budget {
  /** Sustained rate, in items per second. */
  readonly per_s: number;
  /** Number of items above the rate that may arrive at the same moment. */
  readonly burst: number;
  /** Bytes that may be stored on disk in one day (UTC). */
  readonly bytes_per_day: number;
}

const MIB = 2 ** 20;
const GIB = 2 ** 30;

/** Default budgets. The settings of a device may override them. */
export const BUDGETS: Readonly<Record<BudgetKind, Budget & { readonly what: string }>> = {
  events: {
    what: 'entries that a device writes into its log over MQTT and HTTP, and all other documents that its key makes',
    per_s: 20,
    burst: 2_000,
    bytes_per_day: 16 * MIB,
  },
  facts: {
    what: 'entries that the gateway writes because of what a device sent: status, trouble codes, meters, raised and cleared alerts',
    per_s: 10,
    burst: 5_000,
    bytes_per_day: 16 * MIB,
  },
  samples: {
    what: 'samples of live data in the history of a machine, 8 bytes each',
    per_s: 20_000,
    burst: 20_000_000,
    bytes_per_day: 80 * MIB,
  },
  files: {
    what: 'frames, uploads, and objects of the bucket: contents and records',
    per_s: 5,
    burst: 5_000,
    bytes_per_day: 20 * GIB,
  },
};

/**
 * Bytes that a document needs on disk besides its `data`: the fields that all documents have, indexes and checksum (measured, see
 * docs/budgets.md).
 */
export const DOCUMENT_BYTES = 1_200;

/** `settings.budgets` of a device: budgets that override the defaults. Only owners and admins may change them. */
export const BudgetSettings = z.strictObject({
  events_per_s: z.number().min(0.1).max(1_000).optional(),
  event_bytes_per_day: z.number().int().min(65_536).max(GIB).optional(),
  fact_bytes_per_day: z.number().int().min(65_536).max(GIB).optional(),
  files_per_s: z.number().min(0.1).max(100).optional(),
  file_bytes_per_day: z
    .number()
    .int()
    .min(MIB)
    .max(2_048 * GIB)
    .optional(),
});

/** The budgets of a device: the defaults, overridden by its settings. Invalid settings are ignored. */
export function budgetsOf(
  settings: Readonly<Record<string, unknown>> | undefined,
): Readonly<Record<BudgetKind, Budget>> {
  if (settings?.budgets == null) return BUDGETS;
  const read = BudgetSettings.safeParse(settings.budgets);
  if (!read.success) return BUDGETS;
  const { data } = read;
  const { events, facts, samples, files } = BUDGETS;
  return {
    events: {
      ...events,
      per_s: data.events_per_s ?? events.per_s,
      burst: Math.max(events.burst, 60 * (data.events_per_s ?? 0)),
      bytes_per_day: data.event_bytes_per_day ?? events.bytes_per_day,
    },
    facts: { ...facts, bytes_per_day: data.fact_bytes_per_day ?? facts.bytes_per_day },
    samples,
    files: {
      ...files,
      per_s: data.files_per_s ?? files.per_s,
      burst: Math.max(files.burst, 60 * (data.files_per_s ?? 0)),
      bytes_per_day: data.file_bytes_per_day ?? files.bytes_per_day,
    },
  };
}

/** The owner of a budget: a device, or the machine whose history is stored. */
export interface Spender {
  readonly object: 'device' | 'equipment';
  /** Record id. */
  readonly id: string;
  readonly project_id: string;
}

/** The answer of `spend` if the gateway must not store the data. */
export interface OverBudget {
  /** rate: too many items at once. day: the bytes per day are used up. quarantine: an admin has locked the device out. */
  readonly why: 'rate' | 'day' | 'quarantine';
  readonly retry_after_s: number;
}

/** Servers and handlers call this before they store data of a device, to subtract the data from the budget. */
export interface Spending {
  /** Subtracts bytes and `count` items (default 1); returns undefined. If the budget is too small: subtracts nothing and returns why. */
  spend(spender: Spender, kind: BudgetKind, bytes: number, count?: number, now_ms?: number): OverBudget | undefined;
  /** Returns the write that stores what a device has spent. The caller commits this write together with the data. */
  saved(device: string): (Write & { readonly project_id: string }) | undefined;
  /** Returns false if disk space is too short for this many bytes of a device. The last free space is reserved for writes of people. */
  admits(device: string, bytes: number): boolean;
}
