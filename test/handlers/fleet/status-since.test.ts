/** A person reports a status later than it began, or corrects the time afterwards. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationError } from '#contract/base/errors.ts';
import { as, openRig } from '#test/support/handler-rig.ts';

const HOUR_MS = 3_600_000;
const refusedTime = (error: OperationError) => error.code === 'parameter_invalid' && error.param === 'status_since';

async function site() {
  const rig = await openRig();
  const { id } = await rig.call('equipment_create', { unit_number: 'WL-02' });
  const now_ms = Date.parse((await rig.call('equipment_get', { id })).created_at);
  return { rig, id, ago: (hours: number) => new Date(now_ms - hours * HOUR_MS).toISOString() };
}

test('[A987] a machine that is reported down late is down since the time that the person gives', async () => {
  const { rig, id, ago } = await site();
  await using _ = rig;
  const changed = await rig.call(
    'equipment_update',
    { id, status: 'down', status_since: ago(5), reason: 'No oil' },
    as('operator'),
  );
  assert.equal(changed.status_since, ago(5));
  const { attention } = await rig.call('equipment_get', { id, include: 'attention' });
  assert.deepEqual([attention?.reasons[0]?.cause, attention?.reasons[0]?.since], ['down', ago(5)]);
  const { data } = await rig.call('equipment_events', { id, type: 'status_changed' });
  assert.deepEqual(
    data.map((event) => [event.occurred_at, event.data]),
    [[ago(5), { from: 'available', to: 'down', reason: 'No oil' }]],
  );
  const story = await rig.call('equipment_story', { id, from: ago(12) });
  assert.deepEqual([story.states.at(-1)?.state, story.states.at(-1)?.from], ['down', ago(5)]);
});

test('[A987] a second call corrects the time to an earlier one, and the log keeps both', async () => {
  const { rig, id, ago } = await site();
  await using _ = rig;
  await rig.call('equipment_update', { id, status: 'down' });
  const corrected = await rig.call('equipment_update', { id, status: 'down', status_since: ago(2) }, as('mechanic'));
  assert.equal(corrected.status_since, ago(2));
  await assert.rejects(rig.call('equipment_update', { id, status: 'down', status_since: ago(1) }), refusedTime);
  const { data } = await rig.call('equipment_events', { id, type: 'status_changed', order: 'asc' });
  assert.deepEqual(
    data.map((event) => event.data),
    [
      { from: 'available', to: 'down' },
      { from: 'available', to: 'down' },
    ],
  );
  const again = await rig.call('equipment_update', { id, status_since: ago(2) });
  assert.equal(again.revision, corrected.revision);
});

test('[A987] a status does not begin in the future, more than a year ago, or before the last other status', async () => {
  const { rig, id, ago } = await site();
  await using _ = rig;
  await rig.call('equipment_update', { id, status: 'maintenance', status_since: ago(3) });
  for (const hours of [-1, 4, 366 * 24 + 1])
    await assert.rejects(
      rig.call('equipment_update', { id, status: 'down', status_since: ago(hours) }),
      refusedTime,
      String(hours),
    );
  const changed = await rig.call('equipment_update', { id, status: 'down', status_since: ago(3) });
  assert.equal(changed.status_since, ago(3));
});
