/**
 * Reads the facts of the summaries of yesterday and today: the time of machines and their meters from history, alerts, repairs, and what
 * machines need now. The first 200 machines are counted, one after the other, so that other work can run between two machines.
 */

import { isCurrent, machineFreshnessAt } from '#contract/base/freshness.ts';
import type { Stored, View } from '#contract/base/view.ts';
import type { CallContext, LiveReader, NodeServices, RunStateReader, TelemetryRead } from '#contract/context.ts';
import type { EquipmentData } from '#contract/fleet/equipment.ts';
import { shownStatus } from '#contract/fleet/shown-status.ts';
import type { ProjectData } from '#contract/site/project.ts';
import { TWO_SHIFTS } from '#contract/site/project.ts';
import type { DayReader, SiteDay, SiteDays } from '#contract/work/day.ts';
import { OPEN_TICKET, type RepairTicketData } from '#contract/work/repair-ticket.ts';
import { currentShift } from '#domain/work/current-shift.ts';
import { type DayFacts, daySummary, type MeterSum, MOST_ITEMS, upTo } from '#domain/work/day-summary.ts';
import { meterGrowth } from '#domain/work/meter-use.ts';
import { withRunStates } from '#domain/work/run-facts.ts';
import { addTime, NO_TIME, partSpent, unknownShare, utilizationOf } from '#domain/work/shift-tally.ts';
import { localDate, shiftStretches, shiftWindow } from '#domain/work/shift-time.ts';
import { countDue } from './maintenance-states.ts';
import { factsOf } from './shift-facts.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** The reader makes a summary again after `KEPT_MS`. It reads the history of yesterday again after `KEPT_YESTERDAY_MS`. */
const KEPT_MS = 5 * MINUTE_MS;
const KEPT_YESTERDAY_MS = 60 * MINUTE_MS;
const MOST_MACHINES = 200;
/** Projects whose summaries are kept; head office looks at the projects of all sites. */
const MOST_PROJECTS = 100;
/** Every midnight is a multiple of a quarter of an hour in UTC, so steps of this length fit a day of every time zone. */
const STEP_S = 900;
/** A meter cannot grow faster than this in an hour: an hour and 5 % for clock drift, and 1,000 L. */
const METERS = { 'engine.hours': 1.05, 'engine.fuel_used': 1_000 } as const;

interface Range {
  readonly from_ms: number;
  readonly to_ms: number;
}
type Machine = Stored<EquipmentData>;
type DayName = 'yesterday' | 'today';
/** What comes from history, which is slow to read. */
type Measured = Pick<DayFacts, 'spent' | 'engine' | 'fuel' | 'unread'>;

interface Made {
  readonly days: SiteDays;
  /** The next midnight at the site: then today is yesterday. */
  readonly until_ms: number;
}

interface Kept {
  /** When the summaries were made, or could not be made. */
  at_ms: number;
  made: Made | undefined;
  failed: boolean;
  reading: Promise<SiteDays> | undefined;
  yesterday: { readonly at_ms: number; readonly from_ms: number; readonly measured: Measured } | undefined;
}

interface Services {
  readonly store: { readonly node: Pick<View, 'get'>; view(project_id: string): Pick<View, 'find' | 'getMany'> };
  readonly live: LiveReader;
  readonly runStates: RunStateReader;
  readonly sha256: CallContext['sha256'];
  readonly readTelemetry: NodeServices['readTelemetry'];
  /** Returns the time in milliseconds since 1970. */
  readonly clock: () => number;
}

const iso = (ms: number) => new Date(ms).toISOString();

/** Returns the start of this day, of the day before it and of the day after it at the site. */
function midnights(now_ms: number, timezone: string) {
  const today = localDate(now_ms, timezone);
  const startOf = (days: number) => {
    const date = iso(Date.parse(today) + days * DAY_MS).slice(0, 10);
    return shiftWindow(date, { starts: '00:00', ends: '00:00' }, timezone)[0];
  };
  return { yesterday: startOf(-1), today: startOf(0), tomorrow: startOf(1) };
}

type Growth = Readonly<Record<keyof typeof METERS, number | null>>;

/**
 * Returns the growth of each of `METERS` from each of these times to `to_ms`. It is null for a meter without a value. Returns null if history
 * cannot be read.
 */
async function growth(
  { readTelemetry, clock }: Services,
  project_id: string,
  id: string,
  { starts_ms, to_ms }: { readonly starts_ms: readonly number[]; readonly to_ms: number },
): Promise<Growth[] | null> {
  const signals = Object.keys(METERS) as (keyof typeof METERS)[];
  const from_ms = Math.min(...starts_ms);
  const query = { project_id, equipment_id: id, signals, from_ms, to_ms, step_s: STEP_S, now_ms: clock() };
  let read: TelemetryRead;
  try {
    read = await readTelemetry(query);
  } catch {
    // For example, too many reads wait.
    return null;
  }
  const since = (start_ms: number, signal: keyof typeof METERS) => {
    const found = read.series.find((one) => one.signal === signal);
    if (found === undefined) return null;
    const { t, min = [], last = [] } = found;
    const steps = t.map((t_ms, i) => ({ t_ms, lowest: min[i] as number, last: last[i] as number }));
    return meterGrowth(
      steps.filter(({ t_ms }) => t_ms >= start_ms),
      METERS[signal],
    );
  };
  return starts_ms.map((start_ms) => ({
    'engine.hours': since(start_ms, 'engine.hours'),
    'engine.fuel_used': since(start_ms, 'engine.fuel_used'),
  }));
}

async function measure(
  services: Services,
  project_id: string,
  machines: readonly Machine[],
  { from_ms, to_ms }: Range,
  shift_ms = from_ms,
): Promise<Measured & { readonly fuelInShift: MeterSum }> {
  const { store, live, runStates, clock } = services;
  const spent = { ...NO_TIME };
  const nothing = { grown: 0, machines: 0 };
  const sums = { engine: { ...nothing }, fuel: { ...nothing }, fuelInShift: { ...nothing } };
  let unread = 0;
  const add = (name: keyof typeof sums, grown: number | null | undefined) => {
    if (grown == null) return;
    sums[name].grown += grown;
    sums[name].machines++;
  };
  for (const machine of machines) {
    const source = { view: store.view(project_id), live, now_ms: clock() };
    const log = await factsOf(source, machine, from_ms, to_ms);
    const { before, facts } = withRunStates(log, await runStates.read(project_id, machine.id, from_ms, to_ms));
    addTime(spent, partSpent(shiftStretches(before, facts, from_ms, to_ms)));
    const grown = await growth(services, project_id, machine.id, { starts_ms: [from_ms, shift_ms], to_ms });
    if (grown === null) unread++;
    const [inDay, inShift] = grown ?? [];
    add('engine', inDay?.['engine.hours']);
    add('fuel', inDay?.['engine.fuel_used']);
    add('fuelInShift', inShift?.['engine.fuel_used']);
  }
  return { spent, unread, ...(sums satisfies Record<string, MeterSum>) };
}

async function items({ store }: Services, project_id: string, { from_ms, to_ms }: Range) {
  const view = store.view(project_id);
  const within = { gte: iso(from_ms), lte: iso(to_ms - 1) };
  const limit = MOST_ITEMS;
  const raised = { 'data.raised_at': within };
  const [alerts, open, made, fixed] = await Promise.all([
    view.find('live', { object: 'alert', where: raised, limit }),
    view.find('live', { object: 'alert', where: { ...raised, 'data.state': 'active' }, limit }),
    view.find('records', { object: 'repair_ticket', where: { 'data.flagged_at': within }, limit }),
    view.find('records', { object: 'repair_ticket', where: { 'data.fixed_at': within }, limit }),
  ]);
  return {
    alerts: { raised: upTo(alerts.length), open: upTo(open.length) },
    made: upTo(made.length),
    fixed: upTo(fixed.length),
  };
}

async function make(services: Services, project_id: string, own: Kept): Promise<Made> {
  const { store, clock } = services;
  const project = await store.node.get<ProjectData>('records', project_id);
  const now_ms = clock();
  const timezone = project?.data.timezone ?? 'UTC';
  const starts = midnights(now_ms, timezone);
  // Logs may have told about machines before the site was made, so a day is read as a whole.
  const isBefore = project === undefined || Date.parse(project.created_at) >= starts.today;
  const ranges = {
    yesterday: { from_ms: starts.yesterday, to_ms: starts.today },
    today: { from_ms: starts.today, to_ms: now_ms },
  };
  const view = store.view(project_id);
  const all = await view.find<EquipmentData>('records', {
    object: 'equipment',
    where: { 'data.status': { otherThan: ['decommissioned'] } },
    order: 'asc',
    limit: MOST_ITEMS,
  });
  const counted = all.slice(0, MOST_MACHINES);
  const tickets = await view.find<RepairTicketData>('records', {
    object: 'repair_ticket',
    where: { 'data.status': OPEN_TICKET },
    limit: MOST_ITEMS,
  });
  const pattern = (project?.data as Partial<ProjectData> | undefined)?.shift_pattern ?? TWO_SHIFTS;
  const shift = currentShift(pattern, now_ms, timezone).now;
  const today = await measure(services, project_id, counted, ranges.today, shift?.from_ms);
  const measured = async (day: DayName): Promise<Measured> => {
    const range = ranges[day];
    if (day === 'today') return today;
    const old = own.yesterday;
    if (old?.from_ms === range.from_ms && now_ms - old.at_ms < KEPT_YESTERDAY_MS) return old.measured;
    const found = await measure(services, project_id, counted, range);
    if (found.unread === 0) own.yesterday = { at_ms: now_ms, from_ms: range.from_ms, measured: found };
    return found;
  };
  const dayOf = async (day: DayName, more: Pick<DayFacts, 'now'>): Promise<SiteDay> => {
    const { alerts, made, fixed } = await items(services, project_id, ranges[day]);
    const history = await measured(day);
    const facts = { alerts, tickets: { made, fixed, open: upTo(tickets.length) }, ...history, ...more };
    const counts = { machines: all.length, counted: counted.length };
    const sentences = daySummary({ ...counts, ...facts }, isBefore && day === 'yesterday');
    const shares = { working_percent: utilizationOf(history.spent), unknown_percent: unknownShare(history.spent) };
    return { ...ranges[day], ...shares, sentences };
  };
  const due = await countDue(services, view, all, { now_ms, timezone });
  const now = { ...nowOf(services, all, tickets, now_ms), services: upTo(due) };
  const { grown, machines } = today.fuelInShift;
  const days = {
    yesterday: await dayOf('yesterday', {}),
    today: await dayOf('today', { now }),
    shift: shift && {
      ...{ name: shift.name, from_ms: shift.from_ms, machines: counted.length },
      ...{ fuel_l: machines === 0 ? null : Math.floor(grown), fuel_machines: machines },
    },
  };
  return { days, until_ms: starts.tomorrow };
}

function nowOf(
  { live }: Services,
  machines: readonly Machine[],
  tickets: readonly Stored<RepairTicketData>[],
  now_ms: number,
): Omit<NonNullable<DayFacts['now']>, 'services'> {
  const unit = new Map(machines.map(({ id, data }) => [id, data.unit_number]));
  // The same rule as on the page Now.
  const isSilent = ({ id, data }: Machine) => {
    const known = live.equipment(id, []);
    const last = known?.last_live_data_at ?? null;
    const judged = machineFreshnessAt(last === null ? null : Date.parse(last), known?.expected_interval_s, now_ms);
    return shownStatus(data.status) !== 'maintenance' && !isCurrent(judged);
  };
  const [oldest] = tickets.toSorted((a, b) => (a.data.flagged_at < b.data.flagged_at ? -1 : 1));
  const unitsOf = (some: readonly Machine[]) =>
    some.map(({ data }) => data.unit_number).sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  return {
    down: unitsOf(machines.filter(({ data }) => data.status === 'down')),
    silent: unitsOf(machines.filter(isSilent)),
    oldest:
      oldest === undefined
        ? null
        : {
            id: oldest.id,
            ticket: oldest.data.number,
            machine: unit.get(oldest.data.equipment_id) ?? '?',
            days: Math.max(0, Math.floor((now_ms - Date.parse(oldest.data.flagged_at)) / DAY_MS)),
          },
  };
}

/** Creates the reader of the summaries. */
export function createDayReader(services: Services): DayReader {
  const { clock } = services;
  const kept = new Map<string, Kept>();

  async function makeAgain(project_id: string, own: Kept): Promise<SiteDays> {
    own.at_ms = clock();
    try {
      own.made = await make(services, project_id, own);
      own.failed = false;
      return own.made.days;
    } catch (error) {
      own.failed = true;
      throw error;
    } finally {
      own.reading = undefined;
    }
  }

  /** Returns what is kept of a project. Begins to make its summaries if those that are kept are old, or of another day. */
  function open(project_id: string, againIfFailed: boolean): Kept {
    const own: Kept = kept.get(project_id) ?? {
      at_ms: Number.NEGATIVE_INFINITY,
      made: undefined,
      failed: false,
      reading: undefined,
      yesterday: undefined,
    };
    kept.delete(project_id);
    kept.set(project_id, own);
    if (kept.size > MOST_PROJECTS) kept.delete(kept.keys().next().value as string);
    const now_ms = clock();
    const isOver = own.made !== undefined && now_ms >= own.made.until_ms;
    const isOld = Math.abs(now_ms - own.at_ms) >= KEPT_MS || isOver || (own.failed && againIfFailed);
    if (isOld && own.reading === undefined) {
      own.reading = makeAgain(project_id, own);
      // A board does not wait for the summaries. If they cannot be made, it keeps those that it has.
      own.reading.catch(() => undefined);
    }
    return own;
  }

  return {
    known(project_id) {
      const { made } = open(project_id, false);
      return made !== undefined && clock() < made.until_ms ? made.days : undefined;
    },
    async read(project_id) {
      const { reading, made } = open(project_id, true);
      return reading ?? (made as Made).days;
    },
  };
}
