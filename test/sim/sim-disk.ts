/**
 * A disk in memory with a page cache: what is written is seen at once and survives a killed process; what is synced survives a power
 * cut; of the rest a power cut keeps, drops or tears each write by itself. Names in a folder have a cache of their own.
 */
import type { Disk, DiskFile } from '#ingest/journal/disk.ts';
import type { Process } from './process.ts';
import type { Random } from './random.ts';

type Operation = { readonly at: number; readonly bytes: Uint8Array } | { readonly length: number };

/** Bytes that grow. */
class Bytes {
  length = 0;
  private room = Buffer.alloc(256);

  get(): Buffer {
    return this.room.subarray(0, this.length);
  }

  apply(operation: Operation): void {
    if ('length' in operation) {
      this.room.fill(0, Math.min(operation.length, this.length));
      this.grow(operation.length);
      this.length = operation.length;
      return;
    }
    const end = operation.at + operation.bytes.length;
    this.grow(end);
    this.room.set(operation.bytes, operation.at);
    this.length = Math.max(this.length, end);
  }

  copy(): Bytes {
    const other = new Bytes();
    other.apply({ at: 0, bytes: this.get() });
    return other;
  }

  private grow(length: number): void {
    if (length <= this.room.length) return;
    const wider = Buffer.alloc(Math.max(length, this.room.length * 2));
    wider.set(this.room);
    this.room = wider;
  }
}

/** A file, whatever it is called. */
export class Inode {
  seen = new Bytes();
  /** On the disk itself. */
  durable = new Bytes();
  /** Counts changes of `durable`. */
  version = 0;
  private pending: Operation[] = [];

  apply(operation: Operation): void {
    this.seen.apply(operation);
    this.pending.push(operation);
  }

  get waiting(): number {
    return this.pending.length;
  }

  /** The first so many changes since the last sync reach the disk. */
  sync(count: number): void {
    this.version++;
    for (const operation of this.pending.splice(0, count)) this.durable.apply(operation);
  }

  /** Each change that was not synced reaches the disk whole, in part, or not; the cache is gone. */
  lose(random: Random): void {
    this.version++;
    for (const operation of this.pending) {
      const kept = random.int(3);
      if (kept === 0) continue;
      this.durable.apply(kept === 1 || 'length' in operation ? operation : torn(operation.at, operation.bytes, random));
    }
    this.pending = [];
    this.seen = this.durable.copy();
  }
}

/** A write of which a part is there: its beginning, or all of its length with a hole. */
function torn(at: number, bytes: Uint8Array, random: Random): Operation {
  if (random.chance(0.5)) return { at, bytes: bytes.slice(0, random.int(bytes.length + 1)) };
  const part = bytes.slice();
  const hole = random.int(part.length);
  part.fill(0, hole, Math.min(part.length, hole + 1 + random.int(512)));
  return { at, bytes: part };
}

interface Naming {
  readonly name: string;
  readonly inode: Inode | undefined;
}

class Folder {
  names = new Map<string, Inode>();
  durable = new Map<string, Inode>();
  pending: Naming[] = [];

  apply(naming: Naming): void {
    rename(this.names, naming);
    this.pending.push(naming);
  }

  sync(count: number): void {
    for (const naming of this.pending.splice(0, count)) rename(this.durable, naming);
  }

  lose(random: Random): void {
    const inodes = new Set([...this.names.values(), ...this.durable.values()]);
    for (const inode of inodes) inode.lose(random);
    for (const naming of this.pending) if (random.chance(0.5)) rename(this.durable, naming);
    this.pending = [];
    this.names = new Map(this.durable);
  }
}

function rename(names: Map<string, Inode>, { name, inode }: Naming): void {
  if (inode === undefined) names.delete(name);
  else names.set(name, inode);
}

function failure(code: string): Error {
  return Object.assign(new Error(`${code}: simulated`), { code });
}

export class SimDisk {
  private readonly folders = new Map<string, Folder>();
  /** Says that it synced and did not: for seeing that the simulator notices. */
  lies = false;
  /** Hears of a file that a process removes. */
  onRemove: (name: string, inode: Inode) => void = () => {};

  /** Files whose names survive a power cut now. */
  durableFiles(folder: string): ReadonlyMap<string, Inode> {
    return this.folder(folder).durable;
  }

  powerCut(random: Random): void {
    for (const folder of this.folders.values()) folder.lose(random);
  }

  /** The disk as one process sees it. */
  for(process: Process): Disk {
    const { random, weather } = process;
    const quick = () => random.between(0, 0.3);
    const slow = () => (weather.slow ? random.between(100, 3_000) : random.between(0.5, 12));
    const need = () => {
      if (weather.full) throw failure('ENOSPC');
    };
    return {
      list: (folder) => process.call('list', quick(), 'names', () => [...this.folder(folder).names.keys()]),
      open: (folder, name, mode) =>
        process.call(`open ${name}`, quick(), 'names', () => {
          const where = this.folder(folder);
          const found = where.names.get(name);
          if (mode !== 'create') {
            if (found === undefined) throw failure('ENOENT');
            return this.file(process, name, found);
          }
          if (found !== undefined) throw failure('EEXIST');
          need();
          const inode = new Inode();
          where.apply({ name, inode });
          return this.file(process, name, inode);
        }),
      remove: (folder, name) =>
        process.call(`remove ${name}`, quick(), 'names', () => {
          const where = this.folder(folder);
          const found = where.names.get(name);
          if (found === undefined) throw failure('ENOENT');
          this.onRemove(name, found);
          where.apply({ name, inode: undefined });
        }),
      syncFolder: (folder) => {
        const where = this.folder(folder);
        const count = where.pending.length;
        return process.call('sync folder', slow(), 'names', () => {
          if (!this.lies) where.sync(count);
        });
      },
    };
  }

  private file(process: Process, name: string, inode: Inode): DiskFile {
    const { random, weather } = process;
    const quick = () => random.between(0, 0.3);
    return {
      size: () => process.call('size', quick(), name, () => inode.seen.length),
      read: (into, position) =>
        process.call('read', quick(), name, () => {
          const bytes = inode.seen.get().subarray(position, position + into.length);
          into.set(bytes);
          return bytes.length;
        }),
      write: (bytes, position) =>
        process.call(`write ${name} ${bytes.length}`, quick(), name, () => {
          if (!weather.full) return inode.apply({ at: position, bytes: bytes.slice() });
          if (random.chance(0.5)) inode.apply({ at: position, bytes: bytes.slice(0, random.int(bytes.length)) });
          throw failure('ENOSPC');
        }),
      sync: () => {
        const count = inode.waiting;
        const ms = weather.slow ? random.between(100, 3_000) : random.between(0.5, 12);
        return process.call(`sync ${name}`, ms, name, () => {
          if (weather.syncError > 0 && random.chance(weather.syncError)) {
            // The pages are given up: what is read from now on is what is on the disk.
            inode.lose(random);
            throw failure('EIO');
          }
          if (!this.lies) inode.sync(count);
        });
      },
      truncate: (length) => process.call(`truncate ${name}`, quick(), name, () => inode.apply({ length })),
      close: () => process.call('close', quick(), name, () => {}),
    };
  }

  private folder(path: string): Folder {
    let known = this.folders.get(path);
    if (known === undefined) {
      known = new Folder();
      this.folders.set(path, known);
    }
    return known;
  }
}
