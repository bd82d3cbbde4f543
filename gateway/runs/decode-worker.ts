/**
 * The thread of a decode run: reads one file and sends the decoded parts to the main thread. At most WINDOW parts may be unanswered at a
 * time.
 *
 *   file -> frames -> trusted clocks in the log -> correction of its times
 *   file -> frames -> parts, as messages of the journal -> port     (waits while WINDOW parts are unanswered)
 *
 * The thread reads the file twice, because a receiver may know the time only minutes after the log begins.
 */
import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { type LogFile, LogFileError, openLogFile } from '#bridge/log-file.ts';
import { correctorOf, LogClock, type LogClockResult } from '#domain/clock/log-clock.ts';
import { openLayout } from '#domain/dbc/mapping.ts';
import { gnssChannelsOf, gnssReaderOf } from '#domain/gnss/frames.ts';
import { createDecoder } from '#domain/j1939/decode.ts';
import { conversionOf } from '#domain/j1939/faults.ts';
import { createRecording, type Recording } from '#domain/logs/recording.ts';
import { encodeRecording } from '#domain/logs/recording-message.ts';
import type { RecordingPart } from '#domain/logs/recording-share.ts';
import type { DecodeAnswer, DecodeJob, DecodeProgress, DecodeReport } from './decode-job.ts';

/** The largest number of parts that the thread sends before the main thread has answered them. */
const WINDOW = 4;
const PROGRESS_MS = 500;
/** The first reading of the file, for its clock, is this share of the work. */
const CLOCK_SHARE = 0.5;

// On Linux `setPriority` sets the priority of this thread only. On other systems it would set the priority of the whole process.
if (process.platform === 'linux') setPriority(0, constants.priority.PRIORITY_LOW);

const port = parentPort;
if (port === null) throw new Error('decode-worker.ts must run as a worker thread');
const job = workerData as DecodeJob;

let open = 0;
let taken = Promise.withResolvers<void>();
port.on('message', () => {
  open--;
  taken.resolve();
  taken = Promise.withResolvers<void>();
});

const post = (answer: DecodeAnswer, transfer: ArrayBuffer[] = []) => port.postMessage(answer, transfer);

async function hand(part: RecordingPart): Promise<void> {
  while (open >= WINDOW) await taken.promise;
  open++;
  const { artifact, run } = job;
  const bytes = encodeRecording({ artifact, run, ...part });
  post({ part: bytes }, [bytes.buffer as ArrayBuffer]);
}

let reportedAt = performance.now();

/** Sends the progress to the main thread, at limited intervals. */
function tell(progress: DecodeProgress): void {
  if (performance.now() - reportedAt < PROGRESS_MS) return;
  reportedAt = performance.now();
  post({ progress });
}

/** Reads the whole file, and judges the clock of the logger. If the file is damaged, the frames before the damage decide. */
async function judgeClock(): Promise<LogClockResult> {
  const { path, passwords, timezone, received_us } = job;
  await using log = await openLogFile(path, { passwords, timezone });
  const clock = new LogClock(gnssReaderOf(gnssChannelsOf(log, job.gnss)), received_us);
  try {
    for await (const batch of log.batches()) {
      clock.take(batch);
      tell({ frames: 0, at_us: null, share: (CLOCK_SHARE * log.position) / log.size_bytes });
    }
  } catch (error) {
    // The thread reads the file again, and then reports this error with the frames that it could read.
    if (!(error instanceof LogFileError)) throw error;
  }
  return clock.finish();
}

function reportOf({ summary }: Recording, log: LogFile, clock: LogClockResult): DecodeReport {
  const { identities, faults, ...rest } = summary;
  return {
    format: log.format,
    info: log.info,
    ...rest,
    clock,
    identities: [...identities.values()],
    faults: [...faults.values()],
    gaps: [...log.gaps],
    unparsable: log.counters.unparsable,
    skipped: log.counters.skipped,
    late: log.counters.late,
    cpu_ms: process.threadCpuUsage().user / 1000,
  };
}

async function decode(): Promise<DecodeAnswer> {
  const { path, passwords, timezone, device, received_us, spans, conversion } = job;
  const judged = await judgeClock();
  await using log = await openLogFile(path, { passwords, timezone });
  const decoder = createDecoder({ conversion: (bus, sa) => conversionOf(conversion, bus, sa) });
  const dbc = job.dbc.map(({ id, layout, mapping }) => openLayout(id, layout, mapping));
  const clock = correctorOf(judged);
  const recording = createRecording({
    decoder,
    dbc,
    gnss: gnssChannelsOf(log, job.gnss),
    ...(clock === undefined ? {} : { clock }),
    device,
    received_us,
    spans,
  });
  for await (const batch of log.batches()) {
    recording.decode(batch);
    for (const part of recording.take()) await hand(part);
    const { frames, to_us } = recording.summary;
    tell({ frames, at_us: to_us, share: CLOCK_SHARE + ((1 - CLOCK_SHARE) * log.position) / log.size_bytes });
  }
  for (const part of recording.take(true)) await hand(part);
  const trap = log.gaps.find(({ code }) => code === 'too_dense');
  if (trap !== undefined) {
    const read = recording.summary.frames.toLocaleString('en');
    return {
      failed: {
        code: 'too_dense',
        message: `${trap.message} The first ${read} frames were read, and their values stay stored.`,
      },
    };
  }
  return { done: reportOf(recording, log, judged) };
}

try {
  post(await decode());
} catch (error) {
  if (!(error instanceof LogFileError)) throw error;
  post({ failed: { code: error.code, message: error.message } });
}
port.close();
