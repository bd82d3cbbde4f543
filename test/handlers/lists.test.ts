import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationError } from '#contract/errors.ts';
import { MOST_SEARCHED } from '#handlers/lists.ts';
import { openRig, type Rig } from '#test/support/handler-rig.ts';

/** Machines straight into the store, oldest first. */
async function fill(rig: Rig, count: number, nameOf: (i: number) => string): Promise<void> {
  const template = await rig.call('equipment_create', { unit_number: 'template' });
  const { data } = (await rig.store.view(rig.project).get('records', template.id)) ?? assert.fail();
  for (let from = 0; from < count; from += 500)
    await rig.store.view(rig.project).commit(
      Array.from({ length: Math.min(500, count - from) }, (_, i) => ({
        collection: 'records' as const,
        id: `eq_${String(from + i).padStart(26, '0')}`,
        object: 'equipment',
        data: { ...data, unit_number: `U-${from + i}`, name: nameOf(from + i), aliases: [`Alias ${from + i}`] },
        expected: 0,
      })),
    );
}

test('[A101] q finds part of a number, name or alias, whatever the case and width', async () => {
  await using rig = await openRig();
  await rig.call('equipment_create', { unit_number: 'HT-14', name: 'Haul truck', aliases: ['Big Red'] });
  await rig.call('equipment_create', { unit_number: 'EX-2', name: 'Excavator' });
  const found = async (q: string) =>
    (await rig.call('equipment_list', { q })).data.map(({ unit_number }) => unit_number);
  for (const q of ['ht-1', 'HAUL', ' big red ', 'Ｈaul', 'k']) assert.deepEqual(await found(q), ['HT-14'], q);
  assert.deepEqual(await found('x'), ['EX-2']);
  assert.deepEqual(await found('dozer'), []);
  await assert.rejects(
    rig.call('equipment_list', { q: ' ' }),
    (error: OperationError) => error.code === 'parameter_invalid',
  );
});

test('[A101] a search looks at a bounded part, and its pages together hold exactly what matches', async () => {
  await using rig = await openRig();
  const count = 2 * MOST_SEARCHED + 300;
  const wanted = new Set([0, 1, 700, MOST_SEARCHED + 5, count - 1]);
  await fill(rig, count, (i) => (wanted.has(i) ? 'needle' : 'hay'));
  for (const limit of [1, 2, 50]) {
    const seen: string[] = [];
    let pages = 0;
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof next>> = await next(limit, cursor);
      seen.push(...page.data.map(({ unit_number }) => unit_number));
      assert.ok(page.data.length <= limit);
      assert.equal(page.has_more, page.next_cursor !== null);
      cursor = page.next_cursor;
      pages++;
    } while (cursor !== null);
    const expected = [...wanted].sort((a, b) => b - a).map((i) => `U-${i}`);
    assert.deepEqual(seen, expected);
    assert.ok(pages >= 3, 'one call does not look at everything');
  }

  function next(limit: number, cursor: string | null) {
    return rig.call('equipment_list', { q: 'NEEDLE', limit, ...(cursor === null ? {} : { cursor }) });
  }
});

test('[A101] updated_after and updated_before cut by the last change, in any offset', async () => {
  await using rig = await openRig();
  const early = await rig.call('operators_create', { name: 'early' });
  const late = await rig.call('operators_create', { name: 'late' });
  const before = new Date(rig.now).toISOString();
  rig.now += 1_000;
  await rig.call('operators_update', { id: early.id, crew: 'B' });
  const names = async (query: object) => (await rig.call('operators_list', query)).data.map(({ name }) => name);
  assert.deepEqual(await names({ updated_after: before }), ['early']);
  assert.deepEqual(await names({ updated_before: before }), ['late']);
  assert.deepEqual(await names({ updated_after: before.replace('Z', '+00:00'), q: 'late' }), []);
  assert.equal(late.revision, 1);
});
