/** The operation that reads the stored samples of a machine: checks its range and chooses the length of a step. */
import { OperationError } from '#contract/base/errors.ts';
import { LIMITS } from '#contract/base/limits.ts';
import { STEP_LADDER, type TelemetrySeries } from '#contract/fleet/telemetry.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Parsed } from '#contract/operations.ts';
import { requireRecord } from '#handlers/base/documents.ts';

const DAY_MS = 86_400_000;

interface Range {
  readonly from_ms: number;
  readonly to_ms: number;
}

const refuse = (param: string, message: string): never => {
  throw new OperationError('parameter_invalid', message, { param });
};

/** Returns the time range of a read; throws if the range is empty or too long. */
function rangeOf({ from, to }: Parsed<'equipment_telemetry'>, now_ms: number): Range {
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

/** Returns the length of a step in seconds, or null if the answer has the single samples. Throws if the answer would be too long. */
function stepOf({ resolution, points, signals }: Parsed<'equipment_telemetry'>, range: Range): number | null {
  if (resolution === 'auto') return STEP_LADDER.find((step) => stepsIn(range, step) <= points) ?? 86_400;
  if (resolution === 'raw') {
    const seconds = Math.ceil((range.to_ms - range.from_ms) / 1000);
    const most = Math.floor(LIMITS.telemetry_raw.value / signals.length);
    if (seconds > most)
      refuse(
        'resolution',
        `The range has ${seconds} seconds; a raw read of ${signals.length} signals has at most ${most}. Shorten the range, name fewer signals, or use \`resolution=auto\`.`,
      );
    return null;
  }
  const step = Number(resolution);
  if (86_400 % step !== 0)
    refuse('resolution', `A step of ${step} s does not divide a day. Use for example ${STEP_LADDER.join(', ')}.`);
  const steps = stepsIn(range, step);
  const most = LIMITS.telemetry_steps.value;
  if (steps > most)
    refuse(
      'resolution',
      `Steps of ${step} s are ${steps} steps per signal; at most ${most} are allowed. Use longer steps, a shorter range or \`resolution=auto\`.`,
    );
  return step;
}

function withoutColumns(series: TelemetrySeries): TelemetrySeries {
  const { value: _v, min: _a, min_t: _b, max: _c, max_t: _d, mean: _e, last: _f, count: _g, ...rest } = series;
  return { ...rest, t: [] };
}

/** Reads stored samples of a machine. */
export const equipmentTelemetryHandlers = handlerGroup(['readTelemetry'], {
  async equipment_telemetry(input, context) {
    const now_ms = Date.parse(context.now);
    const range = rangeOf(input, now_ms);
    const step_s = stepOf(input, range);
    const { view } = context;
    await requireRecord(view, 'equipment', input.id);
    const signals = [...new Set(input.signals)];
    const query = { project_id: view.project_id, equipment_id: input.id, signals, ...range, step_s, now_ms };
    const { until_ms, unreadable, series } = await context.readTelemetry(query);
    const truncated = until_ms < range.to_ms;
    return {
      object: 'telemetry',
      equipment_id: input.id,
      from: new Date(range.from_ms).toISOString(),
      to: new Date(range.to_ms).toISOString(),
      resolution: step_s === null ? 'raw' : 'steps',
      step_s,
      truncated,
      next_from: truncated ? new Date(until_ms).toISOString() : null,
      history_from: await context.historyEnds.through(input.id),
      unreadable,
      series: input.points === 0 ? series.map(withoutColumns) : [...series],
    };
  },
});
