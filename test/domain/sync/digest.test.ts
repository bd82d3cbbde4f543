import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { answerRanges, ComparisonStuck, nextRanges, startWalk, takeRanges } from '#domain/sync/digest.ts';
import { SYNC_RULES } from '#domain/sync/rules.ts';
import type { SyncTx } from '#domain/sync/store.ts';
import { NOTHING, one, plus } from '#domain/sync/sums.ts';

type Items = ReadonlyMap<number, ReadonlyMap<string, bigint>>;

/** The part of the tables of a node that a comparison reads. */
function nodeWith(items: Items): SyncTx {
  const leafItems = (_: string, leaf: number) => [...(items.get(leaf) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
  const sumOf = (leaf: number) => leafItems('', leaf).reduce((sum, [, hash]) => plus(sum, one(hash)), NOTHING);
  const leaves = (_: string, from: number) =>
    [...items.keys()]
      .filter((leaf) => leaf >= from)
      .sort((a, b) => a - b)
      .map((leaf) => [leaf, sumOf(leaf)] as const)
      .filter(([, { n }]) => n > 0);
  return { leaves, leafItems } as Partial<SyncTx> as SyncTx;
}

const itemsOf = (sizes: readonly number[], isHere: (key: string) => boolean): Items =>
  new Map(
    sizes.map((size, leaf) => {
      const keys = Array.from({ length: size }, (_, i) => `records/${leaf}_${i}`).filter(isHere);
      return [leaf * 7, new Map(keys.map((key) => [key, SYNC_RULES.item(key, '', '')]))] as const;
    }),
  );

/** Compares two nodes. Fails after so many rounds that no comparison of so few documents needs them. */
function compare(
  ours: SyncTx,
  theirs: SyncTx,
  answers = answerRanges,
): { ours: string[]; theirs: string[]; rounds: number } {
  const walk = startWalk(ours, 'records', 0);
  while (walk.open.length > 0) {
    assert.ok(walk.rounds < 200, 'the comparison does not end');
    const ranges = nextRanges(walk);
    takeRanges(ours, walk, ranges, answers(theirs, 'records', ranges));
  }
  return { ours: [...walk.ours].sort(), theirs: [...walk.theirs].sort(), rounds: walk.rounds };
}

test('[Y32] a comparison ends when a leaf with few documents comes before one with many', () => {
  const sizes = [1, 400];
  const ours = nodeWith(itemsOf(sizes, (key) => key !== 'records/1_250'));
  const found = compare(ours, nodeWith(itemsOf(sizes, () => true)));
  assert.deepEqual([found.ours, found.theirs], [[], ['records/1_250']]);
  assert.ok(found.rounds <= 4, `${found.rounds} rounds`);
});

test('[Y32] a comparison finds each difference, however the documents are spread over the leaves', () => {
  const size = fc.oneof(fc.constantFrom(0, 1, 2, 63, 64, 65, 127, 128, 129), fc.nat(400));
  const lost = fc.array(fc.tuple(fc.nat(7), fc.nat(400)), { maxLength: 6 });
  fc.assert(
    fc.property(fc.array(size, { minLength: 1, maxLength: 8 }), lost, lost, (sizes, here, there) => {
      const keysOf = (list: typeof here) =>
        new Set(list.flatMap(([leaf, i]) => (i < (sizes[leaf] ?? 0) ? [`records/${leaf}_${i}`] : [])));
      const [lacksHere, lacksThere] = [keysOf(here), keysOf(there)];
      const found = compare(
        nodeWith(itemsOf(sizes, (key) => !lacksHere.has(key))),
        nodeWith(itemsOf(sizes, (key) => !lacksThere.has(key))),
      );
      assert.deepEqual(found.ours, [...lacksThere].filter((key) => !lacksHere.has(key)).sort());
      assert.deepEqual(found.theirs, [...lacksHere].filter((key) => !lacksThere.has(key)).sort());
    }),
    { numRuns: 60 },
  );
});

/** An earlier version answers a range that ends with a large leaf with the range itself. */
const earlier: typeof answerRanges = (tx, scope, ranges) =>
  answerRanges(tx, scope, ranges).map((answer, i) => {
    const { lower = '', upper = '' } = ranges[i] ?? {};
    if (!('split' in answer) || tx.leaves(scope, 0).length < 2 || lower !== '' || upper !== '~') return answer;
    const n = answer.split.reduce((sum, part) => sum + part.n, 0);
    const sum = answer.split.reduce((all, part) => (all + BigInt(`0x${part.fp}`)) % 2n ** 128n, 0n);
    return { split: [{ lower, upper, n, fp: sum.toString(16) }] };
  });

test('[Y181] a comparison with an end of an earlier version ends, though that end does not divide a range', () => {
  const sizes = [1, 400];
  const lost = (key: string) => key !== 'records/1_250';
  const found = compare(nodeWith(itemsOf(sizes, lost)), nodeWith(itemsOf(sizes, () => true)), earlier);
  assert.deepEqual([found.ours, found.theirs], [[], ['records/1_250']]);
  const without = compare(nodeWith(new Map()), nodeWith(itemsOf(sizes, () => true)), earlier);
  assert.equal(without.theirs.length, 401);
});

test('[Y181] a comparison that makes no progress ends by name', () => {
  const same: typeof answerRanges = (_tx, _scope, ranges) =>
    ranges.map((one) => ({ split: [{ ...one, n: 1e6, fp: '7' }] }));
  const ours = nodeWith(itemsOf([1, 400], () => true));
  assert.throws(() => compare(ours, ours, same), ComparisonStuck);
});
