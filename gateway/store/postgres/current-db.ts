/** The workspace on which the code of a transaction runs now. An attempt is synchronous, so there is never more than one. */
import { createHash } from 'node:crypto';
import type { SQLInputValue } from 'node:sqlite';
import type { Row, RowDb } from '#store/sqlite/rows.ts';
import type { SyncDb } from '#store/sync/sync-db.ts';
import type { Workspace } from './workspace.ts';

export class CurrentDb implements RowDb, SyncDb {
  #workspace: Workspace | undefined;
  readonly canRecover = false;

  enter(workspace: Workspace): void {
    this.#workspace = workspace;
  }

  get #now(): Workspace {
    if (this.#workspace === undefined) throw new Error('no transaction runs');
    return this.#workspace;
  }

  execute(sql: string, ...values: SQLInputValue[]): number {
    return this.#now.execute(sql, ...values);
  }

  peek(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#now.peek(sql, ...values);
  }

  peekAll(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#now.peekAll(sql, ...values);
  }

  getMeta(key: string): Row[number] | undefined {
    return this.#now.getMeta(key);
  }

  setMeta(key: string, value: string | number): void {
    this.#now.setMeta(key, value);
  }

  nextSeq(): number {
    return this.#now.nextSeq();
  }

  nextOfPart(name: string, part: string): number {
    return this.#now.nextOfPart(name, part);
  }

  parse<T>(data: unknown, checksum: unknown, body: unknown): T {
    return this.#now.parse<T>(data, checksum, body);
  }

  forgetDamaged(): void {}

  /** Returns random bytes, the same in each attempt of a transaction. */
  random(count: number, make: (count: number) => Uint8Array): Uint8Array {
    return this.#now.random(count, make);
  }

  /** The number of a word follows from the word, so that two processes never give one number to two words. */
  wordNumber(word: string): number {
    return createHash('sha256').update(word).digest().readUIntBE(0, 6);
  }
}
