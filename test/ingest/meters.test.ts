/** Meters through the journal: readings of people, counted hours and segments survive a crash, and every reader has the same total. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationError } from '#contract/base/errors.ts';
import { hours, speed } from './frames.ts';
import { type Site, startSite } from './support.ts';

const kind = 'engine_hours';
const hasCode = (code: string, param?: string) => (error: OperationError) =>
  error.code === code && (param === undefined || error.param === param);

async function total(site: Site, unit = 'HT-1') {
  const id = site.machine(unit);
  const machine = await site.call('equipment_get', { id, include: 'calc' });
  const { data } = await site.call('equipment_meters', { id });
  const meter = data.find((one) => one.kind === kind) ?? assert.fail('the machine has no hour meter');
  const shown = machine.meters.find((one) => one.kind === kind);
  // All readers of the same number.
  assert.equal(machine.engine_hours, meter.value);
  assert.equal(shown?.value, meter.value);
  assert.equal(shown?.needs_review, meter.needs_review);
  const { reading = 0, offset = 0, segment } = machine.calc?.engine_hours ?? {};
  assert.ok(Math.abs(reading + offset - meter.value) < 1e-6);
  assert.equal(segment, meter.segments.at(-1)?.id);
  return meter;
}

test('[A810] a person reconciles a swapped meter; total, segments, event and audit survive a crash', async () => {
  await using site = await startSite();
  const device = await site.device('truck', 'HT-1');
  const start = site.time.ms - 600_000;
  for (const [i, h] of [9000, 12, 12.05].entries()) await site.send(device, 'can', hours(start + i * 1000, h));
  await site.settle();
  assert.match((await total(site)).needs_review ?? '', /fell/);
  const id = site.machine('HT-1');
  await assert.rejects(
    site.call('equipment_meters_reconcile', { id, kind: 'engine_speed', value: 1, reason: 'x' }),
    hasCode('parameter_invalid', 'kind'),
  );
  const observed_at = new Date(start - 3_600_000).toISOString();
  await assert.rejects(
    site.call('equipment_meters_reconcile', { id, kind, value: 9002, reason: 'x', observed_at }),
    hasCode('parameter_invalid', 'observed_at'),
  );
  const late = new Date(site.time.ms + 60_000).toISOString();
  await assert.rejects(
    site.call('equipment_meters_reconcile', { id, kind, value: 9002, reason: 'x', observed_at: late }),
    hasCode('parameter_invalid', 'observed_at'),
  );
  await assert.rejects(
    site.call('equipment_meters_reconcile', { id, kind, value: 1e9, reason: 'x' }),
    hasCode('parameter_invalid', 'value'),
  );
  const at = new Date(start + 60_000).toISOString();
  const made = await site.call('equipment_meters_reconcile', {
    id,
    kind,
    value: 9002.5,
    observed_at: at,
    reason: 'control unit replaced',
  });
  assert.deepEqual([made.value, made.offset, made.needs_review], [9002.5, 8990.45, null]);
  assert.deepEqual(
    made.segments.map((one) => [one.opened_because, one.reason]),
    [
      ['first', null],
      ['rolled_back', null],
      ['reconciled', 'control unit replaced'],
    ],
  );
  await site.restart({ crash: true });
  await site.settle();
  assert.deepEqual((await total(site)).segments, made.segments);
  await site.send(device, 'can', hours(site.time.ms, 12.1));
  await site.stored();
  assert.equal((await total(site)).value, 9002.55);
  await site.restart();
  await site.settle();
  assert.equal((await total(site)).value, 9002.55);
  // The number leads to its frame, and from the reading in the frame to the total.
  const ref = (await total(site)).segments.at(-1)?.last.ref ?? '';
  const { values } = await site.call('lineage_get', { ref });
  assert.deepEqual(values[0]?.value, 12.1);
  assert.equal(
    values[0]?.steps.at(-1),
    'Segment 3 of the meter (reconciled by owner: control unit replaced) adds the offset 8990.45 h, so the total of the machine is 9002.55 h.',
  );
  const events = await site.call('equipment_events', { id, type: 'meter.reconciled' });
  assert.deepEqual(
    events.data.map(({ actor, data }) => [actor.name, data.from, data.to, data.reason]),
    [['owner', 9000.05, 9002.5, 'control unit replaced']],
  );
});

test('[A810] a machine without any device has a meter by hand, and every role but the four is refused', async () => {
  await using site = await startSite();
  const id = await site.addMachine('PUMP-1');
  const reading = { id, kind, value: 812.3, reason: 'monthly round' };
  for (const role of ['viewer', 'operator', 'agent'] as const)
    await assert.rejects(
      site.call('equipment_meters_reconcile', reading, { caller: { role } }),
      hasCode('permission_denied'),
    );
  await site.call('equipment_meters_reconcile', reading, { caller: { role: 'mechanic' } });
  await site.restart({ crash: true });
  await site.settle();
  const { value, basis, device_id } = await total(site, 'PUMP-1');
  assert.deepEqual([value, basis, device_id], [812.3, 'manual', null]);
  const [first] = (await total(site, 'PUMP-1')).segments;
  const read = await site.call('lineage_get', { ref: first?.first.ref ?? '' });
  assert.deepEqual([read.equipment_id, read.source?.topic], [id, 'meter']);
  assert.deepEqual(read.values[0]?.steps, ['owner read engine.hours = 812.3 h on the machine. Reason: monthly round']);
  await site.call('equipment_meters_reconcile', { ...reading, value: 830 });
  await site.stored();
  assert.equal((await total(site, 'PUMP-1')).value, 830);
});

test('[I75] counted hours survive a crash, and messages that are read again count once', async () => {
  await using site = await startSite();
  const device = await site.device('truck', 'HT-1');
  const start = site.time.ms - 3_700_000;
  const batch = (from: number, to: number) => {
    let text = '';
    for (let s = from; s < to; s += 10) text += speed(start + s * 1000, 900);
    return text;
  };
  await site.send(device, 'can', batch(0, 1800));
  await site.stored();
  await site.send(device, 'can', batch(1800, 3601));
  await site.restart({ crash: true });
  await site.settle();
  const meter = await total(site);
  assert.deepEqual([meter.value, meter.basis, meter.counted?.hours], [1, 'counted', 1]);
  assert.match(meter.needs_review ?? '', /Enter the reading of the machine/);
  await site.send(device, 'can', batch(1200, 3601));
  await site.settle();
  assert.equal((await total(site)).value, 1);
});
