import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeBinary } from '#codec/can-binary.ts';
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';
import { type Disk, nodeDisk } from '#ingest/journal/disk.ts';
import { hours, speed } from './frames.ts';
import { type Site, startSite } from './support.ts';

const countsOf = (site: Site, device: string) => {
  const { frames_total, duplicates_total } = site.ingest.live.device(device)?.metrics ?? {};
  return [frames_total, duplicates_total];
};

/** A disk that tells its calls and can be full. */
function watchedDisk(): { disk: Disk; calls: string[]; full: boolean } {
  const real = nodeDisk();
  const watched = {
    calls: [] as string[],
    full: false,
    disk: {
      ...real,
      async open(...args: Parameters<Disk['open']>) {
        const file = await real.open(...args);
        const [, name] = args;
        return {
          ...file,
          write(bytes: Uint8Array, position: number) {
            if (!watched.full) return file.write(bytes, position);
            return Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' }));
          },
          sync() {
            watched.calls.push(`sync ${name}`);
            return file.sync();
          },
          truncate(length: number) {
            watched.calls.push(`truncate ${name}`);
            return file.truncate(length);
          },
        };
      },
    },
  };
  return watched;
}

test('[I2] groups that a killed process wrote without a sync are synced before they are read', async () => {
  const watched = watchedDisk();
  await using site = await startSite({ disk: watched.disk });
  const device = await site.device('truck', 'HT-1');
  await site.send(device, 'can', speed(site.time.ms, 700));
  watched.calls.length = 0;
  await site.restart({ crash: true });
  assert.deepEqual(watched.calls, ['sync 0000000001.journal']);
});

test('[I9] the bytes of refused messages are truncated before the next write, without waiting for the fold', async () => {
  const watched = watchedDisk();
  await using site = await startSite({ disk: watched.disk });
  const device = await site.device('truck', 'HT-1');
  await site.send(device, 'can', speed(site.time.ms, 700));
  watched.calls.length = 0;
  watched.full = true;
  await assert.rejects(site.send(device, 'can', speed(site.time.ms, 710)));
  assert.deepEqual(watched.calls, ['truncate 0000000001.journal', 'sync 0000000001.journal']);
  watched.full = false;
  site.time.pass(1_000);
  await site.send(device, 'can', speed(site.time.ms, 720));
  await site.settle();
  assert.equal((await site.ingest.health()).journal.unfolded_messages, 0);
});

test('[I22] binary batches of a source that restarts its numbers are applied, because their checksums differ', async () => {
  await using site = await startSite();
  const device = await site.device('truck', 'HT-1');
  const batch = (rpm: number) => {
    const frames = new FrameBatch();
    const data = Buffer.from([255, 255, 255, rpm & 255, rpm >> 8, 255, 255, 255]);
    frames.push((site.time.ms - 1000) * 1000, 0, 0x0cf00400, FRAME.extended, data, 0, 8);
    return encodeBinary(frames, 1);
  };
  await site.send(device, 'can', batch(6_000));
  await site.send(device, 'can', batch(8_000));
  await site.send(device, 'can', batch(6_000));
  await site.settle();
  assert.deepEqual(countsOf(site, device.device), [2, 1]);
});

test('[I22] a repeated point is recognised also after points with the same time and other values', async () => {
  await using site = await startSite();
  const device = await site.device('pump', 'HT-1');
  const observed_at = new Date(site.time.ms - 1000).toISOString();
  const points = (signal: string) => JSON.stringify({ observed_at, values: { [signal]: 50 } });
  for (const signal of ['fuel.level', 'engine.load', 'fuel.level', 'engine.load']) {
    await site.send(device, 'telemetry', points(signal));
  }
  await site.settle();
  assert.equal(site.ingest.live.device(device.device)?.metrics.duplicates_total, 2);
});

test('[I22] repeats of the last minute are recognised also after two restarts', async () => {
  await using site = await startSite();
  const device = await site.device('truck');
  const line = '  can0  0CF00400   [8]  FF FF FF 00 19 FF FF FF\n';
  await site.send(device, 'can', line, { packet_id: 7 });
  await site.settle();
  for (let i = 0; i < 2; i++) {
    await site.restart();
    site.time.pass(11_000);
    await site.settle();
  }
  await site.send(device, 'can', line, { packet_id: 7, dup: true });
  await site.settle();
  assert.deepEqual(countsOf(site, device.device), [1, 1]);
});

test('[I23] messages of a device that is unlinked and linked again before its next message belong to the same machine', async () => {
  await using site = await startSite();
  const device = await site.device('truck', 'HT-1');
  await site.send(device, 'can', speed(site.time.ms, 700));
  await site.settle();
  await site.link(device, null);
  await site.link(device, 'HT-1');
  await site.send(device, 'can', speed(site.time.ms, 710));
  await site.settle();
  assert.equal(site.ingest.live.equipment(site.machine('HT-1'))?.values['engine.speed']?.value, 710);
});

test('[I23] the first message of a device belongs to the machine at its journal position, even if the device is linked to another one before the fold', async () => {
  await using site = await startSite({ tickMs: 300 });
  const device = await site.device('truck', 'HT-1');
  await site.send(device, 'can', speed(site.time.ms, 700));
  await site.link(device, 'HT-2');
  await site.send(device, 'can', speed(site.time.ms, 710));
  for (let i = 0; i < 100 && site.ingest.live.equipment(site.machine('HT-2')) === undefined; i++) await site.settle();
  assert.equal(site.ingest.live.equipment(site.machine('HT-1'))?.values['engine.speed']?.value, 700);
  assert.equal(site.ingest.live.equipment(site.machine('HT-2'))?.values['engine.speed']?.value, 710);
});

test('[I28] after a crash, samples from before a change of the link belong to the former machine', async () => {
  await using site = await startSite();
  const device = await site.device('truck', 'HT-1');
  const t = site.time.ms;
  await site.send(device, 'can', speed(t, 700));
  site.time.pass(2_000);
  await site.link(device, 'HT-2');
  await site.send(device, 'can', speed(site.time.ms, 710));
  await site.settle();
  site.time.pass(11_000);
  await site.settle();
  await site.restart({ crash: true });
  const valuesOf = async (id: string) => (await site.ingest.history(id, 'engine.speed', 0, 8e12)).v;
  assert.deepEqual([await valuesOf(site.machine('HT-1')), await valuesOf(site.machine('HT-2'))], [[700], [710]]);
});

test('[I21] live documents are written after a crash even when nothing changes any more', async () => {
  await using site = await startSite();
  const device = await site.device('truck', 'HT-1');
  const stored = async () => {
    await site.stored();
    const view = site.store.view(site.project);
    return (await view.get<{ values: Record<string, { value: number }> }>('live', site.machine('HT-1')))?.data.values;
  };
  await site.send(device, 'can', speed(site.time.ms, 700));
  assert.deepEqual(Object.keys((await stored()) ?? {}), ['engine.speed']);
  await site.send(device, 'can', hours(site.time.ms, 12));
  assert.equal((await stored())?.['engine.hours'], undefined, 'values alone wait for a minute');
  await site.restart({ crash: true });
  assert.equal((await stored())?.['engine.hours']?.value, 12);
});

test('[I22] a repeated message gives no sample after a restart, even if its packet id was used again in the meantime', async () => {
  await using site = await startSite();
  const device = await site.device('truck', 'HT-1');
  // Without a time: nothing but the sender's mark tells the repeat.
  const line = 'can0  0CF00400   [8]  FF FF FF E0 2E FF FF FF\n';
  await site.send(device, 'can', line, { packet_id: 1 });
  site.time.pass(2_000);
  // The repeat begins a segment, which a start may read twice.
  await site.restart({ crash: true });
  await site.send(device, 'can', line, { packet_id: 1, dup: true });
  site.time.pass(2_000);
  await site.send(device, 'status', '{"status":"online"}', { packet_id: 1 });
  await site.settle();
  const before = await site.ingest.history(site.machine('HT-1'), 'engine.speed', 0, 8e12);
  assert.deepEqual(before.v, [1500]);
  for (const crash of [false, true, false]) {
    await site.restart({ crash });
    await site.settle();
    assert.deepEqual(await site.ingest.history(site.machine('HT-1'), 'engine.speed', 0, 8e12), before);
  }
});
