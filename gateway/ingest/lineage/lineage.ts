/**
 * Builds the answer of a trace (the search for the raw message from which a number was decoded): the stored sample, its raw message, and
 * the decoding step by step.
 */

import { signalRow } from '#contract/base/signals.ts';
import { textOf } from '#contract/base/told.ts';
import type { LineageQuery } from '#contract/context.ts';
import type { Lineage } from '#contract/fleet/lineage.ts';
import type { SampleClock } from '#domain/base/sample-clock.ts';
import { correctionWords } from '#domain/clock/clock-words.ts';
import { hexOf, identifierOf, stepsOf } from './decoding-steps.ts';
import type { LineageSources, Traced, TracedMessage } from './lineage-types.ts';
import { traceFrame, traceMessage, traceSample } from './trace.ts';

/** The fields of the API answer that are computed from the trace. */
export type LineageAnswer = Omit<Lineage, 'object' | 'ref' | 'message'>;

/** Largest number of values in one answer. Only a message as a whole can have more values; a single frame has fewer. */
const MOST_VALUES = 100;

const timeOf = (ms: number): string => new Date(ms).toISOString();

/**
 * Returns the lineage of a message or sample: how its values were decoded, and from which data. Returns undefined if the project has no
 * such message or sample.
 */
export async function readLineage(sources: LineageSources, query: LineageQuery): Promise<LineageAnswer | undefined> {
  const isSample = 'signal' in query;
  const traced = isSample
    ? await traceSample(sources, query)
    : 'artifact' in query
      ? await traceFrame(sources, query)
      : await traceMessage(sources, query);
  if (traced === undefined) return undefined;
  const { status, message } = traced;
  const artifact_id = 'artifact' in query ? query.artifact : (traced.sample?.origin.artifact ?? null);
  return {
    status,
    gap: status === 'raw_gone' ? gapOf(sources.journal.stats().oldest_ms, artifact_id) : null,
    equipment_id: isSample ? query.equipment_id : (message?.machine ?? null),
    sample: isSample ? sampleOf(query, traced) : null,
    ...sourceOf(traced.decodersOf ?? sources.decodersOf, message, traced.sample?.origin.clock),
  };
}

/** Names the deleted raw data: a log file, or everything that the journal received before its oldest message. */
function gapOf(oldest_ms: number | null, artifact_id: string | null): Lineage['gap'] {
  const isJournal = artifact_id === null && oldest_ms !== null;
  return { artifact_id, until: isJournal ? timeOf(oldest_ms) : null };
}

function sampleOf(
  { signal, second }: { readonly signal: Parameters<typeof signalRow>[0]; readonly second: number },
  { sample }: Traced,
): Lineage['sample'] {
  if (sample === null) return null;
  const { device, run, artifact, bus, sa, pgn, spn, dbc, clock } = sample.origin;
  return {
    signal,
    observed_at: timeOf(second * 1000),
    value: sample.value,
    unit: signalRow(signal).unit,
    origin: {
      // The handler reads the task of the run.
      ...{
        device_id: device,
        run_id: run,
        task_id: null,
        artifact_id: artifact,
        bus,
        source_address: sa,
        pgn,
        spn,
        dbc,
      },
      clock: clock?.clock ?? 'device',
      correction_ms: clock?.correction_ms ?? 0,
      uncertainty_ms: clock?.uncertainty_ms ?? null,
    },
  };
}

function sourceOf(
  decodersOf: LineageSources['decodersOf'],
  message: TracedMessage | null,
  clock: SampleClock | undefined,
): Pick<Lineage, 'source' | 'frame' | 'point' | 'values'> {
  if (message === null) return { source: null, frame: null, point: null, values: [] };
  const { ref, device, topic, received_ms, frame, values } = message;
  const { dbc } = decodersOf(device);
  const corrected = clock === undefined ? [] : [textOf(correctionWords(clock))];
  return {
    source: { ref, device_id: device, topic, received_at: timeOf(received_ms) },
    frame: frame && {
      observed_at: timeOf(Math.floor(frame.t_us / 1000)),
      bus: frame.bus,
      identifier: identifierOf(frame),
      data: hexOf(frame.data),
    },
    point: values[0]?.point ?? null,
    values: values.slice(0, MOST_VALUES).map((found) => {
      const { signal } = found.evidence;
      const { unit } = signalRow(signal);
      return { signal, unit, value: found.value, raw: found.raw, steps: [...stepsOf(found, dbc), ...corrected] };
    }),
  };
}
