/** From a stored number back to the raw frame: every sample of a simulated hour, and what is said if the raw data is gone. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { encodeBinary } from '#codec/can-binary.ts';
import type { SignalName } from '#contract/base/signals.ts';
import type { LineageQuery } from '#contract/context.ts';
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';
import type { DeviceIdentity } from '#contract/fleet/ingest.ts';
import type { SegmentData } from '#domain/history/samples.ts';
import { openSegment } from '#domain/history/segment.ts';
import { encodeGroup, identifier } from '#domain/j1939/encode.ts';
import { createSite } from '#simulator/site.ts';
import { createHistoryCompaction } from '#sweeps/history-compaction.ts';
import { type Site, startSite } from './support.ts';

const STEP_MS = 10_000;
const MINUTES = 8;
const CHECKED = 200;

interface Sample {
  readonly equipment_id: string;
  readonly signal: SignalName;
  readonly second: number;
  readonly value: number;
}

async function storedSamples(site: Site): Promise<Sample[]> {
  const found: Sample[] = [];
  const segments = await site.store
    .view(site.project)
    .find<SegmentData>('telemetry', { object: 'segment', order: 'asc', limit: 1_000 });
  for (const { data } of segments) {
    const segment = openSegment(data.body);
    for (const signal of segment?.signals ?? []) {
      const { t, v } = segment?.read(signal) ?? { t: [], v: [] };
      t.forEach((second, i) => {
        found.push({ equipment_id: data.equipment_id, signal, second, value: v[i] as number });
      });
    }
  }
  return found;
}

const sampleQuery = (site: Site, { equipment_id, signal, second }: Sample) => ({
  project_id: site.project,
  equipment_id,
  signal,
  second,
});

/** Reads the lineage; the site has no log files. */
const lineage = (site: Site, query: LineageQuery) => site.ingest.lineage(query, async () => undefined);

/** Asserts that every `stride`th sample is decoded again to the same number from a frame in the journal. */
async function assertAllEqual(site: Site): Promise<void> {
  const samples = await storedSamples(site);
  assert.ok(samples.length > CHECKED);
  const stride = Math.floor(samples.length / CHECKED);
  for (let i = 0; i < samples.length; i += stride) {
    const sample = samples[i] as Sample;
    const found = await lineage(site, sampleQuery(site, sample));
    const where = JSON.stringify(sample);
    assert.equal(found?.status, 'found', where);
    assert.ok(Object.is(found.values[0]?.value, sample.value), `${where}: ${found.values[0]?.value}`);
    assert.ok(found.frame !== null && (found.values[0]?.steps.length ?? 0) >= 3, where);
  }
}

test('[I56] each sample of the simulated site is decoded again from its frame to the same number, before and after the sealing', async () => {
  await using site = await startSite();
  const quarry = createSite({ seed: 11, start_ms: site.time.ms });
  const devices: DeviceIdentity[] = [];
  for (const { unit } of quarry.roster.slice(0, 3)) devices.push(await site.device(`logger-${unit}`, unit));
  const batches = quarry.roster.map(() => new FrameBatch(4096));
  let seq = 0;
  const late: [DeviceIdentity, Uint8Array][] = [];
  for (let step = 0; step < (MINUTES * 60_000) / STEP_MS; step++) {
    for (const batch of batches) batch.clear();
    quarry.advance(site.time.ms + STEP_MS, batches);
    site.time.pass(STEP_MS);
    for (const [i, device] of devices.entries()) {
      const batch = batches[i] as FrameBatch;
      if (batch.count === 0) continue;
      const payload = encodeBinary(batch, seq++);
      // Each fifth message of the second machine arrives minutes later.
      if (i === 1 && step % 5 === 0) late.push([device, payload]);
      else await site.send(device, 'can', payload);
    }
    await site.settle();
  }
  site.time.pass(180_000);
  for (const [device, payload] of late) await site.send(device, 'can', payload);
  await site.settle();
  site.time.pass(120_000);
  await site.stored();
  await assertAllEqual(site);
  site.time.pass(600_000);
  const compaction = createHistoryCompaction({
    store: site.store,
    clock: () => site.time.ms,
    breathe: async () => {},
    log: () => {},
  });
  while ((await compaction.run()) > 0);
  await assertAllEqual(site);
});

test('[I56] the steps lead from the identifier and the bytes of the frame to the value', async () => {
  await using site = await startSite();
  const device = await site.device('logger', 'EX-1');
  const batch = new FrameBatch();
  const payload = encodeGroup(61_444, { 190: 621 });
  const ms = site.time.ms - 1_000;
  batch.push(ms * 1000, 1, identifier(3, 61_444, 0), FRAME.extended, payload, 0, payload.length);
  await site.send(device, 'can', encodeBinary(batch, 1));
  await site.settle();
  const second = Math.floor(ms / 1000);
  const sample = { equipment_id: site.machine('EX-1'), signal: 'engine.speed', second, value: 621 } as const;
  const found = await lineage(site, sampleQuery(site, sample));
  assert.equal(found?.status, 'found');
  assert.deepEqual(
    [found.sample?.value, found.sample?.origin.spn, found.sample?.origin.device_id],
    [621, 190, device.device],
  );
  assert.equal(found.frame?.identifier, '0CF00400');
  assert.equal(found.frame?.data, 'FF FF FF 68 13 FF FF FF');
  assert.deepEqual(found.values, [
    {
      signal: 'engine.speed',
      unit: 'rpm',
      value: 621,
      raw: 4_968,
      steps: [
        'The CAN identifier 0CF00400 means: priority 3, PGN 61444 (EEC1), from source address 0 (0x0) to all.',
        'SPN 190 (Engine speed) is bytes 4 to 5, lowest byte first of the payload: 68 13. That is the raw number 4968.',
        'The raw number is valid: the largest valid number with 16 bits is 64255. Larger numbers mean "error" or "not available".',
        '4968 × 0.125 = 621 rpm.',
      ],
    },
  ]);
  // The `ref` of the live value names the same frame.
  const { ref } = site.ingest.live.equipment(site.machine('EX-1'))?.values['engine.speed'] ?? {};
  assert.equal(ref, found.source?.ref);
  const [segment, rest = ''] = String(ref).split(':');
  const [offset, frame] = rest.split('#').map(Number) as [number, number];
  const place = { project_id: site.project, segment: Number(segment), offset, frame };
  const again = await lineage(site, place);
  assert.deepEqual([again?.source, again?.frame, again?.values], [found.source, found.frame, found.values]);
  assert.equal(again?.equipment_id, site.machine('EX-1'));
  assert.equal(await lineage(site, { ...place, project_id: 'prj_other' }), undefined, 'not of another project');
  assert.equal(await lineage(site, { ...place, frame: 7 }), undefined, 'the message has one frame');
  assert.equal(await lineage(site, { ...place, offset: offset + 1 }), undefined, 'no message begins there');
});

test('[I56] a telemetry point is shown as the device sent it', async () => {
  await using site = await startSite();
  const device = await site.device('sensor', 'EX-1');
  const ms = site.time.ms - 5_000;
  const points = [
    { ts: 'never', values: { 'fuel.level': 40 } },
    { ts: ms - 60_000, values: { 'fuel.level': 41.5 } },
    { ts: ms, values: { 'fuel.level': 41.25, 'engine.speed': 700 } },
  ];
  await site.send(device, 'telemetry', JSON.stringify({ points }));
  await site.settle();
  const of = {
    equipment_id: site.machine('EX-1'),
    signal: 'fuel.level',
    second: Math.floor(ms / 1000),
    value: 41.25,
  } as const;
  const found = await lineage(site, sampleQuery(site, of));
  assert.equal(found?.status, 'found');
  assert.equal(found.point, JSON.stringify(points[2]));
  assert.deepEqual(
    found.values.map(({ signal, value, raw }) => [signal, value, raw]),
    [['fuel.level', 41.25, null]],
  );
  assert.equal(await lineage(site, sampleQuery(site, { ...of, second: of.second + 1 })), undefined);
});

test('[I56] if the journal no longer has the message, the answer says so', async () => {
  await using site = await startSite({ rawBytes: 20_000, segmentBytes: 4_096 });
  const device = await site.device('sensor', 'EX-1');
  const first = site.time.ms;
  await site.send(device, 'telemetry', JSON.stringify({ ts: first, values: { 'fuel.level': 41.25 } }));
  await site.settle();
  site.time.pass(120_000);
  await site.stored();
  const { ref } = site.ingest.live.equipment(site.machine('EX-1'))?.values['fuel.level'] ?? {};
  for (let round = 0; round < 5; round++) {
    for (let i = 0; i < 20; i++) await site.send(device, 'can', randomBytes(800));
    await site.settle();
    site.time.pass(61_000);
    await site.stored();
  }
  const of = {
    equipment_id: site.machine('EX-1'),
    signal: 'fuel.level',
    second: Math.floor(first / 1000),
    value: 41.25,
  } as const;
  const found = await lineage(site, sampleQuery(site, of));
  assert.deepEqual([found?.status, found?.sample?.value, found?.values], ['raw_gone', 41.25, []]);
  const [segment, offset] = String(ref).split(':').map(Number) as [number, number];
  const message = await lineage(site, { project_id: site.project, segment, offset, frame: null });
  assert.equal(message?.status, 'raw_gone');
  const until = new Date(Number(site.ingest.stats().journal.oldest_ms)).toISOString();
  assert.ok(Date.parse(until) > first, 'the gap covers the deleted message');
  for (const one of [found, message]) assert.deepEqual(one?.gap, { artifact_id: null, until });
});

test('[I56] a value of a DBC file is decoded with the version of that time, also if another version is active now', async () => {
  await using site = await startSite();
  const device = await site.device('logger', 'EX-1');
  const activate = async (factor: number) => {
    const text = `VERSION ""\nBO_ 291 Body: 8 X\n SG_ Oil : 8|16@1- (${factor},0) [0|0] "degC" X\n`;
    const mapping = [
      { message: 'Body', signal: 'Oil', to: 'vehicle.hydraulic_temperature', unit: null, preferred: false },
    ];
    const { id } = await site.call('dbc_import', { name: 'maker', text, mapping });
    await site.call('dbc_activate', { id, device_ids: null });
    return id;
  };
  const send = async () => {
    const ms = site.time.ms - 1_000;
    await site.send(device, 'can', `(${(ms / 1_000).toFixed(6)}) can1 123#0248020000000000\n`);
    await site.settle();
    return Math.floor(ms / 1_000);
  };
  const first = await activate(0.1);
  const early = await send();
  site.time.pass(60_000);
  await site.call('dbc_deactivate', { id: first });
  const second = await activate(0.125);
  // The value that is shown now came from the first version, and its `ref` must lead to the same number.
  const shown = site.ingest.live.equipment(site.machine('EX-1'))?.values['vehicle.hydraulic_temperature'];
  const [, segment = '', offset = '', frame = ''] = /^(\d+):(\d+)#(\d+)$/.exec(shown?.ref ?? '') ?? [];
  const place = { segment: Number(segment), offset: Number(offset), frame: Number(frame) };
  const live = await lineage(site, { project_id: site.project, ...place });
  assert.deepEqual([shown?.value, live?.values.map((one) => one.value)], [58.4, [58.4]]);
  assert.match(live?.values[0]?.steps.join(' ') ?? '', /584 × 0\.1/);
  const late = await send();
  for (const [dbc, at, value] of [
    [first, early, 58.4],
    [second, late, 73],
  ] as const) {
    const sample = {
      equipment_id: site.machine('EX-1'),
      signal: 'vehicle.hydraulic_temperature',
      second: at,
      value,
    } as const;
    const found = await lineage(site, sampleQuery(site, sample));
    assert.deepEqual(
      [
        found?.status,
        found?.sample?.value,
        found?.sample?.origin.dbc,
        found?.values.map((one) => [one.raw, one.value]),
      ],
      ['found', value, `${dbc} Body.Oil`, [[584, value]]],
    );
    assert.match(found?.values[0]?.steps.join(' ') ?? '', dbc === first ? /584 × 0\.1/ : /584 × 0\.125/);
  }
});
