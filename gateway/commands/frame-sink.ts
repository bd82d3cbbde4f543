/** Writes frames to a file or to standard output in any supported format, for `convert` and `simulate`. */
import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import type { LogInfo } from '#bridge/log-file.ts';
import { formatOfName, WRITTEN, type WrittenFormat } from '#bridge/log-writer.ts';
import { createMdf4File } from '#bridge/mdf4-file.ts';
import type { FrameBatch } from '#contract/fleet/frame.ts';
import { EXIT } from '#process/supervisor.ts';
import { CommandError } from './command-line.ts';
import { claimFile, type Output, openOutput } from './output.ts';

/** Data for the header of the file, if the output format has a header. */
export interface About {
  readonly info: Omit<LogInfo, 'clock' | 'local_time' | 'zone' | 'wrapping' | 'tool'> | null;
  /** Time of writing, in milliseconds since 1970. */
  readonly written_ms: number;
}

/** An output for frames. If it is disposed before `end`, the incomplete file is removed. */
export interface FrameSink extends Omit<Output, 'write'> {
  write(batch: FrameBatch): void;
}

/** The output formats for frames that `--to` accepts. */
export type SinkFormat = WrittenFormat | 'mf4';

const FORMATS: readonly SinkFormat[] = [...(Object.keys(WRITTEN) as WrittenFormat[]), 'mf4'];
const isFormat = (text: string): text is SinkFormat => (FORMATS as readonly string[]).includes(text);

/**
 * Returns the format that `--to` names. Without `--to`, returns the format for the ending of the file name, or else the argument
 * `otherwise`. If none of them is given, it throws a `CommandError` that lists all formats; `besides` has further formats for this list.
 */
export function sinkFormat(
  to: string | undefined,
  out: string | undefined,
  otherwise?: SinkFormat,
  besides: readonly string[] = [],
): SinkFormat {
  const known = [...FORMATS, ...besides].join(', ');
  if (to !== undefined) {
    if (isFormat(to)) return to;
    throw new CommandError(`--to must be one of ${known}.`, EXIT.usage);
  }
  const meant = out === undefined ? undefined : /\.mf4$/i.test(out) ? 'mf4' : formatOfName(out);
  const found = meant ?? otherwise;
  if (found !== undefined) return found;
  const why = out === undefined || out === '-' ? '' : ` The end ${extname(out) || '(none)'} of --out means none.`;
  throw new CommandError(`The output format is not known; choose one with --to: ${known}.${why}`, EXIT.usage);
}

/** Opens a file, or standard output for `-`; replaces an existing file only with `force`. */
export async function openFrameSink(
  format: SinkFormat,
  path: string,
  force: boolean,
  about: About,
): Promise<FrameSink> {
  if (format === 'mf4') return openMf4(path, force, about);
  const output = await openOutput(path, force);
  const writer = WRITTEN[format].create();
  return {
    get closed() {
      return output.closed;
    },
    get whole() {
      return output.whole;
    },
    write: (batch) => output.write(writer.write(batch)),
    room: output.room,
    async end() {
      output.write(writer.end());
      await output.end();
    },
    [Symbol.asyncDispose]: () => output[Symbol.asyncDispose](),
  };
}

/** Creates an MF4 output. The header of an MF4 file is changed at the end, so output for a pipe first goes to a temporary file. */
async function openMf4(path: string, force: boolean, { info, written_ms }: About): Promise<FrameSink> {
  await using opened = new AsyncDisposableStack();
  if (path === '-' && process.stdout.isTTY === true)
    throw new CommandError('An MF4 file cannot be printed on a terminal; name a file with --out.', EXIT.usage);
  const claim = path === '-' ? undefined : await claimFile(path, force);
  let part = claim?.part;
  if (claim === undefined || part === undefined) {
    const folder = await mkdtemp(join(tmpdir(), 'headframe-output-'));
    opened.defer(() => rm(folder, { recursive: true, force: true }));
    part = join(folder, 'log.mf4');
  } else opened.defer(claim.drop);
  const file = part;
  const { clock: _, local_time: __, wrapping: ___, tool: ____, zone: _____, ...told } = { ...(info as LogInfo | null) };
  const writer = opened.use(
    attempt(path, () => createMdf4File(file, { ...told, started_us: info?.started_us ?? 0, written_ms })),
  );
  const held = opened.move();
  return {
    closed: false,
    whole: true,
    write: (batch) => attempt(path, () => writer.add(batch)),
    async room() {},
    async end() {
      attempt(path, () => writer.end());
      if (claim !== undefined) await claim.keep();
      else {
        await using output = await openOutput(path, force);
        for await (const chunk of createReadStream(file)) {
          output.write(chunk);
          await output.room();
        }
        await output.end();
      }
    },
    [Symbol.asyncDispose]: () => held[Symbol.asyncDispose](),
  };
}

function attempt<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === undefined) throw cause;
    throw new CommandError(`${path} cannot be written (${code ?? message}).`, EXIT.fault, { cause });
  }
}
