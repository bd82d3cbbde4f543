/** The summaries of yesterday and today, from a real gateway with its history. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textOf } from '#contract/base/told.ts';
import { createClient } from '#contract/client.ts';
import { addMachine, eventually, startGateway } from '#test/support/gateway.ts';

const DAY_MS = 86_400_000;

test('[A982] yesterday is told from history and today from the log of the site; a new site has true sentences', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', {
    name: 'North Pit',
    shift_pattern: [
      { name: 'morning', starts: '00:00', ends: '12:00' },
      { name: 'evening', starts: '12:00', ends: '00:00' },
    ],
  });
  const client = gateway.project(project.id);
  const ask = async (id: string) => {
    const { days } = await gateway.client.call('projects_get', { id, include: 'days' });
    assert.ok(days);
    const says = (day: 'yesterday' | 'today') => days[day].sentences.map((one) => textOf(one));
    return { days, today: says('today'), yesterday: says('yesterday') };
  };
  assert.equal((await gateway.client.call('projects_get', { id: project.id })).days, undefined);

  const working = await addMachine(client, 'HT-01');
  const other = await addMachine(client, 'HT-02');
  const pit = await client.call('locations_create', { name: 'Pit', kind: 'pit' });
  await client.call('equipment_update', { id: working.equipment_id, location_id: pit.id });
  await client.call('equipment_update', { id: other.equipment_id, location_id: pit.id, status: 'down' });
  const made = await client.call('repair_tickets_create', { equipment_id: other.equipment_id, title: 'Leak' });
  const midnight = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const points = Array.from({ length: 121 }, (_, minute) => ({
    observed_at: new Date(midnight - DAY_MS + (600 + minute) * 60_000).toISOString(),
    values: {
      'engine.speed': 1_500,
      'engine.load': 60,
      'engine.hours': 9_000 + minute / 60,
      'engine.fuel_used': 50_000 + minute,
    },
  }));
  const device = createClient({ base_url: gateway.node.http, key: working.key });
  for (let i = 0; i < points.length; i += 60)
    await device.call('devices_telemetry', { id: working.device, points: points.slice(i, i + 60) });

  await eventually(
    () => client.call('equipment_get', { id: working.equipment_id }),
    ({ engine_hours }) => engine_hours === 9_002,
  );
  const { days, today, yesterday } = await ask(project.id);
  assert.deepEqual([days.yesterday.from_ms, days.yesterday.to_ms], [midnight - DAY_MS, midnight]);
  // A state holds for some minutes after the last sample.
  assert.match(yesterday[0] ?? '', /^Machines worked 2\.1 of 2\.1 h \(100 %\)\. Not known: 45\.9 h\.$/);
  assert.deepEqual(yesterday.slice(1), [
    'Engines ran at least 2 h, by the meters of 1 of 2 machines.',
    'Machines used at least 120 L of fuel, by the meters of 1 of 2 machines.',
    'Alerts raised: 0. Still open: 0.',
    'Repairs reported: 0, fixed: 0. Open now: 1.',
  ]);
  assert.deepEqual([days.yesterday.working_percent, days.shift?.fuel_l, days.shift?.machines], [100, null, 2]);
  // The drafts of the two shifts of yesterday say the same of the same time.
  const date = new Date(midnight - DAY_MS).toISOString().slice(0, 10);
  const minutes = { working: 0, unknown: 0 };
  for (const shift of ['morning', 'evening']) {
    const draft = await client.call('shift_reports_draft', { location_id: pit.id, shift, date });
    for (const one of draft.time_classes) {
      minutes.working += one.minutes.working;
      minutes.unknown += one.minutes.unknown;
    }
  }
  assert.equal(minutes.working + minutes.unknown, 48 * 60);
  assert.deepEqual(days.yesterday.sentences[0]?.params, {
    working: Math.round(minutes.working / 6) / 10,
    known: Math.round(minutes.working / 6) / 10,
    percent: 100,
    unknown: Math.round(minutes.unknown / 6) / 10,
  });
  // So does history, of the meters.
  const { series } = await client.call('equipment_telemetry', {
    id: working.equipment_id,
    signals: ['engine.hours', 'engine.fuel_used'],
    from: new Date(midnight - DAY_MS).toISOString(),
    to: new Date(midnight).toISOString(),
  });
  const grown = series.map(({ last, min }) => Math.round((last?.at(-1) ?? 0) - (min?.[0] ?? 0)));
  assert.deepEqual(grown, [2, 120]);
  assert.ok(today.includes('Repairs reported: 1, fixed: 0. Open now: 1.'), today.join('\n'));
  assert.ok(today.includes(`Oldest open repair: ${made.number} on HT-02, 0 days old.`), today.join('\n'));
  assert.ok(
    today.some((text) => text.startsWith('Down now: 1 (HT-02).')),
    today.join('\n'),
  );

  const empty = (await gateway.client.call('projects_create', { name: 'South Pit' })).project;
  const first = await ask(empty.id);
  assert.deepEqual(first.yesterday, ['The gateway did not know this site on that day.']);
  assert.deepEqual(first.today, [
    'The site has no machines yet.',
    'Alerts raised: 0. Still open: 0.',
    'Repairs reported: 0, fixed: 0. Open now: 0.',
  ]);
});

test('[A994] the fuel of the present shift counts from its start, also before midnight', async () => {
  await using gateway = await startGateway();
  const HOUR_MS = 3_600_000;
  // One shift a day, which began in the quarter of an hour before the last hour but one.
  const began = Math.floor((Date.now() - 2 * HOUR_MS) / 900_000) * 900_000;
  const starts = new Date(began).toISOString().slice(11, 16);
  const { project } = await gateway.client.call('projects_create', {
    name: 'North Pit',
    shift_pattern: [{ name: 'all day', starts, ends: starts }],
    working_target_percent: 75,
  });
  assert.equal(project.working_target_percent, 75);
  const client = gateway.project(project.id);
  const truck = await addMachine(client, 'HT-01');
  await addMachine(client, 'HT-02');
  const device = createClient({ base_url: gateway.node.http, key: truck.key });
  // A litre a minute, from an hour before the shift to its second hour.
  const points = Array.from({ length: 121 }, (_, minute) => ({
    observed_at: new Date(began - HOUR_MS + minute * 60_000).toISOString(),
    values: { 'engine.speed': 1_500, 'engine.fuel_used': 50_000 + minute },
  }));
  for (let i = 0; i < points.length; i += 60)
    await device.call('devices_telemetry', { id: truck.device, points: points.slice(i, i + 60) });
  await eventually(
    () => client.call('equipment_get', { id: truck.equipment_id }),
    ({ fuel_used_l }) => fuel_used_l === 50_120,
  );
  const { days } = await gateway.client.call('projects_get', { id: project.id, include: 'days' });
  assert.deepEqual(days?.shift, { name: 'all day', from_ms: began, fuel_l: 60, fuel_machines: 1, machines: 2 });
  const { revision } = await gateway.client.call('projects_get', { id: project.id });
  const none = await gateway.client.call(
    'projects_update',
    { id: project.id, working_target_percent: null },
    { if_match: revision },
  );
  assert.equal(none.working_target_percent, null);
});
