/**
 * Finds the raw message from which a number came. A `ref` is the text that names a message or a sample.
 *
 *   ref of a message   segment, offset, frame  ─▶ the message in the journal ─▶ its values, decoded again
 *   ref of a sample    machine, signal, second ─▶ the stored sample ─▶ its origin and parts of the journal ─▶ the first message with this value
 */
import { LIMITS } from '#contract/base/limits.ts';
import type { SignalName } from '#contract/base/signals.ts';
import type { DbcFileData } from '#contract/fleet/dbc.ts';
import type { LineageStatus } from '#contract/fleet/lineage.ts';
import { openLayout } from '#domain/dbc/mapping.ts';
import type { Origin, ParameterOrigin } from '#domain/history/origins.ts';
import type { RawRange } from '#domain/history/samples.ts';
import { type Evidence, parameterOrigin } from '#domain/machine/evidence.ts';
import { TimeSlice } from '#history/time-slice.ts';
import { positionOf, positionOfRef, refOf } from '#ingest/journal/position.ts';
import type { RecordReader } from '#ingest/journal/record.ts';
import type { Search } from '#ingest/journal/segment-folder.ts';
import type { LineageSources, Traced, TracedMessage } from './lineage-types.ts';
import { searchFile } from './search-file.ts';
import { findSample, type StoredSample } from './stored-sample.ts';
import { type FoundValue, type IsWanted, type RawFrame, ValueScan } from './value-scan.ts';

/**
 * A value may come from a multi-packet message, and the first frames of this message arrive before the value is complete. So the search
 * begins to decode messages this many milliseconds before the second of the sample.
 */
const LEAD_MS = 10_000;

/** The place of a message in the journal, and one of its frames. If `frame` is null, the place means all frames of the message. */
export interface MessagePlace {
  readonly segment: number;
  readonly offset: number;
  readonly frame: number | null;
}

/**
 * Yields a reader at each wanted message between two positions of the journal, and perhaps at a few other messages; the message at the end
 * position is not included. Between two groups (messages that were written together) other work can run.
 */
async function* messages(
  journal: LineageSources['journal'],
  of: Search,
): AsyncGenerator<{ readonly reader: RecordReader; readonly position: number } | 'too_much'> {
  const until = Math.min(of.until, journal.end);
  const slice = new TimeSlice();
  let searched = 0;
  for await (const { reader, bytes } of journal.search({ ...of, until })) {
    while (reader.next()) {
      const position = positionOf(reader.segment, reader.offset);
      if (position >= until) return;
      if (position >= of.from) yield { reader, position };
    }
    searched += bytes;
    if (searched > LIMITS.lineage_bytes.value) yield 'too_much';
    await slice.rest();
  }
}

/** A frame of a log file. */
export interface FilePlace {
  readonly artifact: string;
  readonly frame: number;
}

/** Finds a frame of a log file. Returns undefined if the project does not have this file, or if the file does not have this frame. */
export async function traceFrame(sources: LineageSources, place: FilePlace): Promise<Traced | undefined> {
  const found = await searchFile(
    sources,
    { ...place, second: null, isCorrected: false },
    () => true,
    () => true,
  );
  if (found === 'raw_gone') return undefined;
  return typeof found === 'string' ? { status: found, message: null, sample: null } : { ...found, sample: null };
}

/** Finds a message. Returns undefined if the project of the view has no message at this place of the journal. */
export async function traceMessage(
  sources: LineageSources,
  { segment, offset, frame }: MessagePlace,
): Promise<Traced | undefined> {
  const { view, journal, decodeCan } = sources;
  const position = positionOf(segment, offset);
  if (position < journal.start) return { status: 'raw_gone', message: null, sample: null };
  const place = { from: position, until: position + 1, device: null, since_ms: Number.NEGATIVE_INFINITY };
  for await (const one of messages(journal, place)) {
    if (one === 'too_much') return { status: 'too_much', message: null, sample: null };
    const { reader } = one;
    if (reader.device.project_id !== view.project_id) return undefined;
    // A value that is shown now may have been decoded with a version of a DBC file that is no longer active.
    const dbc = frame === null ? null : sources.dbcOf(reader.machine ?? null, refOf(position, frame));
    const { decodersOf } = await withDbcOf(sources, { dbc });
    const scan = new ValueScan(decodeCan, decodersOf(reader.device.device));
    const values = scan.read(reader, (_, { frame: index }) => frame === null || index === frame);
    const shown = frame === null ? null : (scan.frameOf(frame) ?? null);
    if (frame !== null && shown === null && values.length === 0) return undefined;
    const message = messageOf(reader, one.position, frame, shown, values);
    return { status: 'found', message, sample: null, decodersOf };
  }
  return undefined;
}

function messageOf(
  reader: RecordReader,
  position: number,
  frame: number | null,
  shown: RawFrame | null,
  values: readonly FoundValue[],
): TracedMessage {
  const { device, machine, topic, received_at_ms } = reader;
  return {
    ref: frame === null || topic !== 'can' ? refOf(position) : refOf(position, frame),
    device: device.device,
    // A person reads the meter of a machine, and the sender of this message is the machine.
    machine: topic === 'meter' ? device.device : (machine ?? null),
    topic,
    received_ms: received_at_ms,
    frame: shown,
    values,
  };
}

const SOURCE = ['bus', 'sa', 'pgn', 'spn', 'dbc'] as const satisfies readonly (keyof ParameterOrigin)[];

/** True if the value came from the parameter and control unit of the origin. */
function comesFrom(origin: Origin, evidence: Evidence, bus: number, sa: number): boolean {
  const own = parameterOrigin(evidence, bus, sa);
  return SOURCE.every((field) => own[field] === origin[field]);
}

/**
 * Returns the sources with the version of a DBC file that decoded the samples of this origin. The version may be inactive now; the store
 * keeps each version with its mapping. Returns the same sources if no DBC file decoded the samples, or if the version was deleted.
 */
async function withDbcOf(sources: LineageSources, { dbc }: Pick<Origin, 'dbc'>): Promise<LineageSources> {
  if (dbc === null) return sources;
  // The text has the id of the version, a space, and the names of message and signal (`LiveTarget.source`).
  const [id = ''] = dbc.split(' ', 1);
  const stored = await sources.view.get<DbcFileData>('records', id);
  if (stored?.object !== 'dbc_file') return sources;
  const { layout, mapping } = stored.data;
  const file = openLayout(id, layout, mapping);
  return { ...sources, decodersOf: (device) => ({ ...sources.decodersOf(device), dbc: [file] }) };
}

/** Finds a stored sample and the message from which it came. Returns undefined if there is no such sample. */
export async function traceSample(
  given: LineageSources,
  of: { readonly equipment_id: string; readonly signal: SignalName; readonly second: number },
): Promise<Traced | undefined> {
  const sample = await findSample(given.view, given.memory(of.equipment_id), of);
  if (sample === undefined) return undefined;
  const { origin, raw } = sample;
  const sources = await withDbcOf(given, origin);
  const { decodersOf } = sources;
  if (origin.artifact !== null) {
    const { artifact, clock } = origin;
    const search = { artifact, frame: null, second: of.second, isCorrected: clock !== undefined } as const;
    const found = await searchFile(sources, search, wanted(of, origin), (one) => Object.is(one.value, sample.value));
    return typeof found === 'string' ? { status: found, message: null, sample } : { ...found, sample, decodersOf };
  }
  if (origin.device === null || raw.length === 0) return { status: 'no_origin', message: null, sample };
  const found = await searchRanges(sources, of, sample, raw);
  if (typeof found === 'string') return { status: found, message: null, sample };
  return { status: 'found', message: found, sample, decodersOf };
}

/** Selects the values of a signal and second that came from this origin. */
const wanted =
  ({ signal, second }: { readonly signal: SignalName; readonly second: number }, origin: Origin): IsWanted =>
  (evidence, { bus, sa }, observed_us) =>
    evidence.signal === signal &&
    Math.floor(observed_us / 1_000_000) === second &&
    comesFrom(origin, evidence, bus, sa);

/**
 * Searches these parts of the journal for the first message of the device that has this value. If no message has exactly this value,
 * returns the first message with a value of the same signal, second and origin.
 */
async function searchRanges(
  { journal, decodeCan, decodersOf }: LineageSources,
  { signal, second }: { readonly signal: SignalName; readonly second: number },
  { value, origin }: StoredSample,
  raw: readonly RawRange[],
): Promise<TracedMessage | LineageStatus> {
  const device = origin.device as string;
  const isWanted = wanted({ signal, second }, origin);
  let other: TracedMessage | undefined;
  let isGone = false;
  for (const range of raw) {
    const [from, to] = range.map(positionOfRef) as [number, number];
    if (from < journal.start) isGone = true;
    if (to < journal.start) continue;
    const scan = new ValueScan(decodeCan, decodersOf(device), second);
    // A value is observed before its message arrives. So a message that arrived more than `LEAD_MS` before the second of the sample cannot
    // have the value.
    const search = { from: Math.max(from, journal.start), until: to, device, since_ms: second * 1000 - LEAD_MS };
    for await (const one of messages(journal, search)) {
      if (one === 'too_much') return other ?? 'too_much';
      const { reader, position } = one;
      if (reader.device.device !== device || reader.received_at_ms < search.since_ms) continue;
      for (const found of scan.read(reader, isWanted)) {
        const message = messageOf(reader, position, found.index, found.frame, [found]);
        if (Object.is(found.value, value)) return message;
        other ??= message;
      }
    }
  }
  return other ?? (isGone ? 'raw_gone' : 'decoder_gone');
}
