/**
 * Makes the summary of a day of the site from facts by plain rules, without a model. A number that is not known is named as not known, and
 * never counted as zero.
 */
import { DAY_WORDS, type DaySentence } from '#contract/work/day.ts';
import { SHIFT_PARTS, type ShiftSpent } from '#contract/work/shift-report.ts';
import { utilizationOf } from './shift-tally.ts';

/** The growth of a meter, summed over the machines that sent it. */
export interface MeterSum {
  readonly grown: number;
  readonly machines: number;
}

/** Machines, alerts and repairs are counted up to this number. */
export const MOST_ITEMS = 1_000;
/** Returns a number of items as a text. A `+` says that there may be more. */
export const upTo = (count: number): string => (count >= MOST_ITEMS ? `${MOST_ITEMS}+` : String(count));

/** The facts of a day. */
export interface DayFacts {
  /** Machines of the site that are not retired, and how many of them were counted. */
  readonly machines: number;
  readonly counted: number;
  /** How the counted machines spent the time, in milliseconds. */
  readonly spent: ShiftSpent;
  readonly engine: MeterSum;
  readonly fuel: MeterSum;
  /** Counted machines whose meters could not be read from history. */
  readonly unread: number;
  readonly alerts: { readonly raised: string; readonly open: string };
  readonly tickets: { readonly made: string; readonly fixed: string; readonly open: string };
  /** Only for today. */
  readonly now?: {
    readonly down: readonly string[];
    readonly silent: readonly string[];
    readonly services: string;
    readonly oldest: {
      readonly id: string;
      readonly ticket: string;
      readonly machine: string;
      readonly days: number;
    } | null;
  };
}

const HOUR_MS = 3_600_000;
/** A sentence names at most this many machines. */
const MOST_NAMED = 4;
const MOST_SENTENCES = 8;

/** Returns hours with two decimals below 1 h, with one below 100 h, and from there as a whole number. */
function hours(value: number, round = Math.round): number {
  const steps = value >= 100 ? 1 : value >= 1 ? 10 : 100;
  return round(value * steps) / steps;
}

/** Rounds down, because the sentence says "at least". A meter that counts in steps may be short of a whole step by the last bits of a number. */
const atLeast = (value: number) => Math.floor(value + 1e-6);

/** Returns names of machines in one text: the first ones, then the number of the others; `0` if there is none. */
function named(units: readonly string[]): string {
  if (units.length === 0) return '0';
  const more = units.length - MOST_NAMED;
  const names = units.slice(0, MOST_NAMED).join(', ');
  return `${units.length} (${names}${more > 0 ? `, +${more}` : ''})`;
}

type Code = keyof typeof DAY_WORDS;
const says = (code: Code, page: string, params: DaySentence['params'] = {}): DaySentence => ({
  text: DAY_WORDS[code],
  params,
  page,
});

function timeSentence({ spent }: DayFacts): DaySentence {
  const all = SHIFT_PARTS.reduce((sum, name) => sum + spent[name], 0);
  if (all === 0) return says('begun', 'shifts');
  const percent = utilizationOf(spent);
  if (percent === null) return says('no_state', 'shifts', { hours: hours(all / HOUR_MS) });
  return says('time', 'shifts', {
    working: hours(spent.working / HOUR_MS),
    known: hours((all - spent.unknown) / HOUR_MS),
    percent,
    unknown: hours(spent.unknown / HOUR_MS),
  });
}

/** Returns the sentences of a day, at most eight. `isBefore`: the day was over when the gateway got to know the site. */
export function daySummary(facts: DayFacts, isBefore = false): DaySentence[] {
  const isUnknown = utilizationOf(facts.spent) === null && facts.engine.machines + facts.fuel.machines === 0;
  const { machines, counted, engine, fuel, unread, alerts, tickets, now } = facts;
  const work = [says('alerts', 'alerts', alerts), says('tickets', 'tickets', tickets)];
  // People may have reported repairs of that day later.
  const hasWork = [alerts.raised, tickets.made, tickets.fixed].some((count) => count !== '0');
  if (isBefore && isUnknown && facts.unread === 0) return [says('not_known', 'site'), ...(hasWork ? work : [])];
  if (machines === 0) return [says('no_machines', 'machines'), ...work];
  const some = (sum: MeterSum) => ({ some: sum.machines, all: counted });
  const meters = [
    engine.machines === 0
      ? says('no_engine', 'machines')
      : says('engine', 'machines', { hours: hours(engine.grown, atLeast), ...some(engine) }),
    fuel.machines === 0
      ? says('no_fuel', 'machines')
      : says('fuel', 'machines', { fuel: atLeast(fuel.grown), unit: 'L', ...some(fuel) }),
  ];
  const failed = says('unread', 'machines', { failed: unread, all: counted });
  const sentences = [timeSentence(facts), ...(unread > 0 ? [failed] : meters), ...work];
  if (counted < machines) sentences.unshift(says('first_machines', 'machines', { counted, all: upTo(machines) }));
  if (now === undefined) return sentences;
  const { oldest, down, silent, services } = now;
  if (oldest !== null) {
    const { id, ticket, machine, days } = oldest;
    sentences.push(says('oldest', `tickets/${id}`, { ticket, machine, n: days }));
  }
  sentences.push(says('now', 'machines', { down: named(down), silent: named(silent) }));
  // A site with more machines than are counted has eight sentences already.
  if (services !== '0' && sentences.length < MOST_SENTENCES)
    sentences.push(says('services', 'maintenance', { due: services }));
  return sentences;
}
