/** Live use of DBC files: whose number stands, for which devices, and across restarts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MappedSignal } from '#contract/fleet/dbc.ts';
import type { Input } from '#contract/operations.ts';
import type { Options } from '#test/support/operations.ts';
import { type Site, startSite } from './support.ts';

const [FORMAT, PG] = [
  'BA_DEF_ BO_ "VFrameFormat" ENUM "StandardCAN","ExtendedCAN","reserved","J1939PG";\nBA_DEF_DEF_ "VFrameFormat" "StandardCAN";\n',
  (id: number) => `BA_ "VFrameFormat" BO_ ${id} 3;\n`,
];
/** Engine speed as EEC1 has it, hydraulic oil on a frame of the maker's own, and a total of 12 bytes in several packets. */
const TEXT = `VERSION ""
BO_ ${0x8cf004fe} EEC1: 8 X
 SG_ Speed : 24|16@1+ (0.125,0) [0|8000] "rpm" X
BO_ 291 Body: 8 X
 SG_ Page M : 0|8@1+ (1,0) [0|0] "" X
 SG_ Oil m1 : 8|16@1- (0.1,0) [0|0] "degF" X
BO_ ${0x98ff21fe} Totals: 12 X
 SG_ Fuel : 64|32@1+ (0.5,0) [0|0] "l" X
${FORMAT}${PG(0x8cf004fe)}${PG(0x98ff21fe)}`;

const map = (message: string, signal: string, to: string, preferred = false): MappedSignal => ({
  message,
  signal,
  to,
  unit: null,
  preferred,
});
const OIL = map('Body', 'Oil', 'vehicle.hydraulic_temperature');

/** The id of a version that was imported and activated. */
async function activate(
  site: Site,
  mapping: Input<'dbc_import'>['mapping'],
  device_ids: string[] | null = null,
  options: Options = {},
): Promise<string> {
  const { id } = await site.call('dbc_import', { name: `maker ${++imported}`, text: TEXT, mapping }, options);
  await site.call('dbc_activate', { id, device_ids }, options);
  return id;
}
let imported = 0;

const frame = (ms: number, id: string, data: string) => `(${(ms / 1_000).toFixed(6)}) can1 ${id}#${data}\n`;
const values = (site: Site, id: string) => site.ingest.live.equipment(id)?.values ?? {};

test('[D140] mapped signals of an active file become values with their provenance, in our unit, and samples', async () => {
  await using site = await startSite();
  const device = await site.device('a', 'HT-1');
  const dbc = await activate(site, [OIL]);
  const now = site.time.ms;
  // 212.0 °F on page 1; page 2 says nothing of oil.
  await site.send(device, 'can', frame(now - 2_000, '123', '0148080000000000') + frame(now - 1_000, '123', '02FF7F'));
  await site.settle();
  const oil = values(site, site.machine('HT-1'))['vehicle.hydraulic_temperature'];
  assert.ok(oil);
  assert.ok(Math.abs(oil.value - 100) < 1e-9, String(oil.value));
  assert.deepEqual(
    [oil.dbc, oil.bus, oil.source_address, oil.pgn, oil.spn, oil.raw, oil.device_id],
    [`${dbc} Body.Oil`, 1, null, null, null, 2120, device.device],
  );
  assert.match(oil.ref ?? '', /#0$/);
  assert.equal(oil.observed_at, new Date(now - 2_000).toISOString());
  assert.equal(
    site.ingest.live.device(device.device)?.observation?.signals['vehicle.hydraulic_temperature']?.unit,
    '°C',
  );
  // Below the least temperature there is.
  await site.send(device, 'can', frame(now, '123', '0100800000000000'));
  await site.settle();
  assert.equal(values(site, site.machine('HT-1'))['vehicle.hydraulic_temperature']?.raw, 2120);
});

test('[D141] a DBC file provides a signal when the built-in decoder is silent, or always when it is preferred', async () => {
  await using site = await startSite();
  const device = await site.device('a', 'HT-1');
  const first = await activate(site, [map('EEC1', 'Speed', 'engine.speed')]);
  // 800 rpm from the engine; the file reads the same frame.
  const eec1 = () => frame(site.time.ms, '0CF00400', 'FFFFFF0019FFFFFF');
  await site.send(device, 'can', eec1());
  await site.settle();
  const own = values(site, site.machine('HT-1'))['engine.speed'];
  assert.deepEqual([own?.value, own?.spn, own?.dbc], [800, 190, undefined]);
  await site.call('dbc_deactivate', { id: first });
  const second = await activate(site, [map('EEC1', 'Speed', 'engine.speed', true)]);
  site.time.pass(1_000);
  await site.send(device, 'can', eec1());
  await site.settle();
  const read = values(site, site.machine('HT-1'))['engine.speed'];
  assert.deepEqual([read?.value, read?.spn, read?.pgn, read?.dbc], [800, null, 61444, `${second} EEC1.Speed`]);
  // The preferred one falls silent by being switched off; what is left speaks after the stale window.
  await site.call('dbc_deactivate', { id: second });
  for (let i = 0; i < 3; i++) {
    site.time.pass(40_000);
    await site.send(device, 'can', eec1());
  }
  await site.settle();
  assert.equal(values(site, site.machine('HT-1'))['engine.speed']?.spn, 190);
});

test('[D142] a file applies to its project only, and to its listed devices only', async () => {
  await using site = await startSite();
  const [a, b] = [await site.device('a', 'HT-1'), await site.device('b', 'HT-2')];
  await activate(site, [OIL], [b.device]);
  const other = await site.call('projects_create', { name: 'Other pit' });
  await activate(site, [map('Body', 'Oil', 'engine.oil_temperature')], null, { project: other.project.id });
  for (const one of [a, b]) await site.send(one, 'can', frame(site.time.ms, '123', '0148080000000000'));
  await site.settle();
  assert.deepEqual(
    [Object.keys(values(site, site.machine('HT-1'))), Object.keys(values(site, site.machine('HT-2')))],
    [[], [OIL.to]],
  );
});

test('[D143] after a restart the file is still active, and an open multi-packet message is completed', async () => {
  for (const crash of [false, true]) {
    await using site = await startSite();
    const device = await site.device('a', 'HT-1');
    const dbc = await activate(site, [map('Totals', 'Fuel', 'engine.fuel_used')]);
    const now = site.time.ms;
    await site.send(
      device,
      'can',
      frame(now - 200, '18ECFF00', '200C0002FF21FF00') + frame(now - 150, '18EBFF00', '0101020304050607'),
    );
    await site.settle();
    assert.deepEqual(values(site, site.machine('HT-1')), {});
    await site.restart({ crash });
    await site.send(device, 'can', frame(now - 100, '18EBFF00', '0208D0070000FFFF'));
    await site.settle();
    const fuel = values(site, site.machine('HT-1'))['engine.fuel_used'];
    assert.deepEqual(
      [fuel?.value, fuel?.source_address, fuel?.pgn, fuel?.dbc],
      [1_000, 0, 65313, `${dbc} Totals.Fuel`],
    );
    await site.restart({ crash: !crash });
    await site.settle();
    assert.equal(values(site, site.machine('HT-1'))['engine.fuel_used']?.dbc, `${dbc} Totals.Fuel`);
  }
});

test('[A304] recent frames come from the raw journal, of this device only and none before the given time', async () => {
  await using site = await startSite({ segmentBytes: 2_000 });
  const [a, b] = [await site.device('a', 'HT-1'), await site.device('b', 'HT-2')];
  const sent: string[] = [];
  for (let i = 0; i < 200; i++) {
    site.time.pass(1_000);
    for (const one of [a, b])
      await site.send(one, 'can', frame(site.time.ms, '123', `01${i.toString(16).padStart(2, '0')}`));
    sent.push(`${site.time.ms} ${i}`);
  }
  await site.settle();
  const read = async (since_ms: number) => {
    const found: string[] = [];
    for await (const batch of site.ingest.recent(a.device, since_ms))
      for (let i = 0; i < batch.count; i++) found.push(`${(batch.t[i] as number) / 1_000} ${batch.payload(i)[1]}`);
    return found;
  };
  assert.deepEqual(await read(site.time.ms - 49_000), sent.slice(-50));
  assert.deepEqual(await read(0), sent);
  assert.deepEqual(await read(site.time.ms + 1), []);
});

test('[D143] [I28] on a bus with a NAME, samples from frames without a parameter group are restored after a crash, and late samples are kept', async () => {
  await using site = await startSite();
  const device = await site.device('a', 'HT-1');
  await activate(site, [OIL]);
  const now = site.time.ms;
  const oil = (ms: number) => frame(ms, '123', '0148080000000000');
  await site.send(device, 'can', frame(now - 9_000, '18EEFF20', '0102030405060708') + oil(now - 5_000));
  await site.send(device, 'can', oil(now - 8_000));
  await site.settle();
  const samples = async () =>
    (await site.ingest.history(site.machine('HT-1'), 'vehicle.hydraulic_temperature', 0, now)).t;
  const wanted = [now - 8_000, now - 5_000].map((ms) => Math.floor(ms / 1_000));
  assert.deepEqual(await samples(), wanted);
  await site.restart({ crash: true });
  await site.settle();
  assert.deepEqual(await samples(), wanted);
});
