/** Frames into a file or to standard output, in any format that is written: what `convert` and `simulate` end in. */
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

/** What the file says of itself where its format has a place for it. */
export interface About {
  readonly info: Omit<LogInfo, 'clock' | 'local_time' | 'zone' | 'wrapping' | 'tool'> | null;
  /** Milliseconds since 1970 at which it is written. */
  readonly written_ms: number;
}

/** Frames out; disposed before `end`, a file leaves nothing behind. */
export interface FrameSink extends Omit<Output, 'write'> {
  write(batch: FrameBatch): void;
}

/** Formats that `--to` names. */
export type SinkFormat = WrittenFormat | 'mf4';

const FORMATS: readonly SinkFormat[] = [...(Object.keys(WRITTEN) as WrittenFormat[]), 'mf4'];
const isFormat = (text: string): text is SinkFormat => (FORMATS as readonly string[]).includes(text);

/** The format that `--to` names, else the one that the end of the file's name means, else `otherwise`; a sentence, which names those `besides` too, when none of them says one. */
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
  throw new CommandError(`--to says which format: ${known}.${why}`, EXIT.usage);
}

/** Opens a file, or standard output for `-`; a file that is there is replaced only with `force`. */
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

/** An MF4 is written to and fro, so what goes to a pipe is a file first. */
async function openMf4(path: string, force: boolean, { info, written_ms }: About): Promise<FrameSink> {
  await using opened = new AsyncDisposableStack();
  if (path === '-' && process.stdout.isTTY === true)
    throw new CommandError('An MF4 is nothing to look at; --out names a file for it.', EXIT.usage);
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
