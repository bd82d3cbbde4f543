/** The operations that find the raw CAN frame from which a number came, and explain how it was decoded. */
import { OperationError } from '#contract/base/errors.ts';
import { isSignal } from '#contract/base/signals.ts';
import type { HandlerContext, LineageQuery } from '#contract/context.ts';
import { LINEAGE_STATUS, type Lineage } from '#contract/fleet/lineage.ts';
import { handlerGroup } from '#contract/handler.ts';
import { requireRecord } from '#handlers/base/documents.ts';

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

async function lineageOf(ref: string, context: HandlerContext<'lineage'>): Promise<Lineage> {
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
  return { object: 'lineage', ref, message: LINEAGE_STATUS[found.status], ...found };
}

/** Returns the lineage of a number: the raw data from which it came, and how it was decoded. */
export const lineageHandlers = handlerGroup(['lineage'], {
  async lineage_get({ ref }, context) {
    return lineageOf(ref, context);
  },
  async lineage_replay({ ref }, context) {
    const { status, message, sample, values } = await lineageOf(ref, context);
    const stored = sample?.value ?? null;
    const recomputed = values[0]?.value ?? null;
    const equal = stored === null || recomputed === null ? null : Object.is(stored, recomputed);
    return { object: 'lineage_replay', ref, status, message, stored, recomputed, equal };
  },
});
