/**
 * What each device and machine has stored, held against its budgets ([I50] to [I53]). One count for all doors: what comes over MQTT, HTTP
 * and the bucket is paid from the same budget.
 *
 *   fold, calls, files -> spend -> enough: stored, and the count goes into the same commit
 *                               -> not enough: dropped or refused, counted, and on record in the log of the device
 *
 * The counts are documents, so a restart opens no new budget.
 */
import {
  BUDGET_KINDS,
  BUDGETS,
  type Budget,
  type BudgetKind,
  budgetsOf,
  type Spender,
  type Spending,
} from '#contract/base/budget.ts';
import type { ProjectWrite } from '#contract/base/view.ts';
import { NODE_PROJECT } from '#contract/base/view.ts';
import type { Problem, Writer } from '#contract/site/node.ts';
import { createSpent, dayOf, type Spent, spend } from '#domain/device/budget.ts';
import type { EventMade } from '#ingest/fold/fold-state.ts';
import { FROM_SERVICE } from '#ingest/fold/made-events.ts';
import type { Store } from '#store/open-store.ts';
import { walk } from '#store/walk.ts';
import type { Headroom } from './headroom.ts';

const OBJECT = 'device_spend';
const DAY_MS = 86_400_000;
/** Counts of samples that go along with one commit: they move every minute, and nothing depends on the last of them. */
const MOST_LATER = 50;
/** While room is short: messages and bytes that a device may send at once, and in a second. */
const SCARCE = { messages: 30, messages_per_s: 1, bytes: 64 << 10, bytes_per_s: 256 } as const;
/** Devices whose share of scarce room is remembered. */
const MAX_SHARES = 20_000;
/** Bytes that the store may make of one byte of a small message. */
const GROWTH = 8;
/** Devices that are listed, those with the most bytes today first. */
const MOST_LISTED = 20;

type Kinds = Partial<Record<BudgetKind, Spent>>;

/** What was spent in one name, as it is stored. */
interface Ledger extends Spender {
  readonly spent: Kinds;
  /** The day on which the log was told that a budget is used up. */
  readonly told: Partial<Record<BudgetKind, number>>;
}

/** The budgets, as ingest keeps them. */
export interface Budgets extends Spending {
  /** The settings of a device say what it may have. */
  settle(device: string, settings: Readonly<Record<string, unknown>> | undefined, quarantined: boolean): void;
  /** How much room there is from now on. */
  setHeadroom(headroom: Headroom): void;
  /** False when so many bytes more would bring the disk below the level at which measurements are refused. */
  hasRoomFor(bytes: number): boolean;
  /** Counts that no commit has yet; `unsaved` gives them back when it failed. */
  take(): ProjectWrite[];
  unsaved(writes: readonly ProjectWrite[]): void;
  /** Entries for logs: a budget that is used up, and what was dropped until the day was over. */
  records(now_ms: number, newId: () => string): EventMade[];
  /** Forgets what a purged device had stored; what it spent today stays spent. */
  purged(device: string): void;
  /** Those with the most bytes today, then in total. */
  list(now_ms: number, nameOf: (id: string) => string | null): Writer[];
  problems(
    now_ms: number,
    nameOf: (id: string) => string | null,
  ): Pick<Problem, 'code' | 'message' | 'given_up' | 'remedy'>[];
}

/** What was on its way when the device was put into quarantine. */
const SHUT = { why: 'quarantine', retry_after_s: 3_600 } as const;

const KEY = (id: string) => `spend_${id}`;

function writeOf(ledger: Ledger): ProjectWrite {
  const data = structuredClone(ledger) as unknown as Record<string, unknown>;
  return { collection: 'local', id: KEY(ledger.id), object: OBJECT, project_id: NODE_PROJECT, data };
}

/** Reads what was spent; `clock` dates what doors spend. */
export async function openBudgets(options: {
  readonly store: Pick<Store, 'node'>;
  readonly clock: () => number;
}): Promise<Budgets> {
  const { store, clock } = options;
  const ledgers = new Map<string, Ledger>();
  const limits = new Map<string, Readonly<Record<BudgetKind, Budget>>>();
  const shut = new Set<string>();
  const dirty = new Set<string>();
  const later = new Set<string>();
  /** Ledgers with something that was dropped and is not on record. */
  const over = new Set<string>();
  const shares = new Map<string, { messages: number; bytes: number; at_ms: number }>();
  let scarce = false;
  let left = Number.POSITIVE_INFINITY;
  let measureLeft = Number.POSITIVE_INFINITY;

  for await (const { data } of walk<Ledger>(store.node, 'local', { object: OBJECT })) {
    ledgers.set(data.id, data);
    if (BUDGET_KINDS.some((kind) => (data.spent[kind]?.dropped ?? 0) > 0)) over.add(data.id);
  }

  function ledgerOf({ object, id, project_id }: Spender): Ledger {
    const known = ledgers.get(id);
    if (known !== undefined) return known;
    const made: Ledger = { object, id, project_id, spent: {}, told: {} };
    ledgers.set(id, made);
    return made;
  }

  function saved(id: string): ProjectWrite | undefined {
    const ledger = ledgers.get(id);
    return ledger && writeOf(ledger);
  }

  function* tellLedger(ledger: Ledger, now_ms: number, newId: () => string): Generator<EventMade> {
    const today = dayOf(now_ms);
    const limit = limits.get(ledger.id) ?? BUDGETS;
    let open = false;
    for (const kind of BUDGET_KINDS) {
      const spent = ledger.spent[kind];
      if (spent === undefined || spent.dropped === 0) continue;
      if (dayOf(spent.from_ms) < today) {
        const { from_ms, to_ms, dropped: count, dropped_bytes: bytes } = spent;
        const reason = `the budget for ${kind} was used up: what came beyond it was not stored`;
        const span = { from: new Date(from_ms).toISOString(), to: new Date(to_ms).toISOString() };
        yield entry(
          ledger,
          'gap_declared',
          { what: 'over_budget', kind, ...span, count, bytes, reason },
          to_ms,
          newId(),
        );
        spent.dropped = spent.dropped_bytes = 0;
        dirty.add(ledger.id);
        continue;
      }
      open = true;
      if (ledger.told[kind] === today) continue;
      ledger.told[kind] = today;
      dirty.add(ledger.id);
      const { per_s, bytes_per_day } = limit[kind];
      const until = new Date((today + 1) * DAY_MS).toISOString();
      yield entry(ledger, 'budget_reached', { kind, per_s, bytes_per_day, until }, spent.from_ms, newId());
    }
    if (!open) over.delete(ledger.id);
  }

  return {
    spend(spender, kind, bytes, count = 1, now = clock()) {
      if (shut.has(spender.id)) return SHUT;
      const ledger = ledgerOf(spender);
      const budget = (limits.get(spender.id) ?? BUDGETS)[kind];
      const spent = ledger.spent[kind] ?? createSpent(budget, now);
      ledger.spent[kind] = spent;
      const refused = spend(spent, budget, bytes, count, now);
      if (refused !== undefined) over.add(spender.id);
      (kind === 'samples' ? later : dirty).add(spender.id);
      return refused;
    },
    saved,
    admits(device, bytes) {
      if (!scarce) return true;
      // The last room is for what people write: sign in, look, purge.
      if (left <= 0) return false;
      const now = clock();
      const share = shares.get(device) ?? { messages: SCARCE.messages, bytes: SCARCE.bytes, at_ms: now };
      const s = Math.max(0, now - share.at_ms) / 1_000;
      share.messages = Math.min(SCARCE.messages, share.messages + s * SCARCE.messages_per_s);
      share.bytes = Math.min(SCARCE.bytes, share.bytes + s * SCARCE.bytes_per_s);
      share.at_ms = now;
      shares.delete(device);
      if (shares.size >= MAX_SHARES) shares.delete(shares.keys().next().value as string);
      shares.set(device, share);
      if (share.messages < 1 || share.bytes < bytes) return false;
      share.messages--;
      share.bytes -= bytes;
      left -= bytes * GROWTH;
      return true;
    },
    settle(device, settings, quarantined) {
      if (quarantined) shut.add(device);
      else shut.delete(device);
      const found = budgetsOf(settings);
      if (found === BUDGETS) limits.delete(device);
      else limits.set(device, found);
    },
    setHeadroom(headroom) {
      scarce = headroom.disk !== 'ok';
      left = headroom.left_bytes ?? Number.POSITIVE_INFINITY;
      measureLeft = headroom.measure_bytes ?? Number.POSITIVE_INFINITY;
      if (!scarce) shares.clear();
    },
    hasRoomFor(bytes) {
      measureLeft -= bytes;
      return measureLeft > 0;
    },
    take() {
      const ids = [...dirty, ...[...later].filter((id) => !dirty.has(id)).slice(0, MOST_LATER)];
      dirty.clear();
      for (const id of ids) later.delete(id);
      return ids.flatMap((id) => saved(id) ?? []);
    },
    unsaved(writes) {
      for (const { data } of writes) dirty.add((data as unknown as Ledger).id);
    },
    records(now_ms, newId) {
      return [...over].flatMap((id) => {
        const ledger = ledgers.get(id);
        return ledger === undefined ? [] : [...tellLedger(ledger, now_ms, newId)];
      });
    },
    purged(device) {
      const ledger = ledgers.get(device);
      if (ledger === undefined) return;
      for (const kind of BUDGET_KINDS) if (ledger.spent[kind] !== undefined) ledger.spent[kind].total_bytes = 0;
      dirty.add(device);
    },
    list(now_ms, nameOf) {
      const today = dayOf(now_ms);
      const bytes = ({ spent }: Ledger, kind: BudgetKind) => (spent[kind]?.day === today ? spent[kind].bytes : 0);
      return [...ledgers.values()]
        .map((ledger) => ({
          object: ledger.object,
          id: ledger.id,
          device_id: ledger.object === 'device' ? nameOf(ledger.id) : null,
          today: Object.fromEntries(BUDGET_KINDS.map((kind) => [kind, bytes(ledger, kind)])) as Record<
            BudgetKind,
            number
          >,
          total_bytes: BUDGET_KINDS.reduce((sum, kind) => sum + (ledger.spent[kind]?.total_bytes ?? 0), 0),
          dropped: BUDGET_KINDS.reduce((sum, kind) => sum + (ledger.spent[kind]?.dropped ?? 0), 0),
        }))
        .sort((a, b) => sumOf(b.today) - sumOf(a.today) || b.total_bytes - a.total_bytes)
        .slice(0, MOST_LISTED);
    },
    problems(now_ms, nameOf) {
      const today = dayOf(now_ms);
      const names = [...over].flatMap((id) => {
        const ledger = ledgers.get(id);
        const kinds = BUDGET_KINDS.filter((kind) => {
          const spent = ledger?.spent[kind];
          return spent !== undefined && spent.dropped > 0 && dayOf(spent.to_ms) === today;
        });
        return kinds.length === 0 ? [] : [`${nameOf(id) ?? id} (${kinds.join(', ')})`];
      });
      if (names.length === 0) return [];
      const some = names.slice(0, 5).join(', ');
      return [
        {
          code: 'over_budget',
          message: `${names.length === 1 ? 'A device sends' : `${names.length} devices send`} more than may be stored: ${some}${names.length > 5 ? ', ...' : ''}.`,
          given_up:
            'What comes beyond the budget of the day is acknowledged and not stored. The log of the device has the count.',
          remedy: 'Open the device: quarantine it and purge what it stored, or give it larger budgets in its settings.',
        },
      ];
    },
  };
}

const sumOf = (today: Readonly<Record<BudgetKind, number>>) => BUDGET_KINDS.reduce((sum, kind) => sum + today[kind], 0);

function entry(
  { object, id: subject, project_id }: Ledger,
  type: 'budget_reached' | 'gap_declared',
  data: Record<string, unknown>,
  at_ms: number,
  id: string,
): EventMade {
  return {
    project_id,
    id,
    once: false,
    data: { ...FROM_SERVICE, type, subject: { object, id: subject }, occurred_at: new Date(at_ms).toISOString(), data },
  };
}
