/**
 * The ledger of a device or machine counts what was stored for it. This file also makes the log entries and the problem for used-up
 * budgets.
 */

import { BUDGET_KINDS, BUDGETS, type Budget, type BudgetKind, type Spender } from '#contract/base/budget.ts';
import { messageOf, say } from '#contract/base/told.ts';
import { NODE_PROJECT, type ProjectWrite } from '#contract/base/view.ts';
import type { Problem, Writer } from '#contract/site/node.ts';
import { dayOf, type Spent } from '#domain/device/budget.ts';
import type { EventMade } from '#ingest/fold/fold-state.ts';
import { FROM_SERVICE } from '#ingest/fold/made-events.ts';

/** The value of the field `object` in a stored ledger. */
export const LEDGER = 'device_spend';
const DAY_MS = 86_400_000;
/** The number of devices that `writersOf` lists. */
const MOST_LISTED = 20;

/** The counts of one device or machine, as stored. */
export interface Ledger extends Spender {
  readonly spent: Partial<Record<BudgetKind, Spent>>;
  /** For each kind of budget, the day of the last log entry that reported this budget as used up. */
  readonly told: Partial<Record<BudgetKind, number>>;
}

/** Returns the device_id for the id of a device record; null if there is none. */
export type NameOf = (id: string) => string | null;

/** Returns the write that stores a ledger. */
export function ledgerWrite(ledger: Ledger): ProjectWrite {
  const data = structuredClone(ledger) as unknown as Record<string, unknown>;
  return { collection: 'local', id: `spend_${ledger.id}`, object: LEDGER, project_id: NODE_PROJECT, data };
}

/** True if data over a budget was dropped and no `gap_declared` entry has reported that yet. */
export function hasDropped({ spent }: Ledger): boolean {
  return BUDGET_KINDS.some((kind) => (spent[kind]?.dropped ?? 0) > 0);
}

/**
 * Returns the log entries to write: `budget_reached` once for each day and kind, and `gap_declared` after the day. If it returns entries,
 * the function notes them in the ledger, and `changed` is true. `open` is true while a budget of today is used up.
 */
export function dueEntries(
  ledger: Ledger,
  limits: Readonly<Record<BudgetKind, Budget>> = BUDGETS,
  now_ms: number,
  newId: () => string,
): { readonly events: readonly EventMade[]; readonly open: boolean; readonly changed: boolean } {
  const today = dayOf(now_ms);
  const events: EventMade[] = [];
  let open = false;
  for (const kind of BUDGET_KINDS) {
    const spent = ledger.spent[kind];
    if (spent === undefined || spent.dropped === 0) continue;
    if (dayOf(spent.from_ms) < today) {
      const { from_ms, to_ms, dropped: count, dropped_bytes: bytes } = spent;
      const reason = `the budget for ${kind} was used up; later data of that day was not stored`;
      const span = { from: new Date(from_ms).toISOString(), to: new Date(to_ms).toISOString() };
      const data = { what: 'over_budget', kind, ...span, count, bytes, reason };
      events.push(entry(ledger, 'gap_declared', data, to_ms, newId()));
      spent.dropped = spent.dropped_bytes = 0;
      continue;
    }
    open = true;
    if (ledger.told[kind] === today) continue;
    ledger.told[kind] = today;
    const { per_s, bytes_per_day } = limits[kind];
    const until = new Date((today + 1) * DAY_MS).toISOString();
    events.push(entry(ledger, 'budget_reached', { kind, per_s, bytes_per_day, until }, spent.from_ms, newId()));
  }
  return { events, open, changed: events.length > 0 };
}

/** Returns the devices and machines that stored the most bytes, sorted by the bytes of today, then by the total. */
export function writersOf(ledgers: Iterable<Ledger>, now_ms: number, nameOf: NameOf): Writer[] {
  const today = dayOf(now_ms);
  const bytes = ({ spent }: Ledger, kind: BudgetKind) => (spent[kind]?.day === today ? spent[kind].bytes : 0);
  return [...ledgers]
    .map((ledger) => ({
      object: ledger.object,
      id: ledger.id,
      device_id: ledger.object === 'device' ? nameOf(ledger.id) : null,
      today: Object.fromEntries(BUDGET_KINDS.map((kind) => [kind, bytes(ledger, kind)])) as Record<BudgetKind, number>,
      total_bytes: BUDGET_KINDS.reduce((sum, kind) => sum + (ledger.spent[kind]?.total_bytes ?? 0), 0),
      dropped: BUDGET_KINDS.reduce((sum, kind) => sum + (ledger.spent[kind]?.dropped ?? 0), 0),
    }))
    .sort((a, b) => sumOf(b.today) - sumOf(a.today) || b.total_bytes - a.total_bytes)
    .slice(0, MOST_LISTED);
}

/** Returns one problem while budgets of today are used up, otherwise an empty list. */
export function budgetProblems(
  ledgers: Iterable<Ledger>,
  now_ms: number,
  nameOf: NameOf,
): Pick<Problem, 'code' | 'message' | 'words' | 'given_up' | 'remedy'>[] {
  const today = dayOf(now_ms);
  const names = [...ledgers].flatMap(({ id, spent: all }) => {
    const kinds = BUDGET_KINDS.filter((kind) => {
      const spent = all[kind];
      return spent !== undefined && spent.dropped > 0 && dayOf(spent.to_ms) === today;
    });
    return kinds.length === 0 ? [] : [`${nameOf(id) ?? id} (${kinds.join(', ')})`];
  });
  if (names.length === 0) return [];
  const some = names.slice(0, 5).join(', ');
  return [
    {
      code: 'over_budget',
      ...messageOf(
        say('{n} device sends more than may be stored: {names}.|{n} devices send more than may be stored: {names}.', {
          n: names.length,
          names: names.length > 5 ? `${some}, ...` : some,
        }),
      ),
      given_up:
        'Data over the daily budget is acknowledged and not stored. The log of the device has the number of lost messages.',
      remedy: 'Open the device: quarantine it and purge its stored data, or set larger budgets in its settings.',
    },
  ];
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
