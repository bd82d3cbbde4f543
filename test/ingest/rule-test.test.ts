/** The trial of alert rules on stored values, over a real store. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Site, startSite } from './support.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const SIGNAL = 'engine.coolant_temperature';

/** Sends values of a machine, the oldest first. */
async function send(site: Site, device: string, values: readonly (readonly [ms: number, values: object])[]) {
  const identity = await site.device(device, device.toUpperCase());
  for (let at = 0; at < values.length; at += 500) {
    const points = values
      .slice(at, at + 500)
      .map(([ms, one]) => ({ observed_at: new Date(ms).toISOString(), values: one }));
    await site.send(identity, 'telemetry', JSON.stringify({ points }));
  }
  await site.settle();
}

const HOT = { signal: SIGNAL, op: 'gt', value: 105 } as const;

test('[A837] a rule is tried on stored values, with the time, the value and the share of time with values', async () => {
  await using site = await startSite();
  const start = site.time.ms - 3 * HOUR_MS;
  // An hour with a value a second: one peak of two minutes, and one of 200 ms between two samples.
  const values = Array.from({ length: 3_600 }, (_, i): [number, object] => [
    start + i * 1_000,
    { [SIGNAL]: i >= 600 && i < 720 ? 108 : 90 },
  ]);
  values.splice(1_801, 0, [start + 1_800_400, { [SIGNAL]: 112 }]);
  // A higher value between two samples of the peak adds no alert.
  values.splice(631, 0, [start + 630_400, { [SIGNAL]: 111 }]);
  await send(site, 'ht-1', values);
  await send(site, 'ht-2', [[start, { [SIGNAL]: 90 }]]);
  const from = new Date(start).toISOString();
  const result = await site.call('alert_rules_test', { rule: HOT, from });
  assert.deepEqual(
    result.machines.map(({ unit_number, alerts_total }) => [unit_number, alerts_total]),
    [
      ['HT-1', 2],
      ['HT-2', 0],
    ],
  );
  const [first] = result.machines;
  assert.deepEqual(first?.alerts[0], {
    raised_at: new Date(start + 600_000).toISOString(),
    cleared_at: new Date(start + 720_000).toISOString(),
    condition: 'threshold',
    value: 108,
    change_from: null,
    service: null,
  });
  // The short peak comes from the extremes of its minute, so its time is the start of the minute.
  assert.deepEqual(
    [first?.alerts[1]?.value, first?.alerts[1]?.raised_at],
    [112, new Date(start + 1_800_000).toISOString()],
  );
  assert.ok(Math.abs((first?.coverage ?? 0) - 1 / 3) < 0.01, `${first?.coverage}`);
  assert.deepEqual(
    result.not_judged.map(({ code }) => code),
    ['moments'],
  );
  const held = await site.call('alert_rules_test', { rule: { ...HOT, for_seconds: 119 }, from });
  assert.deepEqual([held.machines[0]?.alerts_total, held.not_judged[0]?.code], [1, 'durations']);
  const longer = await site.call('alert_rules_test', { rule: { ...HOT, for_seconds: 180 }, from });
  assert.equal(longer.machines[0]?.alerts_total, 0);
  // The trial stores nothing.
  assert.deepEqual((await site.call('alerts_list', {})).data, []);
});

test('[A837] a trial reads each day of a machine once, and nothing outside the range', async () => {
  await using site = await startSite();
  const start = site.time.ms - 3 * 24 * HOUR_MS;
  await send(
    site,
    'ht-1',
    Array.from({ length: 2_000 }, (_, i) => [start + i * 2 * MINUTE_MS, { [SIGNAL]: 90 }]),
  );
  await site.stored();
  const { ingest } = site;
  const asked: [number, number][] = [];
  const read = ingest.readTelemetry.bind(ingest);
  ingest.readTelemetry = (query) => {
    asked.push([query.from_ms, query.to_ms]);
    return read(query);
  };
  const from = new Date(start).toISOString();
  const before = site.store.stats().statements;
  const { machines } = await site.call('alert_rules_test', { rule: HOT, from });
  const statements = site.store.stats().statements - before;
  assert.equal(machines[0]?.values, 2_000);
  asked.sort(([a], [b]) => a - b);
  assert.equal(asked.length, 4, 'three days that begin at 08:00 are parts of four UTC days');
  for (const [i, [begin]] of asked.entries()) if (i > 0) assert.equal(begin, asked[i - 1]?.[1]);
  assert.ok(statements <= 4 * 8 + 10, `${statements} statements for four days`);
});

test('[A837] a stored rule on a change and a rule on a geofence are tried, and a rule on codes says why it is not', async () => {
  await using site = await startSite();
  const start = site.time.ms - 2 * HOUR_MS;
  const inside = { 'position.latitude': 60.205, 'position.longitude': 24.905 };
  const outside = { 'position.latitude': 60.205, 'position.longitude': 24.95 };
  await send(
    site,
    'ht-1',
    Array.from({ length: 1_800 }, (_, i) => [
      start + i * 1_000,
      { 'fuel.level': i < 900 ? 80 : 70, ...(i < 600 ? inside : outside) },
    ]),
  );
  const ring: [number, number][] = [
    [24.9, 60.2],
    [24.91, 60.2],
    [24.91, 60.21],
    [24.9, 60.21],
    [24.9, 60.2],
  ];
  const pit = await site.call('locations_create', { name: 'Pit', geofence: { type: 'Polygon', coordinates: [ring] } });
  const change = { direction: 'fall', by: 5, within_seconds: 600 } as const;
  const theft = await site.call('alert_rules_create', { name: 'Theft', signal: 'fuel.level', change });
  const from = new Date(start).toISOString();
  const fell = await site.call('alert_rules_test', { rule_id: theft.id, from });
  assert.deepEqual(
    fell.machines[0]?.alerts.map(({ value, raised_at, change_from }) => [value, raised_at, change_from?.value]),
    [[10, new Date(start + 900_000).toISOString(), 80]],
  );
  const geofence = { location_id: pit.id, event: 'leave' } as const;
  const left = await site.call('alert_rules_test', {
    rule: { signal: 'position.geofence', geofence },
    from,
  });
  assert.deepEqual(
    left.machines[0]?.alerts.map(({ raised_at }) => raised_at),
    [new Date(start + 602_000).toISOString()],
  );
  const code = await site.call('alert_rules_test', { rule: { signal: 'dtc.active', spn: 100 }, from });
  assert.deepEqual([code.machines, code.not_judged.map((one) => one.code)], [[], ['trouble_codes']]);
});

test('[A838] the handler refuses a trial without a rule, with a wrong range, and of more than 140 days of machines', async () => {
  await using site = await startSite();
  for (let i = 0; i < 21; i++) await site.addMachine(`HT-${i}`);
  const refused = (input: Parameters<typeof site.call<'alert_rules_test'>>[1], param: string) =>
    assert.rejects(site.call('alert_rules_test', input), { code: 'parameter_invalid', param });
  const ago = (days: number) => new Date(site.time.ms - days * 24 * HOUR_MS).toISOString();
  await refused({}, 'rule');
  await refused({ rule: { ...HOT, clear_value: 110 } }, 'clear_value');
  await refused({ rule: HOT, from: new Date(site.time.ms + MINUTE_MS).toISOString() }, 'from');
  await refused({ rule: HOT, from: ago(8) }, 'from');
  const { machines, not_judged } = await site.call('alert_rules_test', { rule: HOT });
  assert.equal(machines.length, 20);
  assert.match(not_judged[0]?.text ?? '', /1 more machines/);
  const one = await site.call('alert_rules_test', { rule: HOT, from: ago(100), equipment_ids: [site.machine('HT-3')] });
  assert.deepEqual(
    one.machines.map(({ coverage, gaps_total }) => [coverage, gaps_total]),
    [[0, 1]],
  );
});
