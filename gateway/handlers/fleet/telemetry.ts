/** The operations that read the stored samples of machines: they check the range and choose the length of a step. */
import { OperationError } from '#contract/base/errors.ts';
import { LIMITS } from '#contract/base/limits.ts';
import type { TelemetryQuery, TelemetryRead } from '#contract/context.ts';
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

/** The input that the operations share. */
type ReadInput = Pick<Parsed<'telemetry_read'>, 'signals' | 'from' | 'to' | 'resolution' | 'points'>;

interface Range {
  readonly from_ms: number;
  readonly to_ms: number;
}

const refuse = (param: string, message: string): never => {
  throw new OperationError('parameter_invalid', message, { param });
};

/** Returns the time range of a read; throws if the range is empty or too long. */
function rangeOf({ from, to }: ReadInput, now_ms: number): Range {
  const to_ms = to === undefined ? now_ms : Date.parse(to);
  const from_ms = from === undefined ? Math.max(0, to_ms - DAY_MS) : Date.parse(from);
  if (from_ms >= to_ms) refuse('from', '`from` must be before `to`. Without `to`, the range ends now.');
  const days = (to_ms - from_ms) / DAY_MS;
  const most = LIMITS.telemetry_days.value;
  if (days > most)
    refuse(
      'from',
      `The range has ${Math.ceil(days)} days; one read has at most ${most}. Read shorter ranges one after another.`,
    );
  return { from_ms, to_ms };
}

/** Returns the number of steps of this length that overlap the range. */
const stepsIn = ({ from_ms, to_ms }: Range, step_s: number): number =>
  Math.ceil(to_ms / (step_s * 1000)) - Math.floor(from_ms / (step_s * 1000));

/**
 * Returns the length of a step in seconds, or null if the answer has the single samples. `count` is the number of series of the answer.
 * Throws if the answer would be too long.
 */
function stepOf({ resolution, points }: ReadInput, count: number, range: Range): number | null {
  const most = Math.min(LIMITS.telemetry_steps.value, Math.floor(MAX_STEPS / count));
  if (resolution === 'auto')
    return STEP_LADDER.find((step) => stepsIn(range, step) <= Math.min(points, most)) ?? 86_400;
  if (resolution === 'raw') {
    const seconds = Math.ceil((range.to_ms - range.from_ms) / 1000);
    const samples = Math.floor(LIMITS.telemetry_raw.value / count);
    if (seconds > samples)
      refuse(
        'resolution',
        `The range has ${seconds} seconds; a raw read of ${count} series has at most ${samples}. Shorten the range, name fewer signals, or use \`resolution=auto\`.`,
      );
    return null;
  }
  const step = Number(resolution);
  if (86_400 % step !== 0)
    refuse('resolution', `A step of ${step} s does not divide a day. Use for example ${STEP_LADDER.join(', ')}.`);
  const steps = stepsIn(range, step);
  if (steps > most)
    refuse(
      'resolution',
      `Steps of ${step} s are ${steps} steps per series; with ${count} series at most ${most} are allowed. Use longer steps, a shorter range or \`resolution=auto\`.`,
    );
  return step;
}

function withoutColumns(series: TelemetrySeries): TelemetrySeries {
  const { value: _v, min: _a, min_t: _b, max: _c, max_t: _d, mean: _e, last: _f, count: _g, ...rest } = series;
  return { ...rest, t: [] };
}

/** A read that was checked: its signals, its range and the length of its steps. */
type Checked = Omit<TelemetryQuery, 'project_id' | 'equipment_id'>;

function checkedRead(input: ReadInput, machines: number, now: string): Checked {
  const now_ms = Date.parse(now);
  const range = rangeOf(input, now_ms);
  const signals = [...new Set(input.signals)];
  return { signals, ...range, step_s: stepOf(input, machines * signals.length, range), now_ms };
}

/** Returns the fields of an answer that say which part of the range it covers. */
function rangeFields({ from_ms, to_ms, step_s }: Checked, until_ms: number) {
  const truncated = until_ms < to_ms;
  const resolution: 'raw' | 'steps' = step_s === null ? 'raw' : 'steps';
  return {
    from: new Date(from_ms).toISOString(),
    to: new Date(to_ms).toISOString(),
    resolution,
    step_s,
    truncated,
    next_from: truncated ? new Date(until_ms).toISOString() : null,
  };
}

/** Returns the deleted ranges that overlap a read. */
function deletedIn({ from_ms, to_ms }: Checked, ranges: readonly DeletedRange[]): DeletedRange[] {
  return ranges.filter(({ from, to }) => Date.parse(from) < to_ms && Date.parse(to) >= from_ms);
}

/** Operations that read stored values of machines. */
export const telemetryReadHandlers = handlerGroup(['readTelemetry'], {
  async equipment_telemetry(input, context) {
    const checked = checkedRead(input, 1, context.now);
    const { view } = context;
    await requireRecord(view, 'equipment', input.id);
    const query = { ...checked, project_id: view.project_id, equipment_id: input.id };
    const { until_ms, unreadable, series } = await context.readTelemetry(query);
    return {
      object: 'telemetry',
      equipment_id: input.id,
      ...rangeFields(checked, until_ms),
      history_from: await context.historyEnds.through(input.id),
      deleted: deletedIn(checked, await context.historyEnds.deleted(input.id)),
      unreadable,
      series: input.points === 0 ? series.map(withoutColumns) : [...series],
    };
  },

  async telemetry_read(input, context) {
    const ids = [...new Set(input.equipment_ids)];
    const signals = new Set(input.signals).size;
    const most = LIMITS.telemetry_series.value;
    if (ids.length * signals > most)
      refuse(
        'equipment_ids',
        `${ids.length} machines with ${signals} signals are ${ids.length * signals} series; one read has at most ${most}. Name fewer machines or signals.`,
      );
    const checked = checkedRead(input, ids.length, context.now);
    const { view } = context;
    await requireRecords(view, 'equipment', ids, 'equipment_ids');
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
      ...rangeFields(checked, until_ms),
      unreadable: [...reads.values()].reduce((sum, { unreadable }) => sum + unreadable, 0),
      series: series.flat(),
      deleted: deleted.flat(),
    };
  },
});
