/** The logger's own GNSS in frames that arrive live. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatCandump } from '#codec/candump.ts';
import { FrameBatch } from '#contract/fleet/frame.ts';
import type { DeviceIdentity } from '#contract/fleet/ingest.ts';
import { encodeGroup, identifier, pushFrame } from '#domain/j1939/encode.ts';
import { gnssFrame, positionFrame } from '#test/domain/gnss/gnss-kit.ts';
import { type Site, startSite } from './support.ts';

const INTERNAL = { gnss_channels: [{ bus: 9, frames: 'canedge_internal' }] };
const POSITION = 0x067;
const SPEED = 0x06b;

/** Frames with a time as candump text: 11-bit ones on bus 9 by number, or an encoded group on bus 0. */
function log(frames: readonly (readonly [t_ms: number, id: number, data: Uint8Array])[]): Uint8Array {
  const batch = new FrameBatch();
  for (const [t_ms, id, data] of frames) {
    if (id <= 0x7ff) batch.push(t_ms * 1000, 9, id, 0, data, 0, data.length);
    else pushFrame(batch, t_ms * 1000, 0, id, data);
  }
  return formatCandump(batch);
}

const named = (site: Site, { device }: DeviceIdentity, settings: Record<string, unknown> = INTERNAL) =>
  site.call('devices_settings_update', { id: device, settings });
const ignoredOf = (site: Site, { device }: DeviceIdentity) =>
  (site.ingest.live.device(device)?.state.bus as { ignored?: number } | undefined)?.ignored;
const positionOf = (site: Site, machine: string) => {
  const values = site.ingest.live.equipment(site.machine(machine))?.values;
  return [values?.['position.latitude']?.value, values?.['position.longitude']?.value];
};

test('[D180] [D183] live GNSS frames are counted as ignored until a setting of the device names their channel', async () => {
  await using site = await startSite();
  const device = await site.device('a', 'HT-1');
  const send = async (latitude: number) => {
    site.time.pass(1_000);
    const t = site.time.ms - 10;
    const frames = [POSITION, 0x06f].map((id) => [t, id, positionFrame(latitude, -70.5)] as const);
    await site.send(device, 'can', log(frames));
    await site.settle();
  };
  await send(10.5);
  assert.deepEqual(positionOf(site, 'HT-1'), [undefined, undefined]);
  assert.equal(ignoredOf(site, device), 2);
  await named(site, device);
  await send(11.5);
  assert.deepEqual(positionOf(site, 'HT-1'), [11.5, -70.5]);
  assert.equal(ignoredOf(site, device), 3, 'the frame that nothing decodes');
  const value = site.ingest.live.equipment(site.machine('HT-1'))?.values['position.latitude'];
  assert.deepEqual([value?.bus, value?.source_address, value?.pgn, value?.spn], [9, null, null, null]);
  assert.deepEqual([value?.raw, value?.gnss], [101_500_000, true]);
  await site.restart();
  await send(12.5);
  assert.deepEqual(positionOf(site, 'HT-1'), [12.5, -70.5], 'after a restart');
  assert.equal(ignoredOf(site, device), 4);
  await named(site, device, { gnss_channels: null });
  await send(13.5);
  assert.deepEqual(positionOf(site, 'HT-1'), [12.5, -70.5], 'the setting was removed');
  assert.equal(ignoredOf(site, device), 6);
});

test('[D184] a position of the machine itself is preferred to GNSS, and GNSS to a telemetry point', async () => {
  await using site = await startSite();
  const device = await site.device('a', 'HT-1');
  await named(site, device);
  const gnss = async () => {
    site.time.pass(1_000);
    await site.send(device, 'can', log([[site.time.ms - 10, POSITION, positionFrame(20.5, 30.5)]]));
    await site.settle();
  };
  const point = { ts: site.time.ms, values: { 'position.latitude': 1, 'position.longitude': 2 } };
  await site.send(device, 'telemetry', JSON.stringify(point));
  await site.settle();
  assert.deepEqual(positionOf(site, 'HT-1'), [1, 2]);
  await gnss();
  assert.deepEqual(positionOf(site, 'HT-1'), [20.5, 30.5]);
  const own = encodeGroup(65267, { 584: 40.25, 585: 50.25 });
  await site.send(device, 'can', log([[site.time.ms - 5, identifier(6, 65267, 3), own]]));
  await site.settle();
  assert.deepEqual(positionOf(site, 'HT-1'), [40.25, 50.25]);
  const values = site.ingest.live.equipment(site.machine('HT-1'))?.values;
  assert.equal(values?.['position.latitude'] && 'gnss' in values['position.latitude'], false);
  await gnss();
  assert.deepEqual(positionOf(site, 'HT-1'), [40.25, 50.25]);
  site.time.pass(61_000);
  await gnss();
  assert.deepEqual(positionOf(site, 'HT-1'), [20.5, 30.5], 'the machine has sent none for 60 s');
});

test('[D185] a speed from GNSS is shown, and makes no machine run; late positions make none live', async () => {
  await using site = await startSite();
  const device = await site.device('a', 'HT-1');
  await named(site, device);
  const frames = (from: number) =>
    log(
      Array.from({ length: 40 }, (_, i) => [
        [from + i * 500, SPEED, gnssFrame(6, { speedValid: 1, speed: 10_000 })] as const,
        [from + i * 500, POSITION, positionFrame(10 + i / 1000, 20)] as const,
      ]).flat(),
    );
  const live = () => site.ingest.live.equipment(site.machine('HT-1'));
  await site.send(device, 'can', frames(site.time.ms - 3_600_000));
  await site.settle();
  assert.deepEqual([live()?.live_status, live()?.last_live_data_at], ['unknown', null]);
  assert.deepEqual(positionOf(site, 'HT-1'), [10.039, 20], 'the newest position that is known');
  await site.send(device, 'can', frames(site.time.ms - 20_000));
  await site.settle();
  assert.equal(live()?.values['vehicle.speed']?.value, 36);
  assert.equal(live()?.live_status, 'unknown', 'a machine on a trailer moves, too');
  assert.notEqual(live()?.last_live_data_at, null);
  const stopped = Array.from(
    { length: 15 },
    (_, i) => [site.time.ms + i * 1_000, identifier(3, 61444, 0), encodeGroup(61444, { 190: 0 })] as const,
  );
  site.time.pass(15_000);
  await site.send(device, 'can', log(stopped));
  await site.settle();
  assert.equal(live()?.live_status, 'off');
});

test('[D184] samples of GNSS that are in no segment yet are the same after a crash', async () => {
  await using site = await startSite();
  const device = await site.device('a', 'HT-1');
  await named(site, device);
  const from = site.time.ms;
  site.time.pass(20_000);
  const frames = Array.from({ length: 20 }, (_, i) => [from + i * 1_000, POSITION, positionFrame(i, -i)] as const);
  await site.send(device, 'can', log(frames));
  await site.settle();
  const history = () => site.ingest.history(site.machine('HT-1'), 'position.latitude', from - 1, from + 60_000);
  const before = await history();
  assert.deepEqual(
    before.v,
    Array.from({ length: 20 }, (_, i) => i),
  );
  await site.restart({ crash: true });
  assert.deepEqual(await history(), before);
});

test('[I58] the offset of a live clock against GNSS time is measured, and kept after a restart; wrong readings change nothing', async () => {
  await using site = await startSite();
  const device = await site.device('a', 'HT-1');
  await named(site, device);
  const TIME = 0x066;
  const EPOCH_MS = 1_577_840_400_000;
  const clockOf = () => site.ingest.live.device(device.device)?.metrics.gnss_clock;
  /** Ten seconds of GNSS time, five times a second; the logger is behind, and writes each time down up to 0.3 s late. */
  const send = async (behind_ms: number, wrong_ms = 0) => {
    site.time.pass(10_000);
    const frames = Array.from({ length: 50 }, (_, i) => {
      const true_ms = site.time.ms - 10_000 + i * 200;
      const epoch = true_ms - EPOCH_MS + (i % 25 === 24 ? wrong_ms : 0);
      const data = gnssFrame(1, { timeValid: 1, timeConfirmed: 1, epoch });
      return [true_ms - behind_ms + (i % 4) * 100, TIME, data] as const;
    });
    await site.send(device, 'can', log(frames));
    await site.settle();
  };
  assert.equal(clockOf(), undefined, 'before the first GNSS time');
  await send(8_200);
  assert.deepEqual([clockOf()?.ahead_ms, clockOf()?.uncertainty_ms], [-8_200, 500]);
  await send(8_200, 3_600_000);
  await send(8_200, -5_000);
  assert.equal(clockOf()?.ahead_ms, -8_200, 'a few wrong times');
  await site.stored();
  const before = clockOf();
  await site.restart();
  assert.deepEqual(clockOf(), before);
  // The clock is set: the new offset counts at the latest from the next minute on.
  site.time.pass(60_000);
  await send(0);
  assert.equal(clockOf()?.ahead_ms, 0);
});
