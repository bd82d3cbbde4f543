/**
 * Commits and documents as short lists. The stamp of a value is left out if it is the stamp of its commit, and its id always, because it is
 * a hash over the value. The key of a commit is left out if it is the hash over the values that are sent. The mark of a document is never
 * sent: the receiver computes that of a whole one, and needs no other.
 *
 *   commit     [counter, life, lane, documents] or [..., documents, 1]                            + time; + key, with the 1
 *   document   [collection, id, object, revision, 0 | 1 (whole), registers]
 *   register   [path, ...values]
 *   value      [v], [v, ancestors] or [v, ancestors, counter, life]                               + ids of the ancestors; + time
 *
 * What stands after a + is in the columns of the message (columns.ts). A life is its place in the list of lives of the message.
 */
import { z } from 'zod';
import { computedKey } from '#domain/sync/node.ts';
import { makeDoc, type Part } from '#domain/sync/registers/documents.ts';
import {
  compareValues,
  DELETED,
  makeValue,
  type Register,
  type Stamp,
  type Value,
} from '#domain/sync/registers/registers.ts';
import { SYNC_RULES } from '#domain/sync/rules.ts';
import type { Commit } from '#domain/sync/store.ts';
import { LONG, SHORT } from './byte-column.ts';
import type { ColumnReader, ColumnWriter } from './columns.ts';
import { damaged } from './wire-error.ts';

/** How deep the content of a value may be nested. The API allows 32 levels. */
const MOST_DEPTH = 40;
/** Ids of ancestors of a value. A deletion has more of them than other values. */
const MOST_IDS = 100_000;
const LARGEST_MS = 2 ** 48 - 1;
const LARGEST_COUNTER = 0xffff;

type WireValue = [v: unknown, ancestors?: number, counter?: number, life?: number];
export type WirePart = [
  collection: string,
  id: string,
  object: string,
  rev: number,
  whole: 0 | 1,
  registers: [string, ...WireValue[]][],
];
export type WireCommit = [counter: number, life: number, lane: number, docs: WirePart[], key?: 1];

const Name = z.string().regex(/^[\x21-\x7e]{1,200}$/);
const Whole = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const Counter = z.number().int().min(0).max(LARGEST_COUNTER);
const Value_ = z
  .union([
    z.tuple([z.unknown()]),
    z.tuple([z.unknown(), z.number().int().min(0).max(MOST_IDS)]),
    z.tuple([z.unknown(), z.number().int().min(0).max(MOST_IDS), Counter, Whole]),
  ])
  .transform((value): WireValue => value as WireValue);
const Register_ = z.tuple([z.string().min(1).max(1_000)], Value_);
export const WirePart = z.tuple([
  z.string().regex(/^[a-z_]{1,40}$/),
  Name,
  z.string().regex(/^[a-z_]{0,60}$/),
  Whole,
  z.union([z.literal(0), z.literal(1)]),
  z.array(Register_),
]);
const Lane = z.number().int().min(0).max(255);
const Documents = z.array(WirePart).max(1_000);
export const WireCommit = z
  .union([z.tuple([Counter, Whole, Lane, Documents]), z.tuple([Counter, Whole, Lane, Documents, z.literal(1)])])
  .transform((commit): WireCommit => commit as WireCommit);
export const Life = z.string().regex(/^[^.\s]{1,120}\.\d{1,15}\.[^.\s]{1,120}$/);

/** Writes the parts of one message. `lives`: those that the reader knows already. */
export class PartWriter {
  readonly #columns: ColumnWriter;
  readonly #places = new Map<string, number>();
  /** The lives that the message must list. */
  readonly lives: string[] = [];

  constructor(columns: ColumnWriter, known: readonly string[]) {
    this.#columns = columns;
    for (const [place, life] of known.entries()) this.#places.set(life, place);
  }

  commit(commit: Commit): WireCommit {
    const { hlc, life, key, lane, docs } = commit;
    const isComputed = computedKey(SYNC_RULES, commit) === key;
    if (!isComputed) this.#columns.bytes.putHash(key, LONG);
    const stamp = this.#stamp({ hlc, life });
    const parts = docs.map((part) => this.part(part, { hlc, life }));
    return isComputed ? [...stamp, lane, parts] : [...stamp, lane, parts, 1];
  }

  /** `of`: the stamp of the commit. */
  part({ collection, id, object, registers, whole, rev }: Part, of?: Stamp): WirePart {
    const name = this.#columns.text(id);
    const list = [...registers].map(([path, register]): [string, ...WireValue[]] => [
      this.#columns.text(path),
      ...register.map((value) => this.#value(value, of)),
    ]);
    return [collection, name, object, rev, whole ? 1 : 0, list];
  }

  #value({ v, anc, hlc, life }: Value, of: Stamp | undefined): WireValue {
    for (const id of anc) this.#columns.bytes.putHash(id, SHORT);
    const stamp = hlc !== of?.hlc || life !== of.life ? this.#stamp({ hlc, life }) : undefined;
    const content = this.#columns.value(v === undefined ? null : v);
    if (stamp !== undefined) return [content, anc.length, ...stamp];
    return anc.length === 0 ? [content] : [content, anc.length];
  }

  #stamp({ hlc, life }: Stamp): [counter: number, life: number] {
    if (!/^[0-9a-f]{16}$/.test(hlc)) throw new RangeError(`${JSON.stringify(hlc)} is not a time`);
    this.#columns.stamp(Number.parseInt(hlc.slice(0, 12), 16));
    return [Number.parseInt(hlc.slice(12), 16), this.#place(life)];
  }

  #place(life: string): number {
    const known = this.#places.get(life);
    if (known !== undefined) return known;
    const place = this.#places.size;
    this.#places.set(life, place);
    this.lives.push(life);
    return place;
  }
}

/** Reads the parts of one message. Throws `WireError`. */
export class PartReader {
  readonly #lives: readonly string[];
  readonly #columns: ColumnReader;

  constructor(columns: ColumnReader, lives: readonly string[]) {
    this.#lives = lives;
    this.#columns = columns;
  }

  commit([counter, life, lane, parts, hasKey]: WireCommit): Commit {
    const key = hasKey === 1 ? this.#columns.bytes.takeHash(LONG) : undefined;
    const stamp = this.#stamp(counter, life);
    const commit = { ...stamp, lane, docs: parts.map((part) => this.part(part, stamp)) };
    return { ...commit, key: key ?? computedKey(SYNC_RULES, commit) };
  }

  part([collection, name, object, rev, whole, list]: WirePart, of?: Stamp): Part {
    const id = this.#columns.text(name);
    if (!Name.safeParse(id).success) throw damaged('an id has another form');
    const registers = new Map<string, Register>();
    for (const [written, ...values] of list) {
      const path = this.#columns.text(written);
      if (registers.has(path)) throw damaged(`it has two registers ${JSON.stringify(path)} of one document`);
      registers.set(path, this.#register(path, values, of));
    }
    const part = { collection, id, object, registers, rev };
    if (whole === 1) return { ...part, whole: true, vid: makeDoc(part, registers, rev).vid };
    return { ...part, whole: false, vid: '' };
  }

  #register(path: string, values: readonly WireValue[], of: Stamp | undefined): Register {
    const register = values.map((value) => this.#value(path, value, of));
    if (register.length === 0) throw damaged('it has a register without a value');
    for (let i = 1; i < register.length; i++)
      if (compareValues(register[i - 1] as Value, register[i] as Value) >= 0)
        throw damaged('the values of a register are not in their order');
    return register;
  }

  #value(path: string, [written, ancestors = 0, counter, life]: WireValue, of: Stamp | undefined): Value {
    const anc = Array.from({ length: ancestors }, () => this.#columns.bytes.takeHash(SHORT));
    const stamp = counter === undefined ? of : this.#stamp(counter, life as number);
    if (stamp === undefined) throw damaged('a value has no time');
    const v = this.#columns.tree(written);
    checkContent(path, v);
    return makeValue(path, v, stamp, anc);
  }

  #stamp(counter: number, place: number): Stamp {
    const life = this.#lives[place];
    const ms = this.#columns.stamp();
    if (life === undefined || ms < 0 || ms > LARGEST_MS) throw damaged('a time or a life is out of range');
    return { life, hlc: ms.toString(16).padStart(12, '0') + counter.toString(16).padStart(4, '0') };
  }
}

/** Checks what all code that reads values expects of them. */
function checkContent(path: string, v: unknown): void {
  if (!isShallow(v, MOST_DEPTH)) throw damaged(`a value is nested deeper than ${MOST_DEPTH} levels`);
  if (path !== DELETED || v === null) return;
  const { ctx } = v as { ctx?: unknown };
  if (!Array.isArray(ctx) || !ctx.every((id) => typeof id === 'string')) throw damaged('a deletion names no values');
}

const isShallow = (v: unknown, depth: number): boolean =>
  typeof v !== 'object' || v === null || (depth > 0 && Object.values(v).every((inner) => isShallow(inner, depth - 1)));
