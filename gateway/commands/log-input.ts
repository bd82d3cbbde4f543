/** Opens log files for commands, by name or from standard input. Errors become a sentence and an exit code. */
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

/** Errors that the user can avoid with other arguments. */
const USAGE: ReadonlySet<LogFileErrorCode> = new Set([
  'not_found',
  'not_a_log',
  'empty',
  'unsupported',
  'password_needed',
  'wrong_password',
]);

/** Name of standard input in messages. */
const STANDARD_INPUT = 'standard input';

/** Arguments of every command that reads a log. */
export interface LogArgs {
  readonly password?: string | undefined;
  /** UTC when absent. */
  readonly timezone?: string | undefined;
}

/** An open log, and how to name it. */
export interface LogInput extends AsyncDisposable {
  readonly name: string;
  readonly log: LogFile;
  /** Returns the frames, from the beginning at each call; rejects with `CommandError`. `log` has the counters of the first call. */
  batches(): AsyncIterable<FrameBatch>;
}

/**
 * Opens the file. For `-` it copies standard input to a temporary file first, because some formats need reads at any offset.
 */
export async function openLogInput(path: string, { password, timezone = 'UTC' }: LogArgs): Promise<LogInput> {
  if (!isTimeZone(timezone))
    throw new CommandError(`--timezone must be a name like Europe/Berlin; ${timezone} is none.`, EXIT.usage);
  await using opened = new AsyncDisposableStack();
  let file = path;
  if (path === '-') {
    const folder = await mkdtemp(join(tmpdir(), 'headframe-input-'));
    opened.defer(() => rm(folder, { recursive: true, force: true }));
    file = join(folder, 'log');
    // The first Ctrl+C ends the program that writes to the pipe; the bytes up to then are the log. The second one ends this command.
    const interrupted = () => {};
    process.once('SIGINT', interrupted);
    await pipeline(process.stdin, createWriteStream(file)).catch((cause) => {
      throw new CommandError(`Standard input cannot be kept in ${folder} (${cause.code}).`, EXIT.fault, { cause });
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
  twice: 'Clocks there showed the hour in which it begins twice: the first is taken, the log may be later.',
  never: 'Clocks there skipped the time at which it begins: it is read as if they had not been set yet.',
} as const;

/** Returns sentences about the zone that was assumed for the dates of a log; none when the dates name their zone. */
export function assumptions({ info: { zone } }: Pick<LogFile, 'info'>): string[] {
  if (zone === null) return [];
  const told = `Its dates name no zone and are read as ${zone.name}, an assumption; --timezone says another.`;
  return zone.doubt === null ? [told] : [told, DOUBTS[zone.doubt]];
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
    ...(skipped > 0 ? [`${many(skipped, unit)} of other kinds than CAN frames passed over.`] : []),
    ...(late > 0 ? [`${many(late, 'frame')} earlier than one before ${late === 1 ? 'it' : 'them'}.`] : []),
  ];
}
