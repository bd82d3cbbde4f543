/**
 * Commits and documents as short lists. The stamp of a value is left out if it is the stamp of its commit, and its id always, because it is
 * a hash over the value. The key of a commit is left out if it is the hash over the values that are sent. The mark of a document is never
 * sent: the receiver computes that of a whole one, and needs no other.
 *
 *   commit     [time, counter, life, lane, documents] or [..., documents, 1]                      + key, with the 1
 *   document   [collection, id, object, revision, 0 | 1 (whole), registers]
 *   register   [path, ...values]
 *   value      [v], [v, ancestors] or [v, ancestors, time, counter, life]                         + ids of the ancestors
 *
 * A time is the difference in milliseconds to the time before it in the message. A life is its place in the list of lives of the message.
 */
import { z } from 'zod';
import { makeDoc, type Part } from '#domain/sync/documents.ts';
import { computedKey } from '#domain/sync/node.ts';
import { compareValues, DELETED, makeValue, type Register, type Stamp, type Value } from '#domain/sync/registers.ts';
import { SYNC_RULES } from '#domain/sync/rules.ts';
import type { Commit } from '#domain/sync/store.ts';
import { type HashReader, HashWriter, LONG, SHORT } from './hash-column.ts';
import { damaged } from './wire-error.ts';

/** How deep the content of a value may be nested. The API allows 32 levels. */
const MOST_DEPTH = 40;
/** Ids of ancestors of a value. A deletion has more of them than other values. */
const MOST_IDS = 100_000;
const LARGEST_MS = 2 ** 48 - 1;
const LARGEST_COUNTER = 0xffff;

type WireValue = [v: unknown, ancestors?: number, ms?: number, counter?: number, life?: number];
export type WirePart = [
  collection: string,
  id: string,
  object: string,
  rev: number,
  whole: 0 | 1,
  registers: [string, ...WireValue[]][],
];
export type WireCommit = [ms: number, counter: number, life: number, lane: number, docs: WirePart[], key?: 1];

const Name = z.string().regex(/^[\x21-\x7e]{1,200}$/);
const Whole = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const Milliseconds = z.number().int().min(-LARGEST_MS).max(LARGEST_MS);
const Counter = z.number().int().min(0).max(LARGEST_COUNTER);
const Value_ = z
  .union([
    z.tuple([z.unknown()]),
    z.tuple([z.unknown(), z.number().int().min(0).max(MOST_IDS)]),
    z.tuple([z.unknown(), z.number().int().min(0).max(MOST_IDS), Milliseconds, Counter, Whole]),
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
  .union([
    z.tuple([Milliseconds, Counter, Whole, Lane, Documents]),
    z.tuple([Milliseconds, Counter, Whole, Lane, Documents, z.literal(1)]),
  ])
  .transform((commit): WireCommit => commit as WireCommit);
export const Life = z.string().regex(/^[^.\s]{1,120}\.\d{1,15}\.[^.\s]{1,120}$/);

/** Writes the parts of one message. */
export class PartWriter {
  readonly hashes = new HashWriter();
  readonly lives: string[] = [];
  readonly #places = new Map<string, number>();
  #ms = 0;

  commit(commit: Commit): WireCommit {
    const { hlc, life, key, lane, docs } = commit;
    const isComputed = computedKey(SYNC_RULES, commit) === key;
    if (!isComputed) this.hashes.put(key, LONG);
    const [ms, counter, place] = this.#stamp({ hlc, life });
    const parts = docs.map((part) => this.part(part, { hlc, life }));
    return isComputed ? [ms, counter, place, lane, parts] : [ms, counter, place, lane, parts, 1];
  }

  /** `of`: the stamp of the commit. */
  part({ collection, id, object, registers, whole, rev }: Part, of?: Stamp): WirePart {
    const list = [...registers].map(([path, register]): [string, ...WireValue[]] => [
      path,
      ...register.map((value) => this.#value(value, of)),
    ]);
    return [collection, id, object, rev, whole ? 1 : 0, list];
  }

  #value({ v, anc, hlc, life }: Value, of: Stamp | undefined): WireValue {
    for (const id of anc) this.hashes.put(id, SHORT);
    const content = v === undefined ? null : v;
    if (hlc !== of?.hlc || life !== of.life) return [content, anc.length, ...this.#stamp({ hlc, life })];
    return anc.length === 0 ? [content] : [content, anc.length];
  }

  #stamp({ hlc, life }: Stamp): [number, number, number] {
    if (!/^[0-9a-f]{16}$/.test(hlc)) throw new RangeError(`${JSON.stringify(hlc)} is not a time`);
    const ms = Number.parseInt(hlc.slice(0, 12), 16);
    const difference = ms - this.#ms;
    this.#ms = ms;
    return [difference, Number.parseInt(hlc.slice(12), 16), this.#place(life)];
  }

  #place(life: string): number {
    const known = this.#places.get(life);
    if (known !== undefined) return known;
    this.#places.set(life, this.lives.length);
    return this.lives.push(life) - 1;
  }
}

/** Reads the parts of one message. Throws `WireError`. */
export class PartReader {
  readonly #lives: readonly string[];
  readonly #hashes: HashReader;
  #ms = 0;

  constructor(lives: readonly string[], hashes: HashReader) {
    this.#lives = lives;
    this.#hashes = hashes;
  }

  commit([ms, counter, life, lane, parts, hasKey]: WireCommit): Commit {
    const key = hasKey === 1 ? this.#hashes.take(LONG) : undefined;
    const stamp = this.#stamp(ms, counter, life);
    const commit = { ...stamp, lane, docs: parts.map((part) => this.part(part, stamp)) };
    return { ...commit, key: key ?? computedKey(SYNC_RULES, commit) };
  }

  part([collection, id, object, rev, whole, list]: WirePart, of?: Stamp): Part {
    const registers = new Map<string, Register>();
    for (const [path, ...values] of list) {
      if (registers.has(path)) throw damaged(`it has two registers ${JSON.stringify(path)} of one document`);
      registers.set(path, this.#register(path, values, of));
    }
    const name = { collection, id, object, registers, rev };
    if (whole === 1) return { ...name, whole: true, vid: makeDoc(name, registers, rev).vid };
    return { ...name, whole: false, vid: '' };
  }

  #register(path: string, values: readonly WireValue[], of: Stamp | undefined): Register {
    const register = values.map((value) => this.#value(path, value, of));
    if (register.length === 0) throw damaged('it has a register without a value');
    for (let i = 1; i < register.length; i++)
      if (compareValues(register[i - 1] as Value, register[i] as Value) >= 0)
        throw damaged('the values of a register are not in their order');
    return register;
  }

  #value(path: string, [v, ancestors = 0, ms, counter, life]: WireValue, of: Stamp | undefined): Value {
    checkContent(path, v);
    const anc = Array.from({ length: ancestors }, () => this.#hashes.take(SHORT));
    const stamp = ms === undefined ? of : this.#stamp(ms, counter as number, life as number);
    if (stamp === undefined) throw damaged('a value has no time');
    return makeValue(path, v, stamp, anc);
  }

  #stamp(difference: number, counter: number, place: number): Stamp {
    const life = this.#lives[place];
    const ms = this.#ms + difference;
    if (life === undefined || ms < 0 || ms > LARGEST_MS) throw damaged('a time or a life is out of range');
    this.#ms = ms;
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
