import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationError } from '#contract/base/errors.ts';
import { LIMITS } from '#contract/base/limits.ts';
import { MOST_SEARCHED } from '#handlers/base/lists.ts';
import { startGateway } from '#test/support/gateway.ts';
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

test('[A101] one search call examines a limited number of documents, and its pages together have every match', async () => {
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

test('[A101] updated_after and updated_before filter by the last change, in any time offset', async () => {
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

test('[A616] a page ends at 4 MiB, and the cursor continues without omissions or repetitions', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'Pit' });
  const client = gateway.project(project.id);
  const { id } = await client.call('equipment_create', { unit_number: 'HT-1' });
  const wanted: string[] = [];
  for (let i = 0; i < 40; i++) {
    // Of one kind few texts are long, of the other many are short.
    const data = i % 2 ? { text: 'x'.repeat(240_000) } : { list: Array.from({ length: 16_000 }, () => 'short text') };
    wanted.push((await client.call('equipment_append_event', { id, type: 'x.large', data })).id);
  }
  for (const order of ['asc', 'desc'] as const) {
    const seen: string[] = [];
    let cursor: string | null = null;
    let pages = 0;
    do {
      const query: { cursor?: string } = cursor === null ? {} : { cursor };
      const url = client.url('equipment_events', { id, type: 'x.large', limit: 200, order, ...query });
      const text = await (await fetch(url, { headers: client.headers() })).text();
      assert.ok(text.length < 1.1 * LIMITS.page_bytes.value, `${text.length} bytes`);
      const page = JSON.parse(text) as { data: { id: string }[]; has_more: boolean; next_cursor: string | null };
      assert.equal(page.has_more, page.next_cursor !== null);
      assert.ok(page.data.length > 0);
      seen.push(...page.data.map((event) => event.id));
      cursor = page.next_cursor;
      pages++;
    } while (cursor !== null);
    assert.ok(pages >= 2, `${pages} pages`);
    assert.deepEqual(seen, order === 'asc' ? wanted : wanted.toReversed());
  }
  const csv = await fetch(client.url('equipment_events', { id, type: 'x.large' }), {
    headers: { ...client.headers(), accept: 'text/csv' },
  });
  const body = await csv.text();
  for (const event of wanted) assert.equal(body.split(event).length, 2);
  await assert.rejects(
    client.call('equipment_append_event', { id, type: 'x.larger', data: { text: 'x'.repeat(262_144) } }),
    ({ code }: { code: string }) => code === 'parameter_invalid',
  );
});
