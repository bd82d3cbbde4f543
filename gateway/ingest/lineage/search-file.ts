/** Finds a value or a frame in a log file, and decodes it again. */
import { LogFileError } from '#codec/log-types.ts';
import { LIMITS } from '#contract/base/limits.ts';
import type { GnssChannel } from '#contract/fleet/bus.ts';
import type { LineageStatus } from '#contract/fleet/lineage.ts';
import { correctorOf, LogClock, type LogClockResult } from '#domain/clock/log-clock.ts';
import { gnssChannelsOf, gnssReaderOf } from '#domain/gnss/frames.ts';
import { TimeSlice } from '#history/time-slice.ts';
import type { LineageSources, OpenedLog, Traced } from './lineage-types.ts';
import { type FoundValue, frameAt, type IsWanted, type RawFrame, ValueScan } from './value-scan.ts';

/**
 * The file to search, and what to search: the frame with the number `frame`, counted from 0; if it is null, values of the second `second`.
 */
type Search = SearchedFile &
  ({ readonly frame: number; readonly second: null } | { readonly frame: null; readonly second: number });

interface SearchedFile {
  readonly artifact: string;
  /** True if the times of the searched sample were corrected. The search then corrects the times of the frames in the same way. */
  readonly isCorrected: boolean;
}

/** A found frame with its values. */
type FoundInFile = Pick<Traced, 'status' | 'message'>;

/**
 * Searches a log file. If `frame` is a number, returns this frame. Otherwise returns the first value for which `isWanted` and `isIt` are
 * true; if there is none, the first value for which `isWanted` is true. If nothing is found, returns a status that says why, for example
 * `raw_gone` if the project no longer has the file or the file has no such frame.
 */
export async function searchFile(
  { openLog, decodeCan, decodersOf, logs }: LineageSources,
  { artifact, frame, second, isCorrected }: Search,
  isWanted: IsWanted,
  isIt: (value: FoundValue) => boolean,
): Promise<FoundInFile | LineageStatus> {
  try {
    const opened = await openLog(artifact);
    if (opened === undefined) return 'raw_gone';
    await using log = opened.log;
    const { dbc, channels } = decodersOf(opened.device ?? '');
    const known = gnssChannelsOf(log, channels);
    const received_us = opened.received_ms * 1000;
    const file = logs.of(isCorrected ? `${artifact} ${JSON.stringify(known)}` : artifact);
    if (isCorrected) file.clock ??= await clockOf(openLog, artifact, known);
    const clock = file.clock && correctorOf(file.clock);
    const scan = new ValueScan(decodeCan, { dbc, channels: known }, second ?? undefined);
    const from = frame === null ? file.placeOfSecond(second) : file.placeOfFrame(frame);
    let other: FoundInFile | undefined;
    let before = from?.frames ?? 0;
    clock?.skipTo(before);
    const slice = new TimeSlice();
    for await (const batch of log.batches(from)) {
      const wanted: IsWanted = (evidence, decoded, observed_us) =>
        (frame === null || before + decoded.frame === frame) && isWanted(evidence, decoded, observed_us);
      const reported_us = clock?.correct(batch).reported_us;
      file.add(log.place, batch, received_us);
      const values = scan
        .decode(batch, received_us, wanted)
        .map((one) => ({ ...one, frame: one.frame && asReported(one.frame, reported_us?.[one.index]) }));
      if (frame !== null && frame < before + batch.count)
        return foundIn(opened, artifact, frame, frameAt(batch, frame - before), values);
      const match = values.find(isIt);
      const first = match ?? (other === undefined ? values[0] : undefined);
      if (first !== undefined) other = foundIn(opened, artifact, before + first.index, first.frame, [first]);
      if (match !== undefined && other !== undefined) return other;
      before += batch.count;
      if (log.position > LIMITS.lineage_bytes.value) return other ?? 'too_much';
      await slice.rest();
    }
    return other ?? (frame === null ? 'decoder_gone' : 'raw_gone');
  } catch (error) {
    if (error instanceof LogFileError) return 'file';
    throw error;
  }
}

/** Returns the frame with the time that the logger reported. */
const asReported = (frame: RawFrame, t_us = frame.t_us): RawFrame => ({ ...frame, t_us });

/**
 * Judges the clock of the log in the same way as the run that decoded the log. It reads as much of the log as the search reads; so close to
 * the end of that part the correction may differ a little from the correction of the run.
 */
async function clockOf(
  openLog: LineageSources['openLog'],
  artifact: string,
  channels: readonly GnssChannel[],
): Promise<LogClockResult | undefined> {
  const opened = await openLog(artifact);
  if (opened === undefined) return undefined;
  await using log = opened.log;
  const clock = new LogClock(gnssReaderOf(channels), opened.received_ms * 1000);
  const slice = new TimeSlice();
  try {
    for await (const batch of log.batches()) {
      clock.take(batch);
      if (log.position > LIMITS.lineage_bytes.value) break;
      await slice.rest();
    }
  } catch (error) {
    // The frames before the damage decide, as in the run. The search then fails at the damage, unless it finds the value before.
    if (!(error instanceof LogFileError)) throw error;
  }
  return clock.finish();
}

function foundIn(
  { device, received_ms }: OpenedLog,
  artifact: string,
  frame: number,
  raw: RawFrame | null,
  values: readonly FoundValue[],
): FoundInFile {
  const ref = `${artifact}#${frame}`;
  const message = { ref, device: device ?? '', machine: null, topic: 'file', received_ms, frame: raw, values };
  return { status: 'found', message };
}
