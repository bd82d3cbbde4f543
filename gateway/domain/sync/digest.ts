/**
 * Finds the documents that differ between two nodes. The nodes compare sums of ranges of their documents and divide the ranges that differ,
 * so that few bytes find a hole among millions. A range is a part of the order (leaf, key).
 */
import type { Sum, SyncTx } from './store.ts';
import { NOTHING, one, plus } from './sums.ts';

/** A range that differs is divided into at most this many. */
const FAN_OUT = 64;
/** A range with at most this many items is answered with its items. */
const MOST_ITEMS = 128;
/** Ranges of one request. */
const MOST_RANGES = 64;

export interface Range {
  /** The first place, and the place after the last one. */
  readonly lower: string;
  readonly upper: string;
  readonly n: number;
  /** The sum of the hashes, hexadecimal. */
  readonly fp: string;
}

/** equal: nothing to do. items: all items of the answering node. split: sums of parts of the range. */
export type RangeAnswer =
  | { readonly equal: true }
  | { readonly items: readonly (readonly [key: string, hash: string])[] }
  | { readonly split: readonly Range[] };

const END = '~';
const placeOf = (leaf: number, key: string): string => leaf.toString(16).padStart(8, '0') + key;
const leafOf = (place: string): number =>
  place === '' ? 0 : place === END ? Number.MAX_SAFE_INTEGER : Number.parseInt(place.slice(0, 8), 16);

/** The first place of a leaf. */
const leafStart = (leaf: number): string => (leaf === 0 ? '' : placeOf(leaf, ''));

type Place = readonly [place: string, key: string, hash: bigint];

function* itemsOf(tx: SyncTx, scope: string, lower: string, upper: string): Generator<Place> {
  const last = leafOf(upper);
  for (const [leaf] of tx.leaves(scope, leafOf(lower))) {
    if (leaf > last) return;
    for (const [key, hash] of tx.leafItems(scope, leaf)) {
      const place = placeOf(leaf, key);
      if (place >= lower && place < upper) yield [place, key, hash];
    }
  }
}

/** The pieces of a range: whole leaves with their stored sums, and single items of leaves that are only partly in the range. */
function* piecesOf(tx: SyncTx, scope: string, lower: string, upper: string): Generator<readonly [string, Sum]> {
  const last = leafOf(upper);
  for (const [leaf, sum] of tx.leaves(scope, leafOf(lower))) {
    if (leaf > last) return;
    if (placeOf(leaf, '') >= lower && leafStart(leaf + 1) <= upper) yield [placeOf(leaf, ''), sum];
    else
      for (const [key, hash] of tx.leafItems(scope, leaf)) {
        const place = placeOf(leaf, key);
        if (place >= lower && place < upper) yield [place, one(hash)];
      }
  }
}

/** The sum of a range. */
function rangeOf(tx: SyncTx, scope: string, lower = '', upper = END): Range {
  let sum = NOTHING;
  for (const [, piece] of piecesOf(tx, scope, lower, upper)) sum = plus(sum, piece);
  return { lower, upper, n: sum.n, fp: sum.sum.toString(16) };
}

function splitRange(tx: SyncTx, scope: string, { lower, upper, n }: Range): Range[] {
  const pieces = [...piecesOf(tx, scope, lower, upper)];
  // One leaf only: its items are the pieces.
  const all =
    pieces.length > 1
      ? pieces
      : [...itemsOf(tx, scope, lower, upper)].map(([place, , hash]) => [place, one(hash)] as const);
  const target = Math.ceil(n / FAN_OUT);
  const ranges: Range[] = [];
  let from = lower;
  let sum = NOTHING;
  for (const [i, [place, piece]] of all.entries()) {
    // A large leaf after small ones stands alone: a part that is the whole range would be asked for again and again.
    const isWhole = ranges.length === 0 && i === all.length - 1 && i > 0;
    if (sum.n >= target || isWhole) {
      ranges.push({ lower: from, upper: place, n: sum.n, fp: sum.sum.toString(16) });
      from = place;
      sum = NOTHING;
    }
    sum = plus(sum, piece);
  }
  ranges.push({ lower: from, upper, n: sum.n, fp: sum.sum.toString(16) });
  return ranges;
}

const short = (hash: bigint): string => hash.toString(16).slice(0, 16);

/** The answer of a node to ranges of another node. */
export function answerRanges(tx: SyncTx, scope: string, ranges: readonly Range[]): RangeAnswer[] {
  return ranges.map((theirs): RangeAnswer => {
    const own = rangeOf(tx, scope, theirs.lower, theirs.upper);
    if (own.n === theirs.n && own.fp === theirs.fp) return { equal: true };
    if (own.n > MOST_ITEMS) return { split: splitRange(tx, scope, own) };
    return { items: [...itemsOf(tx, scope, theirs.lower, theirs.upper)].map(([, key, hash]) => [key, short(hash)]) };
  });
}

/** The keys of documents that differ. */
export interface Difference {
  /** Only the asking node has them. */
  readonly ours: Set<string>;
  /** Only the answering node has them. */
  readonly theirs: Set<string>;
  /** Both have them with other content. */
  readonly both: Set<string>;
}

/** The comparison of one scope by the node that asks. */
export interface Walk extends Difference {
  readonly scope: string;
  readonly open: Range[];
  rounds: number;
  /** How many ranges this end had to divide, because the other one did not. */
  halved: number;
}

export function startWalk(tx: SyncTx, scope: string, floor: number): Walk {
  const open = [rangeOf(tx, scope, leafStart(floor))];
  return { scope, open, rounds: 0, halved: 0, ours: new Set(), theirs: new Set(), both: new Set() };
}

/** Takes the ranges of the next request; empty at the end. */
export const nextRanges = (walk: Walk): Range[] => walk.open.splice(0, MOST_RANGES);

/** The other end gives no answer that brings the comparison further. */
export class ComparisonStuck extends Error {
  readonly code = 'comparison_stuck';
  constructor() {
    super(
      'The comparison of a project makes no progress, because head office answers a question with the same question. Update head office. The site keeps the changes of this project and tries again every hour. Its other projects go on.',
    );
    this.name = 'ComparisonStuck';
  }
}

const isSmaller = (part: Pick<Range, 'lower' | 'upper'>, { lower, upper }: Pick<Range, 'lower' | 'upper'>): boolean =>
  part.lower >= lower && part.upper <= upper && part.lower < part.upper && (part.lower > lower || part.upper < upper);

/** So many ranges that the other end does not divide are in no comparison that makes progress. */
const MOST_HALVED = 10_000;
/** The largest leaf of which a place can tell. */
const LAST_LEAF = 0xffffffff;

/**
 * Divides a range between two leaves. An earlier version of the program may answer a range of several leaves with the range itself; the node
 * that asks then divides it. Throws `ComparisonStuck` for a range of one leaf.
 */
function halvesOf(tx: SyncTx, scope: string, { lower, upper }: Pick<Range, 'lower' | 'upper'>): Range[] {
  const first = leafOf(lower);
  const last = Math.min(leafOf(upper), LAST_LEAF);
  const middle = leafStart(first + Math.ceil((last - first) / 2));
  if (middle <= lower || middle >= upper) throw new ComparisonStuck();
  return [rangeOf(tx, scope, lower, middle), rangeOf(tx, scope, middle, upper)];
}

/** Takes the answers to ranges, and notes what differs and what to ask next. */
export function takeRanges(tx: SyncTx, walk: Walk, ranges: readonly Range[], answers: readonly RangeAnswer[]): void {
  walk.rounds++;
  for (const [i, answer] of answers.entries()) {
    const { lower, upper } = ranges[i] as Range;
    if ('items' in answer) {
      const theirs = new Map(answer.items);
      for (const [, key, hash] of itemsOf(tx, walk.scope, lower, upper)) {
        const other = theirs.get(key);
        if (other === undefined) walk.ours.add(key);
        else if (other !== short(hash)) walk.both.add(key);
        theirs.delete(key);
      }
      for (const key of theirs.keys()) walk.theirs.add(key);
    } else if ('split' in answer) {
      for (const part of answer.split) {
        const own = rangeOf(tx, walk.scope, part.lower, part.upper);
        if (own.n === part.n && own.fp === part.fp) continue;
        if (isSmaller(part, { lower, upper })) walk.open.push(own);
        else if (++walk.halved > MOST_HALVED) throw new ComparisonStuck();
        else walk.open.push(...halvesOf(tx, walk.scope, { lower, upper }));
      }
    }
  }
  if (walk.open.length > 0) return;
  // A fact with another time is in another leaf at each end.
  for (const key of [...walk.ours])
    if (walk.theirs.delete(key)) {
      walk.ours.delete(key);
      walk.both.add(key);
    }
}
