/**
 * What a disk may hold after a power cut, from a log of the calls that a process made.
 *
 *   strace log -> operations in the order they were made -> for every cut: states of the folder
 *
 * The model: what was written before an fsync began is there once it has ended. Of what was written since, nothing, everything, or any part may be there, also
 * parts of one write by sectors. A name that was made, moved or removed is certain after the folder's fsync; a new
 * name also after its file's, as on ext4.
 */
import { createReadStream } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';

const SECTOR = 512;

/** One call that changes what is on disk. */
export type Operation =
  | { readonly kind: 'write'; readonly path: string; readonly offset: number | null; readonly data: Buffer }
  | { readonly kind: 'truncate'; readonly path: string; readonly size: number }
  | { readonly kind: 'create'; readonly path: string; readonly empty: boolean }
  | { readonly kind: 'syncing' | 'sync'; readonly path: string; readonly thread: string }
  | { readonly kind: 'rename'; readonly path: string; readonly to: string }
  | { readonly kind: 'unlink'; readonly path: string };

/** Arguments of strace whose log `readOperations` reads. */
export const STRACE = [
  ...['-f', '-qq', '-y', '-xx', '-s', '1000000'],
  ...[
    '-e',
    'trace=openat,write,pwrite64,writev,pwritev,ftruncate,fsync,fdatasync,rename,renameat2,link,linkat,unlink,unlinkat,copy_file_range,sendfile',
  ],
];

/** The operations in a log of strace that succeeded on files under `folder`. */
export async function readOperations(log: string, folder: string): Promise<Operation[]> {
  const operations: Operation[] = [];
  const halves = new Map<string, string>();
  for await (const line of createInterface({ input: createReadStream(log) })) {
    const [, pid = '', text = ''] = /^(\d+) +(.*)$/.exec(line) ?? [];
    if (text.endsWith('<unfinished ...>')) {
      const half = text.slice(0, -'<unfinished ...>'.length).trimEnd();
      halves.set(pid, half);
      // what is written while a sync is under way is not promised by it
      const begun = /^f(?:data)?sync\(/.test(half)
        ? parseCall(`${half.replace(/\)?$/, ')')} = 0`, folder, pid)
        : undefined;
      if (begun?.kind === 'sync' && begun.path.startsWith(folder)) operations.push({ ...begun, kind: 'syncing' });
      continue;
    }
    const [, rest] = /^<\.\.\. \w+ resumed>(.*)$/.exec(text) ?? [];
    const operation = parseCall(rest === undefined ? text : `${halves.get(pid)}${rest}`, folder, pid);
    if (operation?.path.startsWith(folder)) operations.push(operation);
  }
  return operations;
}

/** Calls that the model does not know; one of them on a file of the folder would make it wrong. */
const UNKNOWN = new Set(['writev', 'pwritev', 'renameat2', 'link', 'linkat', 'copy_file_range', 'sendfile']);

function parseCall(text: string, folder: string, thread: string): Operation | undefined {
  const [, name = '', args = '', result = '-1'] = /^(\w+)\((.*)\) += (-?\d+)/.exec(text) ?? [];
  if (result.startsWith('-')) return undefined;
  if (UNKNOWN.has(name)) {
    const paths = [...args.matchAll(/(?:\\x[0-9a-f]{2})+/g)].map(([hex]) => bytes(hex).toString());
    if (paths.some((path) => path.startsWith(folder))) throw new Error(`a call that the model does not know: ${text}`);
    return undefined;
  }
  if (name === 'rename' || name === 'unlink' || name === 'unlinkat' || name === 'openat') {
    const [path = '', to = ''] = [...args.matchAll(/"([^"]*)"/g)].map(([, hex = '']) => bytes(hex).toString());
    if (name === 'rename') return { kind: name, path, to };
    if (name === 'openat')
      return args.includes('O_CREAT') || args.includes('O_TRUNC')
        ? { kind: 'create', path, empty: args.includes('O_TRUNC') }
        : undefined;
    return args.includes('AT_REMOVEDIR') ? undefined : { kind: 'unlink', path };
  }
  const [, hexPath = '', rest = ''] = /^\d+<([^>]*)>(?:\(deleted\))?(.*)$/.exec(args) ?? [];
  const path = hexPath.startsWith('\\x') ? bytes(hexPath).toString() : hexPath;
  if (name === 'fsync' || name === 'fdatasync') return { kind: 'sync', path, thread };
  if (name === 'ftruncate') return { kind: 'truncate', path, size: Number(rest.slice(2)) };
  const [, hex = '', offset] = /^, "([^"]*)", \d+(?:, (\d+))?$/.exec(rest) ?? [];
  const data = bytes(hex).subarray(0, Number(result));
  return { kind: 'write', path, offset: offset === undefined ? null : Number(offset), data };
}

function bytes(hex: string): Buffer {
  return Buffer.from(hex.replaceAll('\\x', ''), 'hex');
}

/** What is left of the writes that were not synced. */
export type Mode = 'none' | 'all' | 'some';

type Change = { readonly offset: number; readonly data: Buffer } | { readonly size: number };

class DiskFile {
  synced: Buffer = Buffer.alloc(0);
  pending: Change[] = [];
  size = 0;
  /** Changes that were ever synced, and how many there were when a thread's sync began. */
  #done = 0;
  readonly #begun = new Map<string, number>();

  beginSync(thread: string): void {
    this.#begun.set(thread, this.#done + this.pending.length);
  }

  sync(thread: string): void {
    const until = this.#begun.get(thread) ?? this.#done + this.pending.length;
    this.#begun.delete(thread);
    const covered = this.pending.splice(0, Math.max(0, until - this.#done));
    this.synced = this.after(covered);
    this.#done += covered.length;
  }

  after(changes: readonly Change[]): Buffer {
    let content = this.synced;
    const end = changes.reduce((most, one) => ('data' in one ? Math.max(most, one.offset + one.data.length) : most), 0);
    if (changes.length > 0) content = Buffer.concat([content, Buffer.alloc(Math.max(0, end - content.length))]);
    let size = this.synced.length;
    for (const change of changes) {
      if ('size' in change) {
        content.fill(0, change.size);
        size = change.size;
      } else {
        change.data.copy(content, change.offset);
        size = Math.max(size, change.offset + change.data.length);
      }
    }
    return content.subarray(0, size);
  }
}

/** A disk that operations are applied to, and that can be cut at any moment. */
export class CrashDisk {
  /** Names as the process sees them, and as they are certain. */
  readonly #names = new Map<string, DiskFile>();
  readonly #certain = new Map<string, DiskFile>();

  /** `files` are on it, synced. */
  constructor(files: ReadonlyMap<string, Buffer> = new Map()) {
    for (const [path, content] of files) {
      const file = new DiskFile();
      file.synced = content;
      file.size = content.length;
      this.#names.set(path, file);
      this.#certain.set(path, file);
    }
  }

  apply(operation: Operation): void {
    const { path } = operation;
    if (operation.kind === 'write') {
      const file = this.#open(path);
      const offset = operation.offset ?? file.size;
      file.pending.push({ offset, data: operation.data });
      file.size = Math.max(file.size, offset + operation.data.length);
    } else if (operation.kind === 'truncate') {
      const file = this.#open(path);
      file.pending.push({ size: operation.size });
      file.size = operation.size;
    } else if (operation.kind === 'create') {
      const file = this.#open(path);
      if (!operation.empty || file.size === 0) return;
      file.pending.push({ size: 0 });
      file.size = 0;
    } else if (operation.kind === 'syncing') {
      this.#names.get(path)?.beginSync(operation.thread);
    } else if (operation.kind === 'sync') {
      this.#sync(path, operation.thread);
    } else {
      const file = this.#names.get(path);
      this.#names.delete(path);
      if (file && operation.kind === 'rename') this.#names.set(operation.to, file);
    }
  }

  /** The files after a cut; `random` gives numbers in [0, 1). */
  cut(mode: Mode, random: () => number): Map<string, Buffer> {
    const names = mode === 'all' || (mode === 'some' && random() < 0.5) ? this.#names : this.#certain;
    return new Map([...names].map(([path, file]) => [path, file.after(this.#survivors(file, mode, random))]));
  }

  #survivors(file: DiskFile, mode: Mode, random: () => number): Change[] {
    if (mode === 'none') return [];
    if (mode === 'all') return file.pending;
    const keep = random();
    return file.pending.flatMap((change) => {
      if (random() > keep) return [];
      // a write that was under way may have reached the disk up to some sector
      if ('data' in change && random() < 0.3) {
        const sectors = Math.floor((random() * change.data.length) / SECTOR);
        return [{ offset: change.offset, data: change.data.subarray(0, sectors * SECTOR) }];
      }
      return [change];
    });
  }

  #open(path: string): DiskFile {
    const file = this.#names.get(path) ?? new DiskFile();
    this.#names.set(path, file);
    return file;
  }

  #sync(path: string, thread: string): void {
    const file = this.#names.get(path);
    if (file) {
      file.sync(thread);
      this.#certain.set(path, file);
      return;
    }
    for (const name of [...this.#certain.keys()]) if (dirname(name) === path) this.#certain.delete(name);
    for (const [name, one] of this.#names) if (dirname(name) === path) this.#certain.set(name, one);
  }
}

/** Numbers in [0, 1) that a seed repeats (Marsaglia's xorshift, 32 bits). */
export function randomFrom(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
