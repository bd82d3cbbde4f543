/** What head office says about the delivery of a change, on a real store, when a site fetched rows of a log that head office lost. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Write } from '#contract/base/view.ts';
import { deliveryOf } from '#sync/deliveries.ts';
import { temporaryStore } from '#test/store/kit.ts';
import { PROJECT } from '#test/store/sync-kit.ts';

const machine = (name: string): Write => ({
  collection: 'records',
  id: 'eq_1',
  object: 'equipment',
  data: { name, unit_number: 'HT-01', aliases: [], status: 'available', labels: {} },
});

test('[Y265] a position of a log that head office lost does not say that a change has arrived', async () => {
  await using t = await temporaryStore();
  const { store } = t;
  await store.sync.join(PROJECT);
  await store.view(PROJECT).commit([machine('Truck')]);
  const head = () => store.sync.run(PROJECT, (tx) => tx.head());
  const before = await head();
  await store.view(PROJECT).commit([machine('Big truck')]);
  const after = await head();
  const at = '2026-11-27T10:00:00.000Z';
  const stateWith = async (mark: { n: number; chain?: string }) => {
    const marks = [
      { ...before, at },
      { ...mark, at },
    ];
    const asked = { project_id: PROJECT, record_id: 'eq_1', gateway_id: 'gateway_other', marks };
    return (await deliveryOf(store.sync, asked))?.state;
  };
  assert.equal(await stateWith(after), 'arrived');
  // A mark of an earlier version has only the number.
  assert.equal(await stateWith({ n: after.n }), 'arrived');
  // The site fetched a row with this number, or a later one, before head office was put back.
  assert.equal(await stateWith({ n: after.n, chain: 'lost' }), 'waits');
  assert.equal(await stateWith({ n: after.n + 5, chain: 'lost' }), 'waits');
});
