/** When the summaries of a day are made again, and how much they count. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textOf } from '#contract/base/told.ts';
import type { TelemetryRead } from '#contract/context.ts';
import type { SiteDay } from '#contract/work/day.ts';
import { createDayReader } from '#handlers/work/day-reader.ts';
import { createRunStates } from '#history/run-states.ts';
import { openRig, type Rig, sha256 } from '#test/support/handler-rig.ts';

const MINUTE = 60_000;

/** A reader over the store of a rig. History is empty; it says how often it was read, and for which day. */
async function openReader(rig: Rig) {
  const reads: number[] = [];
  const history = { fails: false, meters: true };
  const runs = createRunStates({ store: rig.store, unstored: () => [] });
  const days = createDayReader({
    store: rig.store,
    live: { equipment: (id) => rig.live.equipment.get(id), device: () => undefined },
    runStates: {
      read(project_id, id, from_ms, to_ms) {
        if (history.fails) throw new Error('the disk is full');
        reads.push(from_ms);
        return runs.read(project_id, id, from_ms, to_ms);
      },
    },
    readTelemetry: async () => {
      if (!history.meters) throw new Error('too many reads wait');
      return { series: [] } as unknown as TelemetryRead;
    },
    sha256,
    clock: rig.clock,
  });
  /** Returns how many machines were read of yesterday and of today since the last call. */
  const counted = (day: SiteDay): { yesterday: number; today: number } => {
    const today = reads.filter((from_ms) => from_ms === day.to_ms).length;
    return { yesterday: reads.splice(0).length - today, today };
  };
  return { days, reads, history, counted };
}

const english = (day: SiteDay) => day.sentences.map((one) => textOf(one));

test('[A982] a summary is made again after five minutes, its history of yesterday after an hour, and once for all who ask', async () => {
  await using rig = await openRig();
  rig.freeze();
  await rig.call('equipment_create', { unit_number: 'HT-01' });
  const { days, reads, counted } = await openReader(rig);
  const [first, same] = await Promise.all([days.read(rig.project), days.read(rig.project)]);
  assert.equal(first, same);
  assert.deepEqual(counted(first.yesterday), { yesterday: 1, today: 1 });

  rig.now += 5 * MINUTE - 1;
  assert.equal(await days.read(rig.project), first);
  assert.equal(days.known(rig.project), first);
  assert.equal(reads.length, 0);

  rig.now += 1;
  assert.equal(days.known(rig.project), first, 'a board does not wait');
  const second = await days.read(rig.project);
  assert.equal(second.today.to_ms, rig.now);
  assert.deepEqual(counted(second.yesterday), { yesterday: 0, today: 1 });
  assert.equal(days.known(rig.project), second);

  rig.now += 55 * MINUTE;
  assert.deepEqual(counted((await days.read(rig.project)).yesterday), { yesterday: 1, today: 1 });
});

test('[A982] at midnight the summary of today is no summary of today any more', async () => {
  await using rig = await openRig();
  rig.freeze();
  rig.now = Date.parse('2026-11-21T23:59:00.000Z');
  const { days } = await openReader(rig);
  const before = await days.read(rig.project);
  rig.now += MINUTE;
  assert.equal(days.known(rig.project), undefined);
  const after = await days.read(rig.project);
  assert.equal(after.yesterday.from_ms, before.today.from_ms);
  assert.equal(after.today.from_ms, rig.now);
  assert.equal(days.known(rig.project), after);
});

test('[A982] if the summary cannot be made, a board keeps the last one and a person can ask again', async () => {
  await using rig = await openRig();
  rig.freeze();
  await rig.call('equipment_create', { unit_number: 'HT-01' });
  const { days, history, counted } = await openReader(rig);
  history.fails = true;
  await assert.rejects(days.read(rig.project), /disk is full/);
  assert.equal(days.known(rig.project), undefined);
  history.fails = false;
  const first = await days.read(rig.project);
  rig.now += 5 * MINUTE;
  history.fails = true;
  await assert.rejects(days.read(rig.project), /disk is full/);
  assert.equal(days.known(rig.project), first);
  history.fails = false;
  counted(first.yesterday);
  assert.notEqual(await days.read(rig.project), first);
});

test('[A980] meters that history could not give are not kept for an hour', async () => {
  await using rig = await openRig();
  rig.freeze();
  rig.now += 24 * 60 * MINUTE;
  await rig.call('equipment_create', { unit_number: 'HT-01' });
  const { days, history, counted } = await openReader(rig);
  history.meters = false;
  const first = await days.read(rig.project);
  const unread = 'Engine hours and fuel are not known: the history of 1 of 1 machines could not be read.';
  assert.ok(english(first.yesterday).includes(unread), english(first.yesterday).join('\n'));
  counted(first.yesterday);
  rig.now += 5 * MINUTE;
  history.meters = true;
  const second = await days.read(rig.project);
  assert.deepEqual(counted(second.yesterday), { yesterday: 1, today: 1 });
  assert.ok(english(second.yesterday).includes('Engine hours are not known: no machine sent its meter.'));
});

test('[A982] at most 200 machines are counted, and the summaries of at most 100 projects are kept', async () => {
  await using rig = await openRig();
  for (let n = 1; n <= 201; n++) await rig.call('equipment_create', { unit_number: `HT-${n}` });
  rig.freeze();
  const { days, reads, counted } = await openReader(rig);
  const made = await days.read(rig.project);
  assert.deepEqual(counted(made.yesterday), { yesterday: 200, today: 200 });
  const said = english(made.today);
  assert.equal(said[0], 'Counted are the first 200 of 201 machines.');
  assert.equal(
    said.find((text) => text.startsWith('Down now')),
    'Down now: 0. Without data now: 201 (HT-1, HT-2, HT-3, HT-4, +197).',
  );
  for (let n = 2; n <= 100; n++) await days.read(`prj_${n}`);
  assert.equal(await days.read(rig.project), made);
  await days.read('prj_101');
  assert.equal(await days.read(rig.project), made, 'the project that was read last stays');
  for (let n = 1; n <= 100; n++) await days.read(`other_${n}`);
  assert.equal(reads.length, 0);
  assert.notEqual(await days.read(rig.project), made);
});

test('[A980] the numbers of now are those of the pages: without data, due services, repairs by the time of their report', async () => {
  await using rig = await openRig();
  rig.freeze();
  const { id } = await rig.call('equipment_create', { unit_number: 'HT-01', kind: 'haul_truck' });
  await rig.call('equipment_create', { unit_number: 'HT-02' });
  await rig.call('equipment_update', {
    id: (await rig.call('equipment_create', { unit_number: 'HT-03' })).id,
    status: 'maintenance',
  });
  await rig.call('maintenance_plans_create', { name: 'Oil', kind: 'haul_truck', due_on: '2026-11-20' });
  await rig.call('maintenance_plans_create', { name: 'Tyres', kind: 'haul_truck', due_on: '2026-11-25' });
  const yesterday = '2026-11-20T23:50:00.000Z';
  const { number } = await rig.call('repair_tickets_create', {
    equipment_id: id,
    title: 'Leak',
    flagged_at: yesterday,
  });
  rig.now += MINUTE;
  const { days } = await openReader(rig);
  const made = await days.read(rig.project);
  const { data } = await rig.call('maintenance_list', {});
  const states = data.flatMap(({ plans }) => plans.map(({ state }) => state)).sort();
  assert.deepEqual(states, ['due_soon', 'overdue']);
  assert.deepEqual(english(made.yesterday), [
    'The gateway did not know this site on that day.',
    'Alerts raised: 0. Still open: 0.',
    'Repairs reported: 1, fixed: 0. Open now: 1.',
  ]);
  const today = english(made.today);
  assert.deepEqual(today.slice(-4), [
    'Repairs reported: 0, fixed: 0. Open now: 1.',
    `Oldest open repair: ${number} on HT-01, 0 days old.`,
    'Down now: 0. Without data now: 2 (HT-01, HT-02).',
    'Services that are due now: 1.',
  ]);
});
