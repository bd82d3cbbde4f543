/** From DM1 frames through the journal and the fold to alerts: lamps and trouble codes that are on for a moment. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dm1, LAMPS, speed } from '#test/ingest/frames.ts';
import { startSite } from '#test/ingest/support.ts';
import { alertsOf, watchSite } from './site.ts';

const NO_CODE = [0, 0, LAMPS.none] as const;
const OIL = [100, 1, LAMPS.redStop] as const;

test('[A170] a red stop lamp that is on in one frame raises its alert, with that frame, and clears', async () => {
  await using site = await startSite();
  const device = await site.device('dev-1', 'HT-1');
  await using alerts = await watchSite(site);
  const t = site.time.ms - 3_000;
  const frames = [dm1(t, ...NO_CODE), dm1(t + 1_000, 0, 0, LAMPS.redStop), dm1(t + 2_000, ...NO_CODE)];
  await site.send(device, 'can', frames.join(''));
  await site.settle();
  assert.equal(site.ingest.live.equipment(site.machine('HT-1'))?.dtc_counts?.red_stop, 0);
  await alerts.tick();
  const [alert, ...more] = await alertsOf(site);
  assert.deepEqual([alert?.signal_name, alert?.severity, alert?.late, more], ['dtc.red_stop', 'critical', false, []]);
  assert.equal(alert?.observed_at, new Date(t + 1_000).toISOString());
  assert.match(alert?.ref ?? '', /#1$/);
  site.time.pass(11_000);
  await alerts.tick();
  assert.equal((await alertsOf(site))[0]?.cleared_because, 'back');
});

test('[A184] a trouble code in one frame raises its alert; the lamp of the same frame joins it with its severity', async () => {
  await using site = await startSite();
  const device = await site.device('dev-1', 'HT-1');
  const rule = { name: 'Oil', signal: 'dtc.active', spn: 100, severity: 'info' } as const;
  await site.call('alert_rules_create', rule);
  await site.call('alert_rules_create', { name: 'Any code', signal: 'dtc.active', op: 'gte', value: 1 });
  await using alerts = await watchSite(site);
  const t = site.time.ms - 3_000;
  await site.send(device, 'can', [dm1(t, ...NO_CODE), dm1(t + 1_000, ...OIL), dm1(t + 2_000, ...NO_CODE)].join(''));
  await site.settle();
  for (let i = 0; i < 4; i++) {
    await alerts.tick();
    site.time.pass(1_000);
  }
  const [alert, ...more] = await alertsOf(site);
  assert.deepEqual([alert?.condition, alert?.code?.spn, alert?.code?.fmi, more], ['code', 100, 1, []]);
  assert.equal(alert?.severity, 'critical');
  assert.deepEqual(alert?.also?.map(({ rule_name }) => rule_name).sort(), ['Any code', 'Red stop lamp']);
  assert.match(alert?.ref ?? '', /#1$/);
  site.time.pass(11_000);
  await alerts.tick();
  await alerts.tick();
  const after = await alertsOf(site);
  assert.deepEqual([after.length, after[0]?.state], [1, 'cleared']);
});

test('[A184] a trouble code that becomes inactive and active again between two evaluations keeps its one alert', async () => {
  await using site = await startSite();
  const device = await site.device('dev-1', 'HT-1');
  await site.call('alert_rules_create', { name: 'Oil', signal: 'dtc.active', spn: 100 });
  await using alerts = await watchSite(site);
  await site.send(device, 'can', dm1(site.time.ms, 100, 1, LAMPS.none));
  await site.settle();
  await alerts.tick();
  site.time.pass(20_000);
  const t = site.time.ms - 3_000;
  await site.send(device, 'can', [dm1(t, ...NO_CODE), dm1(t + 1_000, 100, 1, LAMPS.none)].join(''));
  await site.settle();
  await alerts.tick();
  assert.deepEqual(
    (await alertsOf(site)).map(({ state }) => state),
    ['active'],
  );
  // Another failure mode of the same part is another fault.
  await site.send(device, 'can', [dm1(t + 2_000, ...NO_CODE), dm1(t + 3_000, 100, 4, LAMPS.none)].join(''));
  await site.settle();
  await alerts.tick();
  await alerts.tick();
  assert.deepEqual(
    (await alertsOf(site)).map(({ state, code }) => [state, code?.fmi]),
    [
      ['cleared', 1],
      ['active', 4],
    ],
  );
});

for (const [seconds, raises] of [
  [9, false],
  [11, true],
] as const)
  test(`[A170] an amber lamp that was on for ${seconds} s in one message ${raises ? 'raises an alert' : 'raises no alert'}`, async () => {
    await using site = await startSite();
    const device = await site.device('dev-1', 'HT-1');
    await using alerts = await watchSite(site);
    const t = site.time.ms - 20_000;
    const frames = Array.from({ length: 20 }, (_, s) =>
      dm1(t + s * 1_000, 0, 0, s > 0 && s <= seconds ? LAMPS.amber : LAMPS.none),
    );
    await site.send(device, 'can', frames.join(''));
    await site.settle();
    await alerts.tick();
    assert.equal((await alertsOf(site)).length, raises ? 1 : 0);
  });

test('[A170] a control unit that is silent interrupts the time of a lamp', async () => {
  await using site = await startSite();
  const device = await site.device('dev-1', 'HT-1');
  await using alerts = await watchSite(site);
  const t = site.time.ms - 20_000;
  const others = (from: number) => Array.from({ length: 8 }, (_, s) => speed(t + from + s * 1_000, 1_500, 3));
  const frames = [dm1(t, 0, 0), ...others(100), dm1(t + 9_000, 0, 0), ...others(9_100), dm1(t + 18_000, 0, 0)];
  await site.send(device, 'can', frames.join(''));
  await site.settle();
  await alerts.tick();
  assert.deepEqual(await alertsOf(site), []);
});

for (const committed of [false, true])
  test(`[I70] a crash between a lamp of one frame and the evaluation loses no alert (${committed ? 'the fold has committed' : 'only the journal has the frame'})`, async () => {
    await using site = await startSite({ commitMs: committed ? 1 : 600_000 });
    const device = await site.device('dev-1', 'HT-1');
    await site.call('alert_rules_create', { name: 'Oil', signal: 'dtc.active', spn: 100 });
    await using _ = await watchSite(site);
    const t = site.time.ms - 3_000;
    await site.send(device, 'can', [dm1(t, ...NO_CODE), dm1(t + 1_000, ...OIL), dm1(t + 2_000, ...NO_CODE)].join(''));
    if (committed) await site.stored();
    else await site.settle();
    await site.restart({ crash: true });
    await using alerts = await watchSite(site);
    await alerts.tick();
    site.time.pass(1_000);
    await alerts.tick();
    assert.deepEqual(
      (await alertsOf(site)).map(({ condition, severity, code }) => [condition, severity, code?.spn]),
      [['code', 'critical', 100]],
    );
  });

for (const committed of [false, true])
  for (const back of [false, true])
    test(`[A172] a value that arrived ten minutes before the restart and was not evaluated raises a late alert (${committed ? 'committed' : 'in the journal'}, ${back ? 'over' : 'not over'})`, async () => {
      await using site = await startSite({ commitMs: committed ? 1 : 600_000 });
      const device = await site.device('dev-1', 'HT-1');
      const rule = { name: 'Too fast', signal: 'engine.speed', op: 'gt', value: 2_400, no_data_seconds: 60 } as const;
      await site.call('alert_rules_create', { ...rule, actions: ['ticket'] });
      {
        await using alerts = await watchSite(site);
        await site.send(device, 'can', speed(site.time.ms, 1_500));
        await site.settle();
        await alerts.tick();
      }
      const rpm = back ? [2_500, 1_500] : [2_500];
      await site.send(device, 'can', rpm.map((one, i) => speed(site.time.ms + 100 + i, one)).join(''));
      if (committed) await site.stored();
      else await site.settle();
      site.time.pass(600_000);
      await site.restart({ crash: true });
      await using alerts = await watchSite(site);
      await alerts.tick();
      const shown = async () =>
        (await alertsOf(site)).map(({ value, late, state, actions }) => [value, late, state, actions[0]?.reason]);
      assert.deepEqual(await shown(), [[2_500, true, 'active', 'late']]);
      // The alert ends when the machine sends again, or at once if the condition was over.
      site.time.pass(11_000);
      if (!back) await site.send(device, 'can', speed(site.time.ms, 1_500));
      await site.settle();
      await alerts.tick();
      assert.deepEqual(await shown(), [[2_500, true, back ? 'active' : 'cleared', 'late']]);
    });
