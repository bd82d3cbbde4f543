/** What is heard of the buses themselves: the inventory, addresses that change, and how codes are read. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatCandump } from '#codec/candump.ts';
import { FrameBatch } from '#contract/fleet/frame.ts';
import type { DeviceIdentity } from '#contract/fleet/ingest.ts';
import { encodeGroup, framesOf, identifier, pushFrame } from '#domain/j1939/encode.ts';
import { PGN } from '#domain/j1939/identifier.ts';
import { encodeName } from '#domain/j1939/name.ts';
import { ENGINE_NAME } from '#test/support/engine-name.ts';
import { type Site, startSite } from './support.ts';

const MS = 1000;
const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'));
const text = (words: string) => new TextEncoder().encode(words);

const NAME = ENGINE_NAME;

/** Frames in candump text, each some ms after the one before. */
function log(
  at_ms: number,
  frames: readonly (readonly [after_ms: number, id: number, data: Uint8Array])[],
): Uint8Array {
  const batch = new FrameBatch();
  let t = at_ms * MS;
  for (const [after_ms, id, data] of frames) {
    t += after_ms * MS;
    pushFrame(batch, t, 0, id, data);
  }
  return formatCandump(batch);
}
const engine = (sa: number, rpm: number) => [100, identifier(3, 61444, sa), encodeGroup(61444, { 190: rpm })] as const;
const hours = (sa: number, h: number) => [100, identifier(6, 65253, sa), encodeGroup(65253, { 247: h })] as const;
const claim = (sa: number, name = NAME) => [10, identifier(6, PGN.addressClaim, sa), encodeName(name)] as const;
const message = (pgn: number, sa: number, payload: Uint8Array) =>
  framesOf(6, pgn, sa, payload).map(({ id, data }, i) => [i === 0 ? 100 : 50, id, data] as const);

function heard(site: Site, device: DeviceIdentity) {
  const bus = site.ingest.live.bus(device.device);
  assert.ok(bus);
  return bus;
}
const eventsOf = async (site: Site) => (await site.events()).map(({ data }) => data.type);

test('[D109] the inventory lists units with NAME, VIN, component, software and codes, groups with rates, and 11-bit frames', async () => {
  await using site = await startSite();
  const device = await site.device('a');
  assert.equal(site.ingest.live.bus(device.device), undefined);
  const now = site.time.ms - 10_000;
  const frames = [
    claim(0),
    ...Array.from({ length: 50 }, () => engine(0, 800)),
    ...message(65260, 0, text('1HGBH41JXMN109186*')),
    ...message(65259, 0, text('CMMNS*6C u17D0*12345678**')),
    ...message(65242, 0, text('\u0001V1.2*')),
    ...message(PGN.dm1, 3, bytes('04FF6400010164FF0302')),
    ...message(PGN.dm2, 3, bytes('00FF6400010A')),
    [10, identifier(6, 0xff31, 3), new Uint8Array(8)] as const,
  ];
  await site.send(device, 'can', log(now, frames));
  await site.send(device, 'can', `(${((now + 9_000) / 1000).toFixed(6)}) can1 123#0102\n`);
  await site.settle();
  const { buses, ecus, groups, transport, ...rest } = heard(site, device);
  assert.deepEqual(
    buses.map(({ bus, frames: n, standard_frames, bit_rate }) => [bus, n, standard_frames, bit_rate]),
    [
      [0, frames.length, 0, null],
      [1, 1, 1, null],
    ],
  );
  const [first, other] = ecus;
  assert.equal(first?.usual_name, 'Engine');
  assert.deepEqual(
    [first?.name?.manufacturer, first?.name?.function_name, first?.name?.industry, first?.name?.identity_number],
    ['Cummins', 'Engine', 'construction', 4711],
  );
  assert.equal(first?.vin, '1HGBH41JXMN109186');
  assert.deepEqual(first?.component, { make: 'CMMNS', model: '6C u17D0', serial: '12345678', unit: null });
  assert.deepEqual(first?.software, ['V1.2']);
  assert.equal(first?.active_codes, null, 'never told is not zero');
  assert.deepEqual(
    [
      other?.source_address,
      other?.active_codes?.count,
      other?.active_codes?.codes[0]?.spn,
      other?.previous_codes?.count,
    ],
    [3, 2, 100, 1],
  );
  assert.equal(other?.active_codes?.lamps.amber.state, 'on');
  const speed = groups.find(({ pgn }) => pgn === 61444);
  assert.deepEqual([speed?.acronym, speed?.decoded, speed?.frames], ['EEC1', true, 50]);
  const own = groups.find(({ pgn }) => pgn === 0xff31);
  assert.deepEqual([own?.acronym, own?.decoded], ['PropB', false]);
  assert.ok(transport.completed >= 3);
  assert.deepEqual([transport.extended, rest.not_counted], [0, 0]);
});

test('[I45] [D106] after a crash at any point the inventory counts every frame once and keeps the data of the units', async () => {
  await using site = await startSite({ commitMs: 20 });
  const device = await site.device('a', 'HT-1');
  let sent = 0;
  const send = async (count: number) => {
    await site.send(
      device,
      'can',
      log(
        site.time.ms,
        Array.from({ length: count }, () => engine(0, 800)),
      ),
    );
    sent += count;
    site.time.pass(count * 100);
  };
  const counted = () => heard(site, device).groups.reduce((sum, { frames }) => sum + frames, 0);
  await site.send(device, 'can', log(site.time.ms, [claim(5), ...message(65260, 5, text('1HGBH41JXMN109186*'))]));
  sent += 5;
  await send(20);
  await site.settle();
  assert.equal(counted(), sent);
  for (const [crash, wait_ms] of [
    [true, 0],
    [true, 40_000],
    [false, 0],
    [true, 7_000],
  ] as const) {
    await send(10);
    await site.settle();
    // Time for a commit, with or without the inventory in it.
    site.time.pass(wait_ms);
    await send(7);
    await site.settle();
    await site.round();
    await site.restart({ crash });
    await site.settle();
    assert.equal(counted(), sent, `crash ${crash} after ${wait_ms} ms`);
    const unit = heard(site, device).ecus.find(({ source_address }) => source_address === 5);
    assert.deepEqual([unit?.vin, unit?.name?.identity_number], ['1HGBH41JXMN109186', 4711]);
  }
});

test('[D101] a control unit that changes its address keeps its meter and its codes, also across a restart', async () => {
  await using site = await startSite();
  const device = await site.device('a', 'HT-1');
  const code = bytes('04FF640001010000FFFF').subarray(0, 8);
  await site.send(
    device,
    'can',
    log(site.time.ms, [claim(0), hours(0, 5_000), [10, identifier(6, PGN.dm1, 0), code], engine(0, 900)]),
  );
  await site.settle();
  await site.restart();
  site.time.pass(2_000);
  const other = { ...NAME, identity_number: 1 };
  await site.send(
    device,
    'can',
    log(site.time.ms, [
      claim(0, other),
      claim(0x80),
      hours(0x80, 5_000.05),
      [10, identifier(6, PGN.dm1, 0x80), code],
      engine(0x80, 900),
    ]),
  );
  await site.settle();
  const live = site.ingest.live.equipment(site.machine('HT-1'));
  assert.deepEqual(
    [live?.values['engine.hours']?.value, live?.values['engine.hours']?.source_address],
    [5_000.05, 0x80],
  );
  assert.deepEqual(
    live?.dtcs?.map(({ source_address }) => source_address),
    [0x80],
  );
  const moved = heard(site, device).ecus.find(({ source_address }) => source_address === 0x80);
  assert.deepEqual(moved?.name?.previous_addresses, [0]);
  await site.restart();
  const types = await eventsOf(site);
  assert.ok(!types.some((type) => type.startsWith('meter.')), types.join());
  assert.equal(types.filter((type) => type === 'dtc.activated').length, 1);
  assert.ok(!types.includes('dtc.cleared'));
});

test('[D103] a setting of the device defines the layout of codes with the conversion bit; without it the SPN is unknown', async () => {
  await using site = await startSite();
  const device = await site.device('a', 'HT-1');
  // SPN 1208 FMI 3 in version 2.
  const faults = () => log(site.time.ms, [[10, identifier(6, PGN.dm1, 3), bytes('04FF9700038AFFFF')], engine(3, 900)]);
  const spns = () =>
    site.ingest.live.equipment(site.machine('HT-1'))?.dtcs?.map(({ spn, fmi, raw }) => [spn, fmi, raw]);
  await site.send(device, 'can', faults());
  await site.settle();
  assert.deepEqual(spns(), [[null, 3, '9700038A']]);
  await site.call('devices_settings_update', {
    id: device.device,
    settings: {
      dtc_conversion: [
        { source_address: 9, method: 1 },
        { bus: 0, source_address: 3, method: 2 },
      ],
    },
  });
  site.time.pass(1_000);
  await site.send(device, 'can', faults());
  await site.settle();
  assert.deepEqual(spns(), [[1208, 3, '9700038A']]);
  await site.restart();
  site.time.pass(1_000);
  await site.send(device, 'can', faults());
  await site.settle();
  assert.deepEqual(spns(), [[1208, 3, '9700038A']], 'after a restart');
});

test('[D103] a conversion rule set before the first message of a device applies to that message', async () => {
  await using site = await startSite();
  const device = await site.device('a', 'HT-1');
  const other = await site.device('b', 'HT-2');
  const dtc_conversion = [{ bus: 0, source_address: 3, method: 2 }];
  await site.call('devices_settings_update', { id: device.device, settings: { dtc_conversion } });
  const faults = log(site.time.ms, [[10, identifier(6, PGN.dm1, 3), bytes('04FF9700038AFFFF')]]);
  await site.send(device, 'can', faults);
  await site.send(other, 'can', faults);
  await site.settle();
  const spns = (machine: string) => site.ingest.live.equipment(machine)?.dtcs?.map(({ spn, fmi }) => [spn, fmi]);
  assert.deepEqual(spns(site.machine('HT-1')), [[1208, 3]]);
  assert.deepEqual(spns(site.machine('HT-2')), [[null, 3]], 'the rule is of one device');
});

test('[D102] previously active codes are counted apart from active ones; null until a message arrives', async () => {
  await using site = await startSite();
  const device = await site.device('a', 'HT-1');
  const counts = () => site.ingest.live.equipment(site.machine('HT-1'))?.dtc_counts;
  await site.send(device, 'can', log(site.time.ms, [[10, identifier(6, PGN.dm1, 3), bytes('04FF64000101FFFF')]]));
  await site.settle();
  assert.deepEqual([counts()?.active, counts()?.previously_active, counts()?.previously_observed_at], [1, null, null]);
  site.time.pass(1_000);
  const two = bytes('00FF64000101C8000202');
  await site.send(
    device,
    'can',
    log(site.time.ms, [...message(PGN.dm2, 3, two), ...message(PGN.dm2, 0, bytes('00FF00000000FFFF'))]),
  );
  await site.settle();
  assert.deepEqual([counts()?.active, counts()?.previously_active], [1, 2]);
  assert.notEqual(counts()?.previously_observed_at, null);
  await site.restart();
  assert.equal(counts()?.previously_active, 2);
  site.time.pass(1_000);
  await site.send(device, 'can', log(site.time.ms, message(PGN.dm2, 3, bytes('00FF00000000FFFF'))));
  await site.settle();
  assert.equal(counts()?.previously_active, 0);
});

test('[D105] extended transport is counted and reported in health', async () => {
  await using site = await startSite();
  const device = await site.device('a');
  const data = new Uint8Array(8);
  await site.send(
    device,
    'can',
    log(site.time.ms, [
      [10, identifier(7, 0xc800, 3, 0), data],
      [10, identifier(7, 0xc700, 3, 0), data],
    ]),
  );
  await site.settle();
  assert.equal(heard(site, device).transport.extended, 2);
  const { sources } = await site.ingest.health();
  assert.match(sources[0]?.last_error ?? '', /1,785 bytes .*2 frames/);
});

test('[D104] an undated broadcast split over messages seconds apart is reassembled', async () => {
  await using site = await startSite();
  const device = await site.device('a', 'HT-1');
  for (const { id, data } of framesOf(6, 65260, 0, text('1HGBH41JXMN109186*'))) {
    const line = `can0  ${id.toString(16).toUpperCase().padStart(8, '0')}   [8]  ${[...data].map((byte) => byte.toString(16).padStart(2, '0')).join(' ')}`;
    await site.send(device, 'can', `${line}\n`);
    await site.settle();
    site.time.pass(5_000);
  }
  assert.equal(heard(site, device).ecus[0]?.vin, '1HGBH41JXMN109186');
  assert.equal(heard(site, device).transport.lost, 0);
});
