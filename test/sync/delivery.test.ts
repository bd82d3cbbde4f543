/** Whether a change of head office has arrived at the site. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '#test/support/until.ts';
import { twoEnds } from './ends.ts';

test('[Y103] a change of head office waits while the site is away, and says when it arrived', async () => {
  await using ends = await twoEnds();
  const { site, cloud, here, there } = ends;
  const { id } = await here.call('equipment_create', { unit_number: 'HT-14' });
  const ticket = await here.call('repair_tickets_create', { equipment_id: id, title: 'Brake fades' });
  const arrived = async () => (await there.call('repair_tickets_list', {})).data.length === 1;
  await until(arrived, 'head office has the ticket');
  // The site made the last change, so head office has none that could wait.
  assert.equal((await there.call('equipment_get', { id })).delivery, null);
  assert.equal('delivery' in (await here.call('equipment_get', { id })), false);

  await site.kill();
  await there.call('equipment_update', { id, name: 'Big truck' });
  await there.call('repair_tickets_update', { id: ticket.id, priority: 'critical' });
  const machineOf = async () => (await there.call('equipment_get', { id })).delivery;
  const ticketOf = async () => (await there.call('repair_tickets_get', { id: ticket.id })).delivery;
  for (const delivery of [await machineOf(), await ticketOf()]) {
    assert.equal(delivery?.state, 'waits');
    assert.equal(delivery.arrived_at, null);
    assert.ok(Date.parse(delivery.changed_at) > 0);
  }
  // A restart of head office forgets none of this.
  await cloud.kill();
  await cloud.start();
  assert.equal((await machineOf())?.state, 'waits');

  await site.start();
  await until(async () => (await machineOf())?.state === 'arrived', 'the change of the machine arrived');
  await until(async () => (await ticketOf())?.state === 'arrived', 'the change of the ticket arrived');
  assert.equal((await here.call('equipment_get', { id })).name, 'Big truck');
  const delivery = await machineOf();
  assert.ok((delivery?.arrived_at ?? '') > (delivery?.changed_at ?? ''), JSON.stringify(delivery));
  // An edit of the site afterwards changes nothing of this.
  await here.call('equipment_update', { id, name: 'Bigger truck' });
  await until(
    async () => (await there.call('equipment_get', { id })).name === 'Bigger truck',
    'head office has the edit of the site',
  );
  assert.deepEqual(await machineOf(), delivery);
});
