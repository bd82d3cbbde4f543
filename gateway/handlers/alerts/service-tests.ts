/** Tries an alert rule on services on the stored meters and the recorded services of machines. */

import type { EventData } from '#contract/base/event.ts';
import type { HandlerContext } from '#contract/context.ts';
import type { EquipmentData } from '#contract/fleet/equipment.ts';
import { type MeterSegments, segmentAt, totalAt } from '#contract/fleet/meter.ts';
import type { ServiceCondition } from '#contract/work/alert-conditions.ts';
import type { RuleTest } from '#contract/work/alert-test.ts';
import type { MaintenanceReason, Service } from '#contract/work/maintenance.ts';
import { MOST_LISTED } from '#domain/work/rule-trial.ts';
import { SERVICE_METERS } from '#domain/work/service-alerts.ts';
import {
  type RecordedService,
  ServiceTrial,
  type ServiceTrialAlert,
  type TrialMeters,
} from '#domain/work/service-trial.ts';
import { localDate } from '#domain/work/shift-time.ts';
import { appliesTo, findRecord, type Plan, plansOf, zoneOf } from '#handlers/base/maintenance-records.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** Local days begin at multiples of a quarter of an hour. So a date is judged at each of them. */
const QUARTER_MS = 900_000;
/** Number of services of a machine that a trial reads from its log, the newest. */
const MOST_SERVICES = 500;

type Context = HandlerContext<'readTelemetry' | 'meters'>;
type By = keyof typeof SERVICE_METERS;
const EVERY = { hours: 'every_hours', km: 'every_km' } as const;

const WHY: Readonly<Record<MaintenanceReason, string>> = {
  no_hour_meter: 'history has no engine hours of this time',
  no_odometer: 'history has no distance of this time',
  no_service: 'no service was recorded before or in this time',
  no_reading_at_service: 'the service was recorded without the reading of this meter',
  meter_below_service: 'the meter shows less than at the service',
  clock_not_trusted: 'the clock of the gateway is not trusted',
};

const NO_PLAN = 'it has no enabled maintenance plan of this rule';

const iso = (ms: number) => new Date(ms).toISOString();

/** Returns the services of each plan of a machine, the earliest first, from the log of the machine and the record of the plan. */
async function servicesOf(
  context: Context,
  equipment_id: string,
  plans: readonly Plan[],
  timezone: string,
): Promise<ReadonlyMap<string, readonly RecordedService[]>> {
  const { view } = context;
  const where = { 'data.subject.id': equipment_id, 'data.type': 'service.done' };
  const events = await view.find<EventData>('events', { object: 'event', where, limit: MOST_SERVICES });
  const found = new Map<string, RecordedService[]>();
  for (const { id } of plans) {
    const own = events
      .map(({ data }) => data.data as unknown as Service & { readonly plan_id?: string })
      .filter(({ plan_id }) => plan_id === id);
    const last = (await findRecord(context, id, equipment_id))?.data.last ?? null;
    const all = last === null || own.some(({ done_at }) => done_at === last.done_at) ? own : [...own, last];
    found.set(
      id,
      all
        .map(({ done_at, hours, km }) => ({ done_at, hours, km, at_ms: Date.parse(done_at) }))
        .map((one) => ({ ...one, done_on: localDate(one.at_ms, timezone) }))
        .sort((a, b) => a.at_ms - b.at_ms),
    );
  }
  return found;
}

/** The meters of a machine while a trial goes through the range. */
class MetersThen {
  private readonly segments: Readonly<Record<By, MeterSegments['segments']>>;
  private present: TrialMeters = { hours: null, km: null, origins: { hours: null, km: null } };

  constructor(meters: readonly MeterSegments[]) {
    const of = (kind: string) => meters.find((one) => one.kind === kind)?.segments ?? [];
    this.segments = { hours: of('engine_hours'), km: of('odometer_km') };
  }

  get now(): TrialMeters {
    return this.present;
  }

  /** Adds a reading that the source sent; history has it without the offset of its segment. */
  add(by: By, t_ms: number, reading: number): void {
    const segments = this.segments[by];
    const segment = segmentAt(segments, t_ms);
    const value = totalAt(segments, t_ms, reading);
    const origin = segment && {
      basis: segment.basis,
      reading,
      offset: segment.offset,
      since: segment.first.observed_at,
      segment: segment.id,
      opened_because: segment.opened_because,
      needs_review: segment.needs_review ? '' : null,
    };
    this.present = {
      ...this.present,
      [by]: { value, observed_at: iso(t_ms), per_day: null },
      origins: { ...this.present.origins, [by]: origin ?? null },
    };
  }
}

interface Range {
  readonly from_ms: number;
  readonly to_ms: number;
}

type Readings = Map<number, [By, number][]>;

/** Reads the minutes of a range, a day after the other, and counts the time with and without readings. */
class MeterHistory {
  values = 0;
  unreadable = 0;
  covered_ms = 0;
  readonly gaps: { from: string; to: string }[] = [];
  gaps_total = 0;
  private readonly context: Context;
  private readonly equipment_id: string;
  private readonly needed: readonly By[];
  private readonly from_ms: number;
  private last_ms: number;
  private stale_ms = 0;

  constructor(context: Context, equipment_id: string, needed: readonly By[], from_ms: number) {
    this.context = context;
    this.equipment_id = equipment_id;
    this.needed = needed;
    this.from_ms = from_ms;
    this.last_ms = from_ms;
  }

  /** Returns the last reading of each minute of a part of a day, by the start of the minute. */
  async read({ from_ms, to_ms }: Range): Promise<Readings> {
    const found: Readings = new Map();
    if (this.needed.length === 0) return found;
    const { series, unreadable } = await this.context.readTelemetry({
      project_id: this.context.view.project_id,
      equipment_id: this.equipment_id,
      signals: this.needed.map((by) => SERVICE_METERS[by]),
      from_ms,
      to_ms,
      step_s: 60,
      now_ms: Date.parse(this.context.now),
    });
    this.unreadable += unreadable;
    for (const [i, by] of this.needed.entries()) {
      const { t = [], last = [], latest_before = null, stale_after_s = 0 } = series[i] ?? {};
      this.stale_ms = Math.max(this.stale_ms, stale_after_s * 1000);
      const add = (t_ms: number, reading: number) => found.set(t_ms, [...(found.get(t_ms) ?? []), [by, reading]]);
      if (from_ms === this.from_ms && latest_before !== null) add(from_ms, latest_before.value);
      for (const [row, t_ms] of t.entries()) add(Math.max(from_ms, t_ms), last[row] as number);
      this.values += t.length;
    }
    for (const t_ms of [...found.keys()].sort((a, b) => a - b)) this.cover(t_ms);
    return found;
  }

  /** Counts the time since the last reading: as covered up to the stale limit of the meter and a minute, and otherwise as a gap. */
  cover(t_ms: number): void {
    const passed_ms = t_ms - this.last_ms;
    const held_ms = this.stale_ms + MINUTE_MS;
    this.covered_ms += this.values > 0 || passed_ms === 0 ? Math.min(passed_ms, held_ms) : 0;
    if (passed_ms > held_ms) {
      this.gaps_total++;
      if (this.gaps.length < MOST_LISTED) this.gaps.push({ from: iso(this.last_ms), to: iso(t_ms) });
    }
    this.last_ms = t_ms;
  }
}

/** Returns each time at which the plans must be judged, in order: minutes with a reading, quarters of an hour, and services. */
function timesOf(readings: Readings, services: readonly number[], { from_ms, to_ms }: Range): number[] {
  const times = new Set([from_ms, ...readings.keys(), ...services.filter((t) => t >= from_ms && t < to_ms)]);
  for (let t = Math.ceil(from_ms / QUARTER_MS) * QUARTER_MS; t < to_ms; t += QUARTER_MS) times.add(t);
  return [...times].sort((a, b) => a - b);
}

/** Returns the enabled plans of a machine that a rule watches. */
async function plansFor(context: Context, equipment_id: string, { plan_id }: ServiceCondition): Promise<Plan[]> {
  const { view } = context;
  const machine = await view.get<EquipmentData>('records', equipment_id);
  if (machine === undefined) return [];
  return (await plansOf(view)).filter(
    (plan) => plan.data.enabled && (plan_id === null || plan.id === plan_id) && appliesTo(plan, machine),
  );
}

/** The result of a trial of a rule on services on one machine. */
interface Tried {
  /** Null if no plan could be tried. */
  readonly tested: RuleTest['machines'][number] | null;
  /** Which plans could not be tried, and why. */
  readonly refused: readonly string[];
}

/** Tries a rule on services on one machine, a day after the other, so that the memory does not grow with the range. */
export async function tryServices(
  context: Context,
  { id, unit_number }: { readonly id: string; readonly unit_number: string },
  rule: ServiceCondition,
  { from_ms, to_ms }: Range,
): Promise<Tried> {
  const plans = await plansFor(context, id, rule);
  if (plans.length === 0)
    return {
      tested: null,
      refused: [`${unit_number} was not tried: ${NO_PLAN}.`],
    };
  const timezone = await zoneOf(context);
  const services = await servicesOf(context, id, plans, timezone);
  const dateAt = (ms: number) => localDate(ms, timezone);
  const trials = plans.map((plan) => ({
    plan,
    trial: new ServiceTrial(rule, plan, services.get(plan.id) ?? [], dateAt),
  }));
  const needed = (['hours', 'km'] as const).filter((by) => plans.some(({ data }) => data[EVERY[by]] !== null));
  const meters = new MetersThen(context.meters.of(id));
  const history = new MeterHistory(context, id, needed, from_ms);
  const done = [...services.values()].flat().map(({ at_ms }) => at_ms);
  for (let at_ms = from_ms; at_ms < to_ms; ) {
    const day = { from_ms: at_ms, to_ms: Math.min(to_ms, Math.floor(at_ms / DAY_MS) * DAY_MS + DAY_MS) };
    const readings = await history.read(day);
    for (const t_ms of timesOf(readings, done, day)) {
      for (const [by, reading] of readings.get(t_ms) ?? []) meters.add(by, t_ms, reading);
      for (const { trial } of trials) trial.at(t_ms, meters.now);
    }
    // Other work of the event loop runs between two days.
    await new Promise<void>((next) => setImmediate(next));
    at_ms = day.to_ms;
  }
  if (needed.length > 0) history.cover(to_ms);
  const results = trials.map(({ plan, trial }) => ({ name: plan.data.name, ...trial.result() }));
  const refused = results.flatMap(({ name, unknown }) =>
    unknown === null ? [] : [`${name} on ${unit_number} was not tried: ${WHY[unknown]}.`],
  );
  const alerts = results.flatMap((one) => one.alerts).sort((a, b) => a.raised_ms - b.raised_ms);
  if (refused.length === results.length) return { tested: null, refused };
  const { values, gaps, gaps_total, unreadable, covered_ms } = history;
  const coverage = needed.length === 0 ? 1 : Math.min(1, covered_ms / (to_ms - from_ms));
  const rows = alerts.slice(0, MOST_LISTED).map(testedAlert);
  const counts = { alerts_total: alerts.length, coverage, values, gaps, gaps_total, minutes_only: [], unreadable };
  return { tested: { equipment_id: id, unit_number, alerts: rows, ...counts }, refused };
}

function testedAlert({
  raised_ms,
  cleared_ms,
  found,
}: ServiceTrialAlert): RuleTest['machines'][number]['alerts'][number] {
  return {
    raised_at: iso(raised_ms),
    cleared_at: cleared_ms === null ? null : iso(cleared_ms),
    condition: 'service',
    value: found.now,
    change_from: null,
    service: found,
  };
}
