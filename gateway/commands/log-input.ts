/** Opens a log for a command, from a file or from standard input. An error becomes a message for the user and an exit code. */
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type LogFile, LogFileError, type LogFileErrorCode, openLogFile } from '#bridge/log-file.ts';
import { isTimeZone } from '#contract/base/zones.ts';
import type { FrameBatch } from '#contract/fleet/frame.ts';
import { EXIT } from '#process/supervisor.ts';
import { CommandError } from './command-line.ts';

/** Codes of errors that the user can avoid with other arguments; they give the exit code for wrong usage. */
const USAGE: ReadonlySet<LogFileErrorCode> = new Set([
  'not_found',
  'not_a_log',
  'empty',
  'unsupported',
  'password_needed',
  'wrong_password',
]);

/** Name of standard input in messages to the user. */
const STANDARD_INPUT = 'standard input';

/** Arguments of every command that reads a log. */
export interface LogArgs {
  readonly password?: string | undefined;
  /** IANA time zone for dates without a zone; default UTC. */
  readonly timezone?: string | undefined;
}

/** An open log, and its name in messages to the user. */
export interface LogInput extends AsyncDisposable {
  readonly name: string;
  readonly log: LogFile;
  /**
   * Returns the frames; each call starts at the beginning of the log. Rejects with a `CommandError`. The counters of `log` count only the
   * frames of the first call.
   */
  batches(): AsyncIterable<FrameBatch>;
}

/**
 * Opens the file. For `-` it copies standard input to a temporary file first, because some formats need reads at any offset.
 */
export async function openLogInput(path: string, { password, timezone = 'UTC' }: LogArgs): Promise<LogInput> {
  if (!isTimeZone(timezone))
    throw new CommandError(
      `--timezone must be the name of a time zone, such as Europe/Berlin; ${timezone} is no time zone.`,
      EXIT.usage,
    );
  await using opened = new AsyncDisposableStack();
  let file = path;
  if (path === '-') {
    const folder = await mkdtemp(join(tmpdir(), 'headframe-input-'));
    opened.defer(() => rm(folder, { recursive: true, force: true }));
    file = join(folder, 'log');
    // The first Ctrl+C ends the program that writes to the pipe, and the bytes received so far are the log. The second Ctrl+C ends this
    // command.
    const interrupted = () => {};
    process.once('SIGINT', interrupted);
    await pipeline(process.stdin, createWriteStream(file)).catch((cause) => {
      throw new CommandError(
        `Standard input cannot be copied to the temporary folder ${folder} (${cause.code}).`,
        EXIT.fault,
        { cause },
      );
    });
    process.off('SIGINT', interrupted);
  }
  const name = path === '-' ? STANDARD_INPUT : path;
  const asSentence = (error: unknown): never => {
    if (!(error instanceof LogFileError)) throw error;
    const hint = error.code === 'password_needed' ? ' --password gives it.' : '';
    const message = error.message.replaceAll(file, name);
    throw new CommandError(message + hint, USAGE.has(error.code) ? EXIT.usage : EXIT.fault, { cause: error });
  };
  const options = { timezone, ...(password === undefined ? {} : { passwords: [password] }) };
  const log = await openLogFile(file, options).catch(asSentence);
  opened.use(log);
  const held = opened.move();
  let readings = 0;
  async function* batches(): AsyncGenerator<FrameBatch, void, undefined> {
    try {
      if (readings++ === 0) yield* log.batches();
      else {
        await using again = await openLogFile(file, options);
        yield* again.batches();
      }
    } catch (error) {
      asSentence(error);
    }
  }
  return { name, log, batches, [Symbol.asyncDispose]: () => held[Symbol.asyncDispose]() };
}

const DOUBTS = {
  twice:
    'The start time of the log occurred twice in this zone, because clocks were set back. The first time was used; the log may begin later.',
  never:
    'The start time of the log does not exist in this zone, because clocks were set forward. The UTC offset before the change was used.',
} as const;

/** Returns sentences about the time zone that was assumed for the dates of a log; an empty list when no zone was assumed. */
export function assumptions({ info: { zone } }: Pick<LogFile, 'info'>): string[] {
  if (zone === null) return [];
  const assumed = `The dates of the log have no time zone; they were read as ${zone.name}. To assume another zone, use --timezone.`;
  return zone.doubt === null ? [assumed] : [assumed, DOUBTS[zone.doubt]];
}

/** Returns sentences about the parts of a log that could not be read; call it after the log was read to its end. */
export function shortcomings({ gaps, counters, format }: LogFile): string[] {
  const { unparsable, skipped, late } = counters;
  const unit = format === 'mf4' ? 'record' : 'line';
  const many = (count: number, what: string) => `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;
  return [
    ...gaps.map(
      ({ at_frame, at_byte, message }) =>
        `After frame ${at_frame.toLocaleString('en')}, byte ${at_byte.toLocaleString('en')}: ${message}`,
    ),
    ...(unparsable > 0
      ? [`${many(unparsable, unit)} could not be read as ${unparsable === 1 ? 'a frame' : 'frames'}.`]
      : []),
    ...(skipped > 0 ? [`${many(skipped, unit)} without a CAN frame skipped.`] : []),
    ...(late > 0
      ? [`${many(late, 'frame')} with an earlier time than a frame before ${late === 1 ? 'it' : 'them'}.`]
      : []),
  ];
}
