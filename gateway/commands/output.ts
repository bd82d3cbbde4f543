/** Where a command writes: a file that is there only when it is whole, or standard output. */
import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { EXIT } from '#process/supervisor.ts';
import { CommandError } from './command-line.ts';

/** Bytes out; disposed before `end`, a file leaves nothing behind. */
export interface Output extends AsyncDisposable {
  /** Nobody reads any more, or the disk takes nothing: more is in vain. */
  readonly closed: boolean;
  /** Everything handed over has gone out, or its reader had enough. */
  readonly whole: boolean;
  write(bytes: Uint8Array): void;
  /** Resolves when there is room for more; rejects with a sentence when there never will be. */
  room(): Promise<void>;
  /** Resolves when everything is out and the file has its name. */
  end(): Promise<void>;
}

const EVENTS = ['drain', 'error', 'close'] as const;

/** A name for a file that is not whole yet, beside the one that it will have. */
interface Claim {
  readonly part: string;
  /** Gives the file its name. */
  keep(): Promise<void>;
  /** Takes away what has not got its name. */
  drop(): Promise<void>;
}

/** Claims a name for writing; undefined for a pipe or a device, which is written as it is. A file that is there is replaced only with `force`. */
export async function claimFile(path: string, force: boolean): Promise<Claim | undefined> {
  const there = await stat(path).catch(() => undefined);
  if (there?.isDirectory()) throw new CommandError(`${path} is a folder; name a file.`, EXIT.usage);
  if (there !== undefined && !there.isFile()) return undefined;
  if (there !== undefined && !force)
    throw new CommandError(`${path} is there already; --force replaces it.`, EXIT.usage);
  const part = `${path}.${randomBytes(4).toString('hex')}.part`;
  const made = await open(part, 'wx').catch((cause: NodeJS.ErrnoException) => {
    throw new CommandError(`${path} cannot be written (${cause.code ?? cause.message}).`, EXIT.usage, { cause });
  });
  await made.close();
  return { part, keep: () => rename(part, path), drop: () => rm(part, { force: true }) };
}

/** Opens a file for writing, or standard output for `-`; one that is there is replaced only with `force`. */
export async function openOutput(path: string, force: boolean): Promise<Output> {
  if (path === '-') return outputOf(process.stdout, path);
  const claim = await claimFile(path, force);
  return outputOf(createWriteStream(claim?.part ?? path), path, claim);
}

function outputOf(out: Writable, path: string, claim?: Claim): Output {
  const standard = out === process.stdout;
  let failure: NodeJS.ErrnoException | undefined;
  let ended = false;
  out.on('error', (error) => {
    failure = error;
  });
  // Whoever reads standard output may have had enough: that is no failure.
  const enough = () => failure?.code === 'EPIPE';
  const refuse = () => {
    if (failure !== undefined && !enough())
      throw new CommandError(`${path} cannot be written (${failure.code ?? failure.message}).`, EXIT.fault, {
        cause: failure,
      });
  };
  async function room(): Promise<void> {
    if (out.writableNeedDrain && failure === undefined)
      await new Promise<void>((resolve) => {
        const done = () => {
          for (const event of EVENTS) out.off(event, done);
          resolve();
        };
        for (const event of EVENTS) out.on(event, done);
      });
    refuse();
  }
  return {
    get closed() {
      return failure !== undefined;
    },
    get whole() {
      return failure === undefined || enough();
    },
    write(bytes) {
      if (failure === undefined && bytes.length > 0) out.write(bytes);
    },
    room,
    async end() {
      await room();
      if (standard) return;
      await finished(out.end()).catch(refuse);
      refuse();
      await claim?.keep();
      ended = true;
    },
    async [Symbol.asyncDispose]() {
      if (standard || ended) return;
      out.destroy();
      await claim?.drop();
    },
  };
}
