/** What a history of two ends must keep: each write that was acknowledged, by whom, and what its author saw. */
import { createHash } from 'node:crypto';
import type { Client } from '#contract/client.ts';
import type { SyncReceipt } from '#contract/site/sync.ts';

/** Where a write was made: a site, or head office. */
export interface Box {
  readonly name: string;
}

/** A write that was acknowledged. */
interface Written {
  readonly at: Box;
  /** Id of the machine. */
  readonly on: string;
  /** The disks on which it is known to be. */
  readonly held: Set<Box>;
}

interface Named extends Written {
  readonly value: string;
}

/** A label that is written once, so it must be at both ends. */
interface Marked extends Written {
  readonly key: string;
}

/** A photo of a machine. */
interface Photo extends Written {
  readonly id: string;
  readonly content: Uint8Array;
  /** It was on a disk that was put back, so its content may be lost. */
  mayLack: boolean;
}

interface Listed {
  readonly id: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** All machines of a project, and the ids of those that the list left out. */
export async function machinesOf(client: Client): Promise<{ machines: Listed[]; left: string[] }> {
  const machines: Listed[] = [];
  const left: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await client.call('equipment_list', { limit: 200, order: 'asc', ...(cursor && { cursor }) });
    machines.push(...page.data.map(({ id, name, labels }) => ({ id, name, labels })));
    left.push(
      ...(page.warnings ?? []).filter(({ code }) => code === 'document_unreadable').map(({ id }) => String(id)),
    );
    if (page.next_cursor === null) return { machines, left };
    cursor = page.next_cursor;
  }
}

/** What both ends of one project were told. */
export class Truth {
  #names: Named[] = [];
  #marks: Marked[] = [];
  #photos: Photo[] = [];
  /** The names that authors saw when they gave another one. */
  readonly #seen = new Set<string>();

  named(at: Box, on: string, value: string, saw: readonly string[]): void {
    this.#names.push({ at, on, value, held: new Set([at]) });
    for (const name of saw) this.#seen.add(`${on} ${name}`);
  }

  marked(at: Box, on: string, key: string): void {
    this.#marks.push({ at, on, key, held: new Set([at]) });
  }

  photographed(at: Box, on: string, id: string, content: Uint8Array): void {
    this.#photos.push({ at, on, id, content, held: new Set([at]), mayLack: false });
  }

  get #all(): Written[] {
    return [...this.#names, ...this.#marks, ...this.#photos];
  }

  /** True if nothing is missing but the content of photos that were on a disk which was put back. */
  isOfPhotos({ verdict, missing_total, not_taken_total, lost_in_lives, files_lost }: SyncReceipt): boolean {
    if (verdict !== 'incomplete' || missing_total + not_taken_total + lost_in_lives.length > 0) return false;
    const mayLack = (id: string) => this.#photos.every((photo) => photo.id !== id || photo.mayLack);
    return files_lost.length > 0 && files_lost.every(mayLack);
  }

  /** Both ends have everything that was written so far. */
  arrived(...boxes: Box[]): void {
    for (const { held } of this.#all) for (const box of boxes) held.add(box);
  }

  /** What is on the disk of a box. */
  heldBy(box: Box): ReadonlySet<object> {
    return new Set(this.#all.filter(({ held }) => held.has(box)));
  }

  /** The disk of a box is as it was. A write that is on no disk any more is gone, if it was not sent. */
  putBack(box: Box, held: ReadonlySet<object>): void {
    for (const one of this.#all) if (!held.has(one)) one.held.delete(box);
    for (const photo of this.#photos) if (photo.held.size === 0) photo.mayLack = true;
    this.#names = this.#names.filter((one) => one.held.size > 0);
    this.#marks = this.#marks.filter((one) => one.held.size > 0);
  }

  /** Returns what is missing at an end: machines, labels, and names that nobody replaced and nobody can read. */
  async missingAt(client: Client): Promise<string[]> {
    const { machines, left } = await machinesOf(client);
    const known = new Map(machines.map((one) => [one.id, one]));
    const { data: open } = await client.call('sync_conflicts_list', {});
    const readable = new Set(
      open.flatMap(({ record, path, values }) =>
        path === 'name' ? values.map(({ value }) => `${record.id} ${String(value)}`) : [],
      ),
    );
    return [
      ...left.map((id) => `the list leaves out ${id}`),
      ...this.#marks.flatMap(({ on, key, at }) =>
        known.get(on)?.labels[key] === at.name ? [] : [`label ${key} of ${at.name} on ${on}`],
      ),
      ...this.#names.flatMap(({ on, value, at }) => {
        const name = `${on} ${value}`;
        const isThere = known.get(on)?.name === value || readable.has(name) || (known.has(on) && this.#seen.has(name));
        return isThere ? [] : [`name ${value} of ${at.name} on ${on}`];
      }),
    ];
  }

  /** Returns the photos that an end does not have as they were made. `read` gets the content of a file, if the end has it. */
  async photosMissingAt(read: (id: string) => Promise<Uint8Array | undefined>): Promise<string[]> {
    const missing: string[] = [];
    for (const { id, content, at, mayLack } of this.#photos) {
      const found = await read(id);
      if (found === undefined ? !mayLack : shaOf(found) !== shaOf(content)) missing.push(`photo ${id} of ${at.name}`);
    }
    return missing;
  }
}

const shaOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
