/** The output of a command: standard output, or a file that has a temporary name until it is complete. */
import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { EXIT } from '#process/supervisor.ts';
import { CommandError } from './command-line.ts';

/** An output for bytes. If it is disposed before `end`, the incomplete file is removed. */
export interface Output extends AsyncDisposable {
  /** True when the reader has closed the pipe or a write has failed; further writes have no effect. */
  readonly closed: boolean;
  /** True when no write has failed; a pipe that its reader has closed is no failure. */
  readonly whole: boolean;
  write(bytes: Uint8Array): void;
  /** Resolves when more can be written; rejects with a `CommandError` when writing has failed. */
  room(): Promise<void>;
  /** Resolves when everything is written and the file has its name. */
  end(): Promise<void>;
}

const EVENTS = ['drain', 'error', 'close'] as const;

/** A temporary file in the same folder as the final file. */
interface Claim {
  readonly part: string;
  /** Renames the file to its final name. */
  keep(): Promise<void>;
  /** Removes the temporary file. */
  drop(): Promise<void>;
}

/** Creates the temporary file; returns undefined for a pipe or a device, to which the command writes directly. */
export async function claimFile(path: string, force: boolean): Promise<Claim | undefined> {
  const there = await stat(path).catch(() => undefined);
  if (there?.isDirectory()) throw new CommandError(`${path} is a folder, but must be a file.`, EXIT.usage);
  if (there !== undefined && !there.isFile()) return undefined;
  if (there !== undefined && !force)
    throw new CommandError(`${path} already exists; use --force to replace it.`, EXIT.usage);
  const part = `${path}.${randomBytes(4).toString('hex')}.part`;
  const made = await open(part, 'wx').catch((cause: NodeJS.ErrnoException) => {
    throw new CommandError(`${path} cannot be written (${cause.code ?? cause.message}).`, EXIT.usage, { cause });
  });
  await made.close();
  return { part, keep: () => rename(part, path), drop: () => rm(part, { force: true }) };
}

/** Opens a file for writing, or standard output for `-`; replaces an existing file only with `force`. */
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
  // A reader of standard output may close the pipe early, for example `head`; this is no failure.
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
