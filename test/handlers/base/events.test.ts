import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationError } from '#contract/base/errors.ts';
import { SERVICE_KINDS } from '#contract/base/event.ts';
import { startGateway } from '#test/support/gateway.ts';
import { openRig } from '#test/support/handler-rig.ts';

const code = (wanted: string) => (error: OperationError) => error.code === wanted;

test('[A14] a caller appends the kinds of the resource, notes and kinds of its own', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('equipment_create', { unit_number: 'HT-14' });
  const occurred_at = '2026-11-20T06:00:00.000Z';
  const event = await rig.call('equipment_append_event', {
    id,
    type: 'fuel.added',
    occurred_at,
    data: { litres: 300 },
  });
  assert.deepEqual(event.subject, { object: 'equipment', id });
  assert.deepEqual([event.occurred_at, event.source, event.data], [occurred_at, 'api', { litres: 300 }]);
  assert.deepEqual(event.actor, { type: 'workspace', id: 'key_owner', name: 'owner' });
  assert.equal(event.gateway_id, rig.store.nodeId);
  await rig.call('equipment_append_event', { id, type: 'note', data: { text: 'tyre looks worn' } });
  await rig.call('equipment_append_event', { id, type: 'x.blast-clearance' });
  const notes = await rig.call('equipment_events', { id, type: 'note' });
  assert.deepEqual(
    notes.data.map(({ data }) => data),
    [{ text: 'tyre looks worn' }],
  );
});

test('[A14] kinds of the gateway are refused by name, unknown kinds with the list of kinds', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('equipment_create', { unit_number: 'HT-14' });
  for (const type of SERVICE_KINDS)
    await assert.rejects(rig.call('equipment_append_event', { id, type }), code('read_only_kind'));
  for (const type of ['fuel', 'x.', 'x', 'displayed', 'fuel.added ', 'X.mine'])
    await assert.rejects(rig.call('equipment_append_event', { id, type }), code('parameter_invalid'));
  await assert.rejects(
    rig.call('equipment_append_event', { id, type: 'note', source: 'headframe' }),
    code('parameter_invalid'),
  );
  assert.equal((await rig.call('equipment_events', { id })).data.length, 1);
});

test('[A14] an appended event changes no status', async () => {
  await using rig = await openRig();
  const before = await rig.call('equipment_create', { unit_number: 'HT-14' });
  await rig.call('equipment_append_event', { id: before.id, type: 'downtime.started' });
  const after = await rig.call('equipment_get', { id: before.id });
  assert.deepEqual([after.status, after.live_status, after.revision], [before.status, before.live_status, 1]);
});

test('[A15] a repeated event of a source answers the first event, also for concurrent calls', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('equipment_create', { unit_number: 'HT-14' });
  const other = await rig.call('equipment_create', { unit_number: 'HT-15' });
  const event = { type: 'fuel.added', source: 'fuel-bay', source_event_id: '4711' };
  const all = await Promise.all(
    [1, 2, 3, 4].map((litres) => rig.call('equipment_append_event', { id, ...event, data: { litres } })),
  );
  assert.equal(new Set(all.map((one) => one.id)).size, 1);
  assert.equal(new Set(all.map((one) => one.data.litres)).size, 1);
  const elsewhere = await rig.call('equipment_append_event', { id: other.id, ...event });
  const again = await rig.call('equipment_append_event', { id, ...event, source: 'scale' });
  assert.equal(new Set([all[0]?.id, elsewhere.id, again.id]).size, 3);
  const log = await rig.call('equipment_events', { id, type: 'fuel.added' });
  assert.equal(log.data.length, 2);
});

test('[A2] the events of one call are in their order in the log, also within one millisecond', async () => {
  await using rig = await openRig();
  rig.freeze();
  for (let i = 0; i < 10; i++) {
    const { id } = await rig.call('equipment_create', { unit_number: `HT-${i}` });
    const { device } = await rig.call('devices_provision', { serial: `S${i}`, equipment_id: id });
    const log = await rig.call('devices_events', { id: device.id, order: 'asc' });
    assert.deepEqual(
      log.data.map(({ type }) => type),
      ['created', 'device.linked', 'provisioned'],
    );
  }
});

test('[A8] a log is paged newest first while events arrive', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('equipment_create', { unit_number: 'HT-14' });
  for (let i = 0; i < 5; i++) await rig.call('equipment_append_event', { id, type: 'note', data: { i } });
  const first = await rig.call('equipment_events', { id, limit: 2, type: 'note' });
  await rig.call('equipment_append_event', { id, type: 'note', data: { i: 99 } });
  const second = await rig.call('equipment_events', { id, limit: 3, type: 'note', cursor: first.next_cursor ?? '' });
  assert.deepEqual(
    [...first.data, ...second.data].map(({ data }) => data.i),
    [4, 3, 2, 1, 0],
  );
  assert.equal(second.has_more, false);
});

test('[A601] an event in the future is refused, and a time with an offset is stored in UTC', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('equipment_create', { unit_number: 'HT-1' });
  const told = (occurred_at: string) => rig.call('equipment_append_event', { id, type: 'note', occurred_at });
  for (const time of ['9999-01-01T00:00:00Z', '2999-06-01T00:00:00Z', '2026-11-23T14:00:00Z', '0000-01-01T00:00:00Z'])
    await assert.rejects(
      told(time),
      (error: OperationError) => error.code === 'parameter_invalid' && error.param === 'occurred_at',
    );
  assert.equal((await told('2026-11-21T20:00:00+05:30')).occurred_at, '2026-11-21T14:30:00.000Z');
  assert.equal((await rig.call('equipment_events', { id, type: 'note' })).data.length, 1);
});

test('[A604] the answer to an append and its replay have the sequence of the stored event', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'Pit' });
  const client = gateway.project(project.id);
  const { id } = await client.call('equipment_create', { unit_number: 'HT-1' });
  const append = (more: object, idempotency_key?: string) =>
    client.call('equipment_append_event', { id, type: 'note', ...more }, idempotency_key ? { idempotency_key } : {});
  const first = await append({});
  const keyed = await append({ data: { text: 'a' } }, 'k1');
  const replayed = await append({ data: { text: 'a' } }, 'k1');
  const sourced = await append({ source: 'fms', source_event_id: '1' });
  const repeated = await append({ source: 'fms', source_event_id: '1' });
  assert.deepEqual(replayed, keyed);
  assert.deepEqual(repeated, sourced);
  const { data } = await client.call('equipment_events', { id, type: 'note', order: 'asc' });
  assert.deepEqual(data, [first, keyed, sourced]);
  const numbers = data.map(({ sequence }) => sequence ?? Number.NaN);
  assert.ok(
    numbers.every((number, i) => number > (numbers[i - 1] ?? 0)),
    numbers.join(),
  );
});
