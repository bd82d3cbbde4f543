/** The operations that read the stored samples of machines: they choose the length of a step and the part of a large range that one answer has. */
import { OperationError } from '#contract/base/errors.ts';
import { LIMITS } from '#contract/base/limits.ts';
import type { SignalName } from '#contract/base/signals.ts';
import { type Sayable, say } from '#contract/base/told.ts';
import type { HandlerContext, TelemetryQuery, TelemetryRead } from '#contract/context.ts';
import type { EquipmentData } from '#contract/fleet/equipment.ts';
import type { DeletedRange } from '#contract/fleet/history.ts';
import { STEP_LADDER, type TelemetrySeries } from '#contract/fleet/telemetry.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Parsed } from '#contract/operations.ts';
import { requireRecord, requireRecords } from '#handlers/base/documents.ts';
import { readMachines } from './read-machines.ts';

const DAY_MS = 86_400_000;
/** One answer has at most this many steps in all its series together. */
const MAX_STEPS = 20_000;
/** One answer has at most this many signals of a machine; a cursor leads to the others. */
const MAX_SIGNALS = 10;

const iso = (ms: number): string => new Date(ms).toISOString();

/** The input that the operations share. */
type ReadInput = Pick<Parsed<'telemetry_read'>, 'signals' | 'from' | 'to' | 'resolution' | 'points' | 'cursor'>;

interface Range {
  readonly from_ms: number;
  readonly to_ms: number;
}

const refuse = (param: string, message: Sayable): never => {
  throw new OperationError('parameter_invalid', message, { param });
};

/** Returns the time range of a read; throws if the range is empty. */
function rangeOf({ from, to }: ReadInput, now_ms: number): Range {
  const to_ms = to === undefined ? now_ms : Date.parse(to);
  const from_ms = from === undefined ? Math.max(0, to_ms - DAY_MS) : Date.parse(from);
  if (from_ms >= to_ms) refuse('from', '`from` must be before `to`. Without `to`, the range ends now.');
  return { from_ms, to_ms };
}

/** Returns the number of steps of this length that overlap the range. */
const stepsIn = ({ from_ms, to_ms }: Range, step_s: number): number =>
  Math.ceil(to_ms / (step_s * 1000)) - Math.floor(from_ms / (step_s * 1000));

/**
 * Returns the length of a step in seconds (null if the answer has the single samples), and the part of the range that one answer can have.
 * `count` is the number of series of the answer.
 */
function partOf(
  { resolution, points }: ReadInput,
  count: number,
  { from_ms, to_ms }: Range,
): Range & { readonly step_s: number | null } {
  const until_ms = Math.min(to_ms, from_ms + LIMITS.telemetry_days.value * DAY_MS);
  const most = Math.min(LIMITS.telemetry_steps.value, Math.floor(MAX_STEPS / count));
  if (resolution === 'auto') {
    const range = { from_ms, to_ms: until_ms };
    const step_s = STEP_LADDER.find((step) => stepsIn(range, step) <= Math.min(points, most)) ?? 86_400;
    return { ...range, step_s };
  }
  const step_s = Number(resolution);
  // History has at most one sample a second, so a shorter step means the single samples.
  if (resolution === 'raw' || step_s < 1) {
    const seconds = Math.floor(LIMITS.telemetry_raw.value / count);
    return { from_ms, to_ms: Math.min(until_ms, from_ms + seconds * 1000), step_s: null };
  }
  if (86_400 % step_s !== 0)
    refuse(
      'resolution',
      say('A step of {step_s} s does not divide a day. Use for example {step_ladder}.', {
        step_s,
        step_ladder: STEP_LADDER.join(', '),
      }),
    );
  const end_ms = (Math.floor(from_ms / (step_s * 1000)) + most) * step_s * 1000;
  return { from_ms, to_ms: Math.min(until_ms, end_ms), step_s };
}

function withoutColumns(series: TelemetrySeries): TelemetrySeries {
  const { value: _v, min: _a, min_t: _b, max: _c, max_t: _d, mean: _e, last: _f, count: _g, ...rest } = series;
  return { ...rest, t: [] };
}

/** The series of one answer: some signals of some machines. */
interface Group {
  readonly signals: readonly SignalName[];
  readonly machines: readonly string[];
}

/** Divides the wanted series into groups, each small enough for one answer. */
function groupsOf(signals: readonly SignalName[], machines: readonly string[]): Group[] {
  const groups: Group[] = [];
  for (let i = 0; i < signals.length; i += MAX_SIGNALS) {
    const some = signals.slice(i, i + MAX_SIGNALS);
    const most = Math.floor(LIMITS.telemetry_series.value / some.length);
    for (let j = 0; j < machines.length; j += most)
      groups.push({ signals: some, machines: machines.slice(j, j + most) });
  }
  return groups;
}

/** A read that was checked: its series, the part of the range that this answer has, and the length of its steps. */
interface Checked extends Omit<TelemetryQuery, 'project_id' | 'equipment_id'> {
  readonly machines: readonly string[];
  /** The range that the caller wants. */
  readonly wanted: Range;
  /** The number of the group of series, and the number of groups. */
  readonly group: number;
  readonly groups: number;
}

/**
 * Returns the part of a read that this answer has. A read with a cursor begins where the answer before ended: first come the other parts of
 * the time range, then the next group of series. The cursor has the start of the part, the group, and the end of the range.
 */
function checkedRead(
  input: ReadInput,
  machines: readonly string[],
  { page, now }: Pick<HandlerContext, 'page' | 'now'>,
): Checked {
  const now_ms = Date.parse(now);
  const groups = groupsOf([...new Set(input.signals)], machines);
  const after = page.after(input.cursor);
  const [group = 0, to_ms = 0] = after?.id.split(':').map(Number) ?? [];
  const first = rangeOf(input, now_ms);
  const wanted = after === undefined ? first : { ...first, to_ms };
  const own = groups[group] as Group;
  const rest = after === undefined ? wanted : { from_ms: Date.parse(after.created_at), to_ms };
  const part = partOf(input, own.machines.length * own.signals.length, rest);
  return { ...own, ...part, wanted, group, groups: groups.length, now_ms };
}

/** Returns the fields of an answer that say which part of the range it covers, and the cursor for the next part. */
function rangeFields(checked: Checked, until_ms: number, { page }: Pick<HandlerContext, 'page'>) {
  const { from_ms, step_s, wanted, group, groups } = checked;
  const truncated = until_ms < wanted.to_ms;
  const resolution: 'raw' | 'steps' = step_s === null ? 'raw' : 'steps';
  const next = truncated
    ? { at: until_ms, group }
    : group + 1 < groups
      ? { at: wanted.from_ms, group: group + 1 }
      : null;
  return {
    from: iso(from_ms),
    to: iso(wanted.to_ms),
    resolution,
    step_s,
    truncated,
    next_from: truncated ? iso(until_ms) : null,
    next_cursor: next && page.next({ created_at: iso(next.at), id: `${next.group}:${wanted.to_ms}` }),
  };
}

/** Returns the deleted ranges that overlap a read. */
function deletedIn({ from_ms, to_ms }: Checked, ranges: readonly DeletedRange[]): DeletedRange[] {
  return ranges.filter(({ from, to }) => Date.parse(from) < to_ms && Date.parse(to) >= from_ms);
}

/** Operations that read stored values of machines. */
export const telemetryReadHandlers = handlerGroup(['readTelemetry'], {
  async equipment_telemetry(input, context) {
    const checked = checkedRead(input, [input.id], context);
    const { view } = context;
    await requireRecord(view, 'equipment', input.id);
    const query = { ...checked, project_id: view.project_id, equipment_id: input.id };
    const { until_ms, unreadable, series } = await context.readTelemetry(query);
    return {
      object: 'telemetry',
      equipment_id: input.id,
      ...rangeFields(checked, until_ms, context),
      history_from: await context.historyEnds.through(input.id),
      deleted: deletedIn(checked, await context.historyEnds.deleted(input.id)),
      unreadable,
      series: input.points === 0 ? series.map(withoutColumns) : [...series],
    };
  },

  async telemetry_read(input, context) {
    const checked = checkedRead(input, [...new Set(input.equipment_ids)], context);
    const ids = checked.machines;
    const { view } = context;
    await requireRecords(view, 'equipment', [...new Set(input.equipment_ids)], 'equipment_ids');
    const machines = new Map(
      (await view.getMany<EquipmentData>('records', ids)).map(({ id, data }) => [id, data.unit_number]),
    );
    const { until_ms, reads } = await readMachines((query) => context.readTelemetry(query), ids, {
      ...checked,
      project_id: view.project_id,
    });
    const series = await Promise.all(
      ids.map(async (equipment_id) => {
        const unit_number = machines.get(equipment_id) as string;
        const history_from = await context.historyEnds.through(equipment_id);
        const own = (reads.get(equipment_id) as TelemetryRead).series;
        return own.map((one) => ({
          equipment_id,
          unit_number,
          history_from,
          ...(input.points === 0 ? withoutColumns(one) : one),
        }));
      }),
    );
    const deleted = await Promise.all(
      ids.map(async (equipment_id) =>
        deletedIn(checked, await context.historyEnds.deleted(equipment_id)).map((one) => ({ equipment_id, ...one })),
      ),
    );
    return {
      object: 'telemetry',
      ...rangeFields(checked, until_ms, context),
      unreadable: [...reads.values()].reduce((sum, { unreadable }) => sum + unreadable, 0),
      series: series.flat(),
      deleted: deleted.flat(),
    };
  },
});
