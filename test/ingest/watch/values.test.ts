/** From CAN frames through the journal and the fold to alerts: conditions shorter than a look, fast changes, and crashes in between. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { speed } from '#test/ingest/frames.ts';
import { type Site, startSite } from '#test/ingest/support.ts';
import { alertsOf, watchSite } from './site.ts';

const FAST = { name: 'Too fast', signal: 'engine.speed', op: 'gt', value: 2_400 } as const;

/** Frames of one second, 20 ms apart: 1,500 rpm, and the given speed for 200 ms in the middle. */
function second(from: number, rpm: number): string {
  return Array.from({ length: 50 }, (_, i) => speed(from + i * 20, i >= 20 && i < 30 ? rpm : 1_500)).join('');
}

test('[I70] engine speed above its limit for 200 ms raises an alert, with the frame of the first value', async () => {
  await using site = await startSite();
  const device = await site.device('dev-1', 'HT-1');
  await site.call('alert_rules_create', FAST);
  await using alerts = await watchSite(site);
  await site.send(device, 'can', second(site.time.ms - 1_000, 2_500));
  await site.settle();
  assert.equal(site.ingest.live.equipment(site.machine('HT-1'))?.values['engine.speed']?.value, 1_500);
  await alerts.tick();
  const [alert, ...more] = await alertsOf(site);
  assert.deepEqual([alert?.value, more], [2_500, []]);
  assert.equal(alert?.observed_at, new Date(site.time.ms - 600).toISOString());
  assert.match(alert?.ref ?? '', /#20$/);
  site.time.pass(15_000);
  await site.send(device, 'can', second(site.time.ms - 1_000, 1_500));
  await site.settle();
  await alerts.tick();
  assert.equal((await alertsOf(site))[0]?.cleared_because, 'back');
});

for (const committed of [false, true])
  test(`[I70] a crash between the values and the look of the watcher loses no alert (${committed ? 'the fold has committed' : 'only the journal has the values'})`, async () => {
    await using site = await startSite({ commitMs: committed ? 1 : 600_000 });
    const device = await site.device('dev-1', 'HT-1');
    await site.call('alert_rules_create', FAST);
    const fall = { direction: 'fall', by: 900, within_seconds: 60 } as const;
    await site.call('alert_rules_create', { name: 'Falls', signal: 'engine.speed', change: fall });
    await site.send(device, 'can', second(site.time.ms - 1_000, 2_500));
    if (committed) await site.stored();
    else await site.settle();
    await site.restart({ crash: true });
    await using alerts = await watchSite(site);
    await alerts.tick();
    assert.deepEqual((await alertsOf(site)).map(({ condition, value }) => [condition, value]).sort(), [
      ['change', 1_000],
      ['threshold', 2_500],
    ]);
    // The window of the change goes on after the restart: the alert stays, although no value has arrived yet.
    site.time.pass(15_000);
    await alerts.tick();
    assert.deepEqual((await alertsOf(site)).map(({ condition, state }) => [condition, state]).sort(), [
      ['change', 'active'],
      ['threshold', 'cleared'],
    ]);
  });

test('[I70] the window of a change goes on over a restart', async () => {
  await using site = await startSite();
  const device = await site.device('dev-1', 'HT-1');
  const rise = { direction: 'rise', by: 1_000, within_seconds: 600 } as const;
  await site.call('alert_rules_create', { name: 'Rises', signal: 'engine.speed', change: rise });
  await site.send(device, 'can', speed(site.time.ms, 800));
  await site.stored();
  await site.restart();
  await using alerts = await watchSite(site);
  await alerts.tick();
  site.time.pass(20_000);
  await site.send(device, 'can', speed(site.time.ms, 1_900));
  await site.settle();
  await alerts.tick();
  const [alert] = await alertsOf(site);
  assert.deepEqual([alert?.value, alert?.change?.from.value, alert?.change?.to.value], [1_100, 800, 1_900]);
});

test('[A832] after a restart the watcher raises and clears nothing before data has arrived', async () => {
  await using site = await startSite();
  const device = await site.device('dev-1', 'HT-1');
  await site.call('alert_rules_create', { ...FAST, for_seconds: 20 });
  await site.call('alert_rules_create', { name: 'Silent', signal: 'engine.speed', no_data_seconds: 60 });
  await site.call('alert_rules_create', { ...FAST, name: 'At once', severity: 'critical' });
  {
    await using alerts = await watchSite(site);
    await site.send(device, 'can', speed(site.time.ms, 2_600));
    await site.settle();
    await alerts.tick();
    await site.stored();
  }
  assert.deepEqual(
    (await alertsOf(site)).map(({ rule_name }) => rule_name),
    ['At once'],
  );
  site.time.pass(30_000);
  await site.restart();
  await using alerts = await watchSite(site);
  // 36 s after the value, but the gateway has listened for less than 20 s and for less than 60 s.
  for (let s = 0; s < 15; s++) {
    await alerts.tick();
    site.time.pass(1_000);
  }
  assert.deepEqual(
    (await alertsOf(site)).map(({ rule_name, state }) => [rule_name, state]),
    [['At once', 'active']],
  );
  // The machine is silent for 60 s after the start: this is now missing data.
  for (let s = 0; s < 50; s++) {
    await alerts.tick();
    site.time.pass(1_000);
  }
  assert.deepEqual(
    (await alertsOf(site)).map(({ rule_name, state }) => [rule_name, state]),
    [
      ['At once', 'active'],
      ['Silent', 'active'],
    ],
  );
});

const RING = [
  [24.9, 60.2],
  [24.91, 60.2],
  [24.91, 60.21],
  [24.9, 60.21],
  [24.9, 60.2],
] as [number, number][];

/** A message with positions one second apart, the last one now. */
const positions = (site: Site, places: readonly (readonly [longitude: number, latitude: number])[]) =>
  JSON.stringify({
    points: places.map(([longitude, latitude], i) => ({
      observed_at: new Date(site.time.ms - (places.length - 1 - i) * 1_000).toISOString(),
      values: { 'position.latitude': latitude, 'position.longitude': longitude },
    })),
  });

test('[A833] a machine that leaves a geofence raises an alert with its position, also when the gateway was off meanwhile', async () => {
  await using site = await startSite();
  const device = await site.device('dev-1', 'HT-1');
  const away = await site.device('dev-2', 'HT-2');
  const pit = await site.call('locations_create', { name: 'Pit', geofence: { type: 'Polygon', coordinates: [RING] } });
  const rule = {
    name: 'Leaves',
    signal: 'position.geofence',
    geofence: { location_id: pit.id, event: 'leave' },
  } as const;
  await site.call('alert_rules_create', rule);
  await site.call('alert_rules_create', { ...rule, name: 'Enters', geofence: { ...rule.geofence, event: 'enter' } });
  const inside = [24.905, 60.205] as const;
  const outside = [24.95, 60.205] as const;
  {
    await using alerts = await watchSite(site);
    await site.send(device, 'telemetry', positions(site, [inside, inside, inside]));
    await site.send(away, 'telemetry', positions(site, [outside, outside, outside]));
    await site.settle();
    await alerts.tick();
    assert.deepEqual(
      (await alertsOf(site)).map(({ rule_name, machine_id }) => [rule_name, machine_id]),
      [['Enters', site.machine('HT-1')]],
    );
    await site.stored();
  }
  await site.restart({ crash: true });
  await using alerts = await watchSite(site);
  await alerts.tick();
  site.time.pass(60_000);
  await site.send(device, 'telemetry', positions(site, [outside, outside, outside]));
  await site.send(away, 'telemetry', positions(site, [outside, outside, outside]));
  await site.settle();
  await alerts.tick();
  const [entered, left, ...more] = await alertsOf(site);
  assert.deepEqual(more, []);
  assert.deepEqual([entered?.state, entered?.cleared_because], ['cleared', 'back']);
  assert.deepEqual([left?.condition, left?.machine_id, left?.value], ['geofence', site.machine('HT-1'), null]);
  assert.deepEqual(left?.geofence, { location_id: pit.id, event: 'leave', latitude: 60.205, longitude: 24.95 });
  // Silence changes nothing: an unknown position is neither inside nor outside.
  site.time.pass(86_400_000);
  await alerts.tick();
  assert.equal((await alertsOf(site))[1]?.state, 'active');
  const { revision } = await site.call('locations_get', { id: pit.id });
  await site.call('locations_update', { id: pit.id, geofence: null }, { if_match: revision });
  await alerts.tick();
  assert.equal((await alertsOf(site))[1]?.cleared_because, 'rule_changed');
});

test('[A834] the gateway refuses a rule on a geofence without a place, without a fence, or with another condition', async () => {
  await using site = await startSite();
  const bare = await site.call('locations_create', { name: 'Yard' });
  const pit = await site.call('locations_create', { name: 'Pit', geofence: { type: 'Polygon', coordinates: [RING] } });
  const rule = { name: 'Enters', signal: 'position.geofence' } as const;
  const geofence = { location_id: pit.id, event: 'enter' } as const;
  const refused = (input: object, param: string) =>
    assert.rejects(site.call('alert_rules_create', { ...rule, ...input }), { code: 'parameter_invalid', param });
  await refused({}, 'geofence');
  await refused({ geofence: { ...geofence, location_id: bare.id } }, 'geofence.location_id');
  await refused({ geofence: { ...geofence, location_id: 'loc_none' } }, 'geofence.location_id');
  await refused({ geofence, signal: 'engine.speed' }, 'signal');
  await refused({ geofence, no_data_seconds: 60 }, 'no_data_seconds');
});
