/**
 * What one device, or one machine, may have stored: a rate and bytes a day for each kind. One table, read by the code, the settings of
 * a device and docs/budgets.md.
 */
import { z } from 'zod';
import type { Write } from './view.ts';

/** Kinds of what a device makes that have a budget of their own. */
export const BUDGET_KINDS = ['events', 'facts', 'samples', 'files'] as const;
export type BudgetKind = (typeof BUDGET_KINDS)[number];

/** How much of one kind may be stored. */
export interface Budget {
  /** Items a second that it may make for long. */
  readonly per_s: number;
  /** Items that it may make at once. */
  readonly burst: number;
  /** Bytes on the disk in a day (UTC). */
  readonly bytes_per_day: number;
}

const MIB = 2 ** 20;
const GIB = 2 ** 30;

/** What is allowed unless the settings of the device say otherwise. */
export const BUDGETS: Readonly<Record<BudgetKind, Budget & { readonly what: string }>> = {
  events: {
    what: 'entries that a device writes into its log over MQTT and HTTP, and all other documents that its key makes',
    per_s: 20,
    burst: 2_000,
    bytes_per_day: 16 * MIB,
  },
  facts: {
    what: 'entries that the gateway writes because of what a device sent: status, trouble codes, meters, and alerts that come and go',
    per_s: 10,
    burst: 5_000,
    bytes_per_day: 16 * MIB,
  },
  samples: {
    what: 'samples in the history of a machine that come live, 8 bytes each',
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

/** Bytes that a document takes on the disk besides its data: envelope, indexes, checksum (measured, docs/budgets.md). */
export const DOCUMENT_BYTES = 1_200;

/** `settings.budgets` of a device: what it may have stored instead. Only owners and admins change it. */
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

/** The budgets of a device by its settings; what cannot be read changes nothing. */
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

/** Whose budget is spent: a device, or the machine whose history grows. */
export interface Spender {
  readonly object: 'device' | 'equipment';
  /** Record id. */
  readonly id: string;
  readonly project_id: string;
}

/** Why something is not stored. */
export interface OverBudget {
  /** rate: too many at once; day: as many bytes as a day may have; quarantine: the device is shut out. */
  readonly why: 'rate' | 'day' | 'quarantine';
  readonly retry_after_s: number;
}

/** The budgets as doors and handlers use them. */
export interface Spending {
  /** Takes bytes, and so many items (1 when absent), from the budget; undefined when there was enough, else nothing is taken. */
  spend(spender: Spender, kind: BudgetKind, bytes: number, count?: number, now_ms?: number): OverBudget | undefined;
  /** What keeps the spending of a device over a restart: goes into the commit of what was paid. */
  saved(device: string): (Write & { readonly project_id: string }) | undefined;
  /** Whether a message or write of a device is taken while room is short; the disk keeps its last room for people. */
  admits(device: string, bytes: number): boolean;
}
