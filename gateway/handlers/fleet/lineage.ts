/** The operations that find the raw CAN frame from which a number came, and explain how it was decoded. */
import { OperationError } from '#contract/base/errors.ts';
import { isSignal } from '#contract/base/signals.ts';
import type { HandlerContext, LineageQuery, Meters } from '#contract/context.ts';
import { LINEAGE_STATUS, type Lineage } from '#contract/fleet/lineage.ts';
import { METER_SIGNALS, meterSignal, segmentAt, totalAt } from '#contract/fleet/meter.ts';
import { handlerGroup } from '#contract/handler.ts';
import { requireRecord } from '#handlers/base/documents.ts';
import { tasksOfRuns } from '#handlers/base/run-tasks.ts';

/**
 * Parses a `ref`, the text that names a message or a sample. The schema has already checked its form. Throws if it names a signal that does
 * not exist.
 */
function queryOf(ref: string, project_id: string): LineageQuery {
  const [artifact = '', index] = ref.split('#');
  if (artifact.startsWith('art_')) return { project_id, artifact, frame: Number(index) };
  const [first = '', second = '', third] = ref.split(':');
  if (third === undefined) {
    const [offset, frame] = second.split('#');
    return {
      project_id,
      segment: Number(first),
      offset: Number(offset),
      frame: frame === undefined ? null : Number(frame),
    };
  }
  if (!isSignal(second))
    throw new OperationError('parameter_invalid', `\`${second}\` is no signal. docs/signals.md lists the signals.`, {
      param: 'ref',
    });
  return { project_id, equipment_id: first, signal: second, second: Number(third) };
}

/**
 * Adds a step to each value of a meter: the offset that made the total of the machine from this reading, and why. Without an offset there
 * is no further step.
 */
function withTotals(
  { equipment_id, values, frame, sample, source }: Omit<Lineage, 'object' | 'ref' | 'message'>,
  meters: Meters,
): Lineage['values'] {
  const at = frame?.observed_at ?? sample?.observed_at ?? source?.received_at;
  if (equipment_id === null || at === undefined || source?.topic === 'meter') return values;
  const known = values.some(({ signal }) => METER_SIGNALS.some((name) => name === signal))
    ? meters.of(equipment_id)
    : [];
  return values.map((value) => {
    const segments = known.find(({ kind }) => meterSignal(kind) === value.signal)?.segments ?? [];
    const segment = segmentAt(segments, Date.parse(at));
    if (segment === undefined || segment.offset === 0) return value;
    const { id, offset, opened_because, by, reason } = segment;
    const why = reason === null ? opened_because : `${opened_because} by ${by?.name ?? 'a person'}: ${reason}`;
    const total = totalAt(segments, Date.parse(at), value.value);
    const step = `Segment ${id} of the meter (${why}) adds the offset ${offset} ${value.unit}, so the total of the machine is ${total} ${value.unit}.`;
    return { ...value, steps: [...value.steps, step] };
  });
}

async function lineageOf(ref: string, context: HandlerContext<'lineage' | 'meters'>): Promise<Lineage> {
  const query = queryOf(ref, context.view.project_id);
  if ('signal' in query) await requireRecord(context.view, 'equipment', query.equipment_id);
  const found = await context.lineage(query);
  if (found === undefined)
    throw new OperationError(
      'not_found',
      'signal' in query
        ? `The machine has no stored sample of ${query.signal} in this second. Samples have whole seconds; read them with \`resolution=raw\`.`
        : 'artifact' in query
          ? 'The project has no such log file, or the file has no such frame.'
          : 'The raw journal has no message of this project at this place.',
    );
  const values = withTotals(found, context.meters);
  const { sample } = found;
  const tasks = await tasksOfRuns(context.view, [sample?.origin.run_id ?? null]);
  const task_id = tasks.get(sample?.origin.run_id ?? '') ?? null;
  const told = sample === null ? null : { ...sample, origin: { ...sample.origin, task_id } };
  const until = found.gap?.until ?? null;
  const reach = until === null ? '' : ` The journal has no message that was received before ${until}.`;
  return { object: 'lineage', ref, message: LINEAGE_STATUS[found.status] + reach, ...found, sample: told, values };
}

/** Returns the lineage of a number: the raw data from which it came, and how it was decoded. */
export const lineageHandlers = handlerGroup(['lineage', 'meters'], {
  async lineage_get({ ref }, context) {
    return lineageOf(ref, context);
  },
  async lineage_replay({ ref }, context) {
    const { status, message, gap, sample, values } = await lineageOf(ref, context);
    const stored = sample?.value ?? null;
    const recomputed = values[0]?.value ?? null;
    const equal = stored === null || recomputed === null ? null : Object.is(stored, recomputed);
    return { object: 'lineage_replay', ref, status, message, gap, stored, recomputed, equal };
  },
});
