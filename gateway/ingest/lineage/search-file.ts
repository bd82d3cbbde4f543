/** Finds a value or a frame in a log file, and decodes it again. */
import { LogFileError } from '#codec/log-types.ts';
import { LIMITS } from '#contract/base/limits.ts';
import type { GnssChannel } from '#contract/fleet/bus.ts';
import type { LineageStatus } from '#contract/fleet/lineage.ts';
import type { ClockCorrector } from '#domain/clock/clock-corrector.ts';
import { correctorOf, LogClock } from '#domain/clock/log-clock.ts';
import { gnssChannelsOf, gnssReaderOf } from '#domain/gnss/frames.ts';
import type { LineageSources, OpenedLog, Traced } from './lineage-types.ts';
import { type FoundValue, frameAt, type IsWanted, type RawFrame, ValueScan } from './value-scan.ts';

/**
 * The file to search. If `frame` is a number, the search returns only the frame with this number, counted from 0; if it is null, the search
 * examines all frames.
 */
interface Search {
  readonly artifact: string;
  readonly frame: number | null;
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
  { openLog, decodeCan, decodersOf }: LineageSources,
  { artifact, frame, isCorrected }: Search,
  isWanted: IsWanted,
  isIt: (value: FoundValue) => boolean,
): Promise<FoundInFile | LineageStatus> {
  try {
    const opened = await openLog(artifact);
    if (opened === undefined) return 'raw_gone';
    await using log = opened.log;
    const { dbc, channels } = decodersOf(opened.device ?? '');
    const known = gnssChannelsOf(log, channels);
    const clock = isCorrected ? await clockOf(openLog, artifact, known) : undefined;
    const scan = new ValueScan(decodeCan, { dbc, channels: known });
    let other: FoundInFile | undefined;
    let before = 0;
    for await (const batch of log.batches()) {
      const wanted: IsWanted = (evidence, decoded, observed_us) =>
        (frame === null || before + decoded.frame === frame) && isWanted(evidence, decoded, observed_us);
      const reported_us = clock?.correct(batch).reported_us;
      const values = scan
        .decode(batch, opened.received_ms * 1000, wanted)
        .map((one) => ({ ...one, frame: one.frame && asReported(one.frame, reported_us?.[one.index]) }));
      if (frame !== null && frame < before + batch.count)
        return foundIn(opened, artifact, frame, frameAt(batch, frame - before), values);
      const match = values.find(isIt);
      const first = match ?? (other === undefined ? values[0] : undefined);
      if (first !== undefined) other = foundIn(opened, artifact, before + first.index, first.frame, [first]);
      if (match !== undefined && other !== undefined) return other;
      before += batch.count;
      if (log.position > LIMITS.lineage_bytes.value) return other ?? 'too_much';
      await new Promise((resolve) => setImmediate(resolve));
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
): Promise<ClockCorrector | undefined> {
  const opened = await openLog(artifact);
  if (opened === undefined) return undefined;
  await using log = opened.log;
  const clock = new LogClock(gnssReaderOf(channels), opened.received_ms * 1000);
  try {
    for await (const batch of log.batches()) {
      clock.take(batch);
      if (log.position > LIMITS.lineage_bytes.value) break;
      await new Promise((resolve) => setImmediate(resolve));
    }
  } catch (error) {
    // The frames before the damage decide, as in the run. The search then fails at the damage, unless it finds the value before.
    if (!(error instanceof LogFileError)) throw error;
  }
  return correctorOf(clock.finish());
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
