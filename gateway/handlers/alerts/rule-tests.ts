/** Tries an alert rule on the stored values of machines. */

import { OperationError } from '#contract/base/errors.ts';
import type { SignalName } from '#contract/base/signals.ts';
import { isSignal } from '#contract/base/signals.ts';
import { type Sayable, say } from '#contract/base/told.ts';
import type { HandlerContext, StagedView, TelemetryRead } from '#contract/context.ts';
import type { EquipmentData } from '#contract/fleet/equipment.ts';
import type { LocationData } from '#contract/fleet/location.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Parsed } from '#contract/operations.ts';
import type { AlertRuleData } from '#contract/work/alert.ts';
import { MAX_TEST_MACHINE_DAYS, MAX_TEST_MACHINES, type RuleTest } from '#contract/work/alert-test.ts';
import { type FenceShape, fenceShape } from '#domain/watch/fence.ts';
import { sideOf } from '#domain/work/alerts.ts';
import { MOST_LISTED, RuleTrial, type TrialResult } from '#domain/work/rule-trial.ts';
import { requireRecord, requireRecords } from '#handlers/base/documents.ts';
import { checkRule } from './alert-rules.ts';
import { tryServices } from './service-tests.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** After this number of values the trial lets other work of the event loop run. */
const SLICE = 5_000;
/** The trial reads this number of machines to find those that a rule watches. */
const MOST_SEARCHED = 500;
/** Number of levels of the tree of locations that a scope climbs. */
const LEVELS = 16;

type Context = HandlerContext<'readTelemetry' | 'meters'>;
type Machine = Pick<EquipmentData, 'unit_number' | 'kind' | 'location_id'> & { readonly id: string };

const refuse = (param: string, message: Sayable): never => {
  throw new OperationError('parameter_invalid', message, { param });
};

/** The fields of a rule that do not matter for a trial. */
const NAMELESS = {
  name: '',
  severity: 'info',
  mute: [],
  actions: [],
  enabled: true,
  built_in: null,
} satisfies Partial<AlertRuleData>;

async function ruleOf({ view }: Context, { rule_id, rule }: Parsed<'alert_rules_test'>): Promise<AlertRuleData> {
  if ((rule_id === undefined) === (rule === undefined)) refuse('rule', 'Give either `rule_id` or `rule`.');
  if (rule_id !== undefined) return (await requireRecord<AlertRuleData>(view, 'alert_rule', rule_id, 'rule_id')).data;
  const data: AlertRuleData = { ...NAMELESS, ...(rule as NonNullable<typeof rule>) };
  await checkRule(view, data);
  return data;
}

/** Returns true if the location is one of `wanted`, or is inside one of them. */
async function isWithin(view: StagedView, location_id: string | null, wanted: readonly string[]): Promise<boolean> {
  let at = location_id;
  for (let level = 0; at !== null && level < LEVELS; level++) {
    if (wanted.includes(at)) return true;
    const [location] = await view.getMany<LocationData>('records', [at]);
    at = location?.data.parent_id ?? null;
  }
  return false;
}

/** Returns the machines in the order of their unit numbers. */
const inOrder = (machines: readonly Machine[]): Machine[] =>
  [...machines].sort((a, b) => a.unit_number.localeCompare(b.unit_number, 'en', { numeric: true }));

/** Returns the machines on which the rule is tried, and the number of further machines that the rule watches. */
async function machinesOf(
  { view }: Context,
  { scope }: AlertRuleData,
  asked: readonly string[] | undefined,
): Promise<{ readonly machines: Machine[]; readonly more: number }> {
  if (asked !== undefined) {
    await requireRecords(view, 'equipment', asked, 'equipment_ids');
    const found = await view.getMany<EquipmentData>('records', [...new Set(asked)]);
    return { machines: inOrder(found.map(({ id, data }) => ({ id, ...data }))), more: 0 };
  }
  const { equipment_ids, kinds, location_ids } = scope;
  const all =
    equipment_ids.length > 0
      ? await view.getMany<EquipmentData>('records', equipment_ids)
      : await view.find<EquipmentData>('records', { object: 'equipment', order: 'asc', limit: MOST_SEARCHED });
  const machines: Machine[] = [];
  for (const { id, data } of all) {
    if (data.status === 'decommissioned') continue;
    if (kinds.length > 0 && (data.kind === null || !kinds.includes(data.kind))) continue;
    if (location_ids.length > 0 && !(await isWithin(view, data.location_id, location_ids))) continue;
    machines.push({ id, ...data });
  }
  return {
    machines: inOrder(machines).slice(0, MAX_TEST_MACHINES),
    more: Math.max(0, machines.length - MAX_TEST_MACHINES),
  };
}

function rangeOf({ from, to }: Parsed<'alert_rules_test'>, now: string) {
  const to_ms = Math.min(Date.parse(to ?? now), Date.parse(now));
  const from_ms = from === undefined ? to_ms - 7 * DAY_MS : Date.parse(from);
  if (from_ms >= to_ms) refuse('from', '`from` must be before `to`, and before the present time.');
  return { from_ms, to_ms };
}

/** The values of one read, and the extremes of minutes for which no samples are stored. */
interface Chunk {
  readonly samples: TelemetryRead['series'];
  readonly minutes: TelemetryRead['series'];
}

/**
 * Yields `[time, value]` of a signal in the order of time: the samples, and the lowest and highest value of each minute. It leaves out such an
 * extreme if a sample of the minute is on the same side of the limits. The rule sees that side at the time of the sample, and the time of the
 * extreme is known only to the minute, so the extreme would add an alert that never was.
 */
function* valuesOf(
  { samples, minutes }: Chunk,
  from_ms: number,
  rule: AlertRuleData,
): Generator<readonly [t_ms: number, value: number]> {
  const { t = [], value = [] } = samples[0] ?? {};
  const [rows] = minutes;
  let next = 0;
  for (let row = 0; row < (rows?.t.length ?? 0); row++) {
    const start = rows?.t[row] as number;
    const first = next;
    const seen = new Set<number>();
    for (; next < t.length && (t[next] as number) < start + MINUTE_MS; next++)
      seen.add(sideOf(rule, value[next] as number));
    const at_ms = Math.max(start, from_ms);
    const extremes = [rows?.min?.[row], rows?.max?.[row]].filter((one) => one !== undefined);
    for (const one of extremes) if (!seen.has(sideOf(rule, one))) yield [at_ms, one];
    for (let i = first; i < next; i++) yield [t[i] as number, value[i] as number];
    const last = rows?.last?.[row];
    if (first === next && last !== undefined) yield [Math.max(at_ms, start + MINUTE_MS - 1_000), last];
  }
  for (; next < t.length; next++) yield [t[next] as number, value[next] as number];
}

/** Yields `[time, latitude, longitude]` of the seconds for which both coordinates are stored. */
function* placesOf({ samples }: Chunk): Generator<readonly [t_ms: number, latitude: number, longitude: number]> {
  const [latitudes, longitudes] = samples;
  const byTime = new Map((longitudes?.t ?? []).map((t, i) => [t, longitudes?.value?.[i] as number]));
  for (const [i, t] of (latitudes?.t ?? []).entries()) {
    const longitude = byTime.get(t);
    if (longitude !== undefined) yield [t, latitudes?.value?.[i] as number, longitude];
  }
}

const breathe = () => new Promise<void>((done) => setImmediate(done));
const iso = (ms: number) => new Date(ms).toISOString();

interface Trial {
  readonly rule: AlertRuleData;
  readonly shape: FenceShape | undefined;
  readonly from_ms: number;
  readonly to_ms: number;
}

/** Tries the rule on one machine, a day after the other, so that the memory does not grow with the range. */
async function tryOn(context: Context, machine: Machine, { rule, shape, from_ms, to_ms }: Trial) {
  const { view, now } = context;
  const trial = new RuleTrial(rule, from_ms, shape);
  const isFence = rule.geofence != null;
  const signals: SignalName[] = isFence ? ['position.latitude', 'position.longitude'] : [rule.signal as SignalName];
  const minutes_only: { from: string; to: string }[] = [];
  let unreadable = 0;
  let count = 0;
  for (let at_ms = from_ms; at_ms < to_ms; ) {
    const until_ms = Math.min(to_ms, Math.floor(at_ms / DAY_MS) * DAY_MS + DAY_MS);
    const read = await context.readTelemetry({
      project_id: view.project_id,
      equipment_id: machine.id,
      signals,
      from_ms: at_ms,
      to_ms: until_ms,
      step_s: null,
      now_ms: Date.parse(now),
      only: isFence || rule.change != null ? 'samples' : 'minutes',
    });
    unreadable += read.unreadable;
    const chunk = { samples: read.series, minutes: read.minutes ?? [] };
    const hasSamples = read.series.some(({ t }) => t.length > 0);
    if (!hasSamples && (chunk.minutes[0]?.t.length ?? 0) > 0)
      minutes_only.push({ from: iso(at_ms), to: iso(until_ms) });
    if (isFence)
      for (const [t, latitude, longitude] of placesOf(chunk)) {
        trial.addPlace(t, latitude, longitude);
        if (++count % SLICE === 0) await breathe();
      }
    else
      for (const [t, value] of valuesOf(chunk, at_ms, rule)) {
        trial.add(t, value);
        if (++count % SLICE === 0) await breathe();
      }
    at_ms = until_ms;
  }
  return { ...tested(machine, trial.finish(to_ms), to_ms - from_ms), minutes_only, unreadable };
}

function tested({ id, unit_number }: Machine, result: TrialResult, range_ms: number) {
  return {
    equipment_id: id,
    unit_number,
    alerts: result.alerts.map(({ raised_ms, cleared_ms, condition, value, from }) => ({
      raised_at: iso(raised_ms),
      cleared_at: cleared_ms === null ? null : iso(cleared_ms),
      condition: condition as RuleTest['machines'][number]['alerts'][number]['condition'],
      value,
      change_from: from === null ? null : { value: from.value, observed_at: iso(from.observed_ms) },
      service: null,
    })),
    alerts_total: result.alerts_total,
    coverage: Math.min(1, result.covered_ms / range_ms),
    values: result.values,
    gaps: result.gaps.map(({ from_ms, to_ms }) => ({ from: iso(from_ms), to: iso(to_ms) })),
    gaps_total: result.gaps_total,
  };
}

const MUTES = 'The trial does not apply the mutes of the rule.';

/** Returns what the trial of this rule cannot tell. */
function notJudged(rule: AlertRuleData, more: number): RuleTest['not_judged'] {
  const { for_seconds, change = null, geofence = null, mute } = rule;
  const found: RuleTest['not_judged'] = [];
  const add = (code: RuleTest['not_judged'][number]['code'], text: string) => found.push({ code, text });
  if (more > 0) add('machines', `The rule watches ${more} more machines, on which it was not tried.`);
  if (rule.service != null) {
    add(
      'services',
      'The trial uses the plans as they are now, and a service from the time at which it was done. The time of an alert is known to the minute. An alert at the start of the range may have been raised before.',
    );
    if (mute.length > 0) add('mute', MUTES);
    return found;
  }
  if (!isTriable(rule)) {
    add('trouble_codes', 'History has no lamps and no trouble codes, so a rule on them cannot be tried.');
    return found;
  }
  if (for_seconds > 0)
    add(
      'durations',
      'History has one value a second. A duration that was interrupted between two values counts as unbroken, or ends at the start of its minute.',
    );
  else if (change === null && geofence === null)
    add('moments', 'The time of a value between two seconds is known only to the minute.');
  if (change !== null)
    add(
      'sources',
      'History has one value a second, and the trial also compares values of two sources. The live rule does not.',
    );
  if (mute.length > 0) add('mute', MUTES);
  return found;
}

const isTriable = ({ signal, geofence = null, spn = null }: AlertRuleData) =>
  spn === null && (isSignal(signal) || geofence !== null);

export const ruleTestHandlers = handlerGroup(['readTelemetry', 'meters'], {
  async alert_rules_test(input, context) {
    const { view, now } = context;
    const rule = await ruleOf(context, input);
    const { from_ms, to_ms } = rangeOf(input, now);
    const { machines, more } = await machinesOf(context, rule, input.equipment_ids);
    const days = (machines.length * (to_ms - from_ms)) / DAY_MS;
    if (days > MAX_TEST_MACHINE_DAYS)
      refuse(
        'from',
        say(
          '{machines} machines and this range are {days} days; one call tries at most {max_test_machine_days}. Shorten the range or name fewer machines.',
          { machines: machines.length, days: Math.ceil(days), max_test_machine_days: MAX_TEST_MACHINE_DAYS },
        ),
      );
    const [location] =
      rule.geofence == null ? [] : await view.getMany<LocationData>('records', [rule.geofence.location_id]);
    const geofence = location?.data.geofence ?? null;
    const trial = { rule, shape: geofence === null ? undefined : fenceShape(geofence), from_ms, to_ms };
    const results: RuleTest['machines'] = [];
    const not_judged = notJudged(rule, more);
    if (rule.service != null)
      for (const machine of machines) {
        const { tested: found, refused } = await tryServices(context, machine, rule.service, trial);
        if (found !== null) results.push(found);
        not_judged.push(...refused.map((text) => ({ code: 'not_tried' as const, text })));
      }
    else if (isTriable(rule)) for (const machine of machines) results.push(await tryOn(context, machine, trial));
    return {
      object: 'alert_rule_test',
      from: iso(from_ms),
      to: iso(to_ms),
      machines: results,
      not_judged: not_judged.slice(0, MOST_LISTED),
    };
  },
});
