/** Raw traffic around critical alerts is kept as MF4 files. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Stored } from '#contract/base/view.ts';
import type { DeviceIdentity } from '#contract/fleet/ingest.ts';
import type { AlertData } from '#contract/work/alert.ts';
import { type RawFreezeData, rawFreezeId } from '#contract/work/raw-traffic.ts';
import { encodeDm1 } from '#domain/j1939/encode.ts';
import { type FreezeOptions, startRawFreeze } from '#freeze/raw-freeze.ts';
import { readMdf4 } from '#test/codec/mdf4-files.ts';
import { type Site, startSite } from '#test/ingest/support.ts';
import { addMachine, connectDevice, eventually, startGateway } from '#test/support/gateway.ts';

const LIMITS = { seconds: 60, dayBytes: 256e6, totalBytes: 2e9 };

const freezeOf = (site: Site, more: Partial<FreezeOptions> = {}) =>
  startRawFreeze({
    store: site.store,
    artifacts: site.artifacts,
    limits: LIMITS,
    frames: (window) => site.ingest.window(window),
    oldest: () => null,
    room: () => 1e12,
    clock: () => site.time.ms,
    log: () => {},
    tickMs: null,
    ...more,
  });

/** Sends one frame now; its identifier has the number. */
async function frame(site: Site, device: DeviceIdentity, n: number): Promise<void> {
  const id = (0x18f00400 + n).toString(16).toUpperCase().padStart(8, '0');
  const payload = `(${(site.time.ms / 1000).toFixed(6)}) can0 ${id}#0102030405060708\n`;
  await site.send(device, 'can', payload, { received_at_ms: site.time.ms });
}

async function raise(site: Site, id: string, machine_id: string | null, more: Partial<AlertData> = {}): Promise<void> {
  const data: Partial<AlertData> = {
    rule_id: 'rule_1',
    rule_name: 'Oil pressure',
    signal_name: 'engine.oil_pressure',
    value: 90,
    threshold: 100,
    unit: 'kPa',
    acknowledged_at: null,
    acknowledged_by: null,
    cleared_at: null,
    cleared_because: null,
    observed_at: null,
    actions: [],
    severity: 'critical',
    machine_id,
    device_id: null,
    condition: 'threshold',
    state: 'active',
    raised_at: new Date(site.time.ms).toISOString(),
    late: false,
    ...more,
  };
  await site.store.view(site.project).commit([{ collection: 'live', id, object: 'alert', data: { ...data } }]);
}

const frozen = async (site: Site, alert: string): Promise<Stored<RawFreezeData> | undefined> =>
  site.store.view(site.project).get<RawFreezeData>('local', rawFreezeId(alert));
const artifactsOf = (site: Site) => site.store.view(site.project).find('records', { object: 'artifact', limit: 100 });

/** The numbers of the frames in a kept file, in order. */
async function numbersIn(site: Site, file: RawFreezeData['files'][number] | undefined): Promise<number[]> {
  const artifact = await site.store.view(site.project).get<{ sha256: string }>('records', file?.artifact_id ?? '');
  const bytes = await site.artifacts.readAll(artifact?.data.sha256 ?? '', 1e9);
  assert.ok(bytes, 'the file exists');
  assert.equal(bytes.length, file?.bytes);
  const { batch, gaps } = readMdf4(new Uint8Array(bytes));
  assert.deepEqual(gaps, []);
  assert.equal(batch.count, file?.frames);
  return Array.from(batch.id.subarray(0, batch.count), (id) => id - 0x18f00400);
}

/** Sends a frame every ten seconds, from two minutes before an alert of T-1 to two minutes after it. Returns the number at the alert. */
async function drive(site: Site, devices: readonly DeviceIdentity[], onAlert: () => Promise<void>): Promise<void> {
  for (let n = 0; n < 24; n++) {
    for (const device of devices) await frame(site, device, n);
    if (n === 12) await onAlert();
    site.time.pass(10_000);
  }
  await site.settle();
}

test('[Z32] the frames of the machine from 60 s before to 60 s after a critical alert are kept as MF4, once', async () => {
  await using site = await startSite();
  const devices = [await site.device('front', 'T-1'), await site.device('rear', 'T-1')];
  const other = await site.device('other', 'T-2');
  await using freeze = await freezeOf(site);
  await drive(site, [...devices, other], async () => {
    await raise(site, 'alert_1', site.machine('T-1'));
    await raise(site, 'alert_warning', site.machine('T-1'), { severity: 'warning' });
    await raise(site, 'alert_late', site.machine('T-1'), { late: true });
    await freeze.tick();
    assert.equal((await frozen(site, 'alert_1'))?.data.state, 'waiting');
  });
  assert.equal(await freeze.tick(), 1);
  const kept = await frozen(site, 'alert_1');
  assert.deepEqual([kept?.data.state, kept?.data.reason, kept?.data.files.length], ['kept', null, 2]);
  for (const file of kept?.data.files ?? [])
    assert.deepEqual(await numbersIn(site, file), [6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18]);
  assert.deepEqual(
    kept?.data.files.map(({ device_id }) => device_id).sort(),
    devices.map(({ device }) => device).sort(),
  );
  assert.equal(await frozen(site, 'alert_warning'), undefined);
  assert.equal(await frozen(site, 'alert_late'), undefined);
  // The alert changes later, and the gateway starts again: nothing is kept a second time.
  await raise(site, 'alert_1', site.machine('T-1'), { state: 'cleared', raised_at: kept?.data.to ?? '' });
  assert.equal(await freeze.tick(), 0);
  await using again = await freezeOf(site);
  assert.equal(await again.tick(), 0);
  assert.equal((await artifactsOf(site)).length, 2);
  const alert = await site.call('alerts_get', { id: 'alert_1' });
  assert.deepEqual(
    alert.raw_traffic?.files.map(({ download_url, frames }) => [download_url, frames]),
    kept?.data.files.map(({ artifact_id }) => [`/api/v1/artifacts/${artifact_id}/content`, 13]),
  );
});

test('[Z32] a stop between the alert and the end of its window delays the file, and loses nothing', async () => {
  for (const crash of [false, true]) {
    await using site = await startSite();
    const device = await site.device('front', 'T-1');
    let freeze = await freezeOf(site);
    await drive(site, [device], async () => {
      await raise(site, 'alert_1', site.machine('T-1'));
      // Without a tick the document is not written, as after a crash directly after the alert.
      if (!crash) await freeze.tick();
      await freeze[Symbol.asyncDispose]();
      await site.restart({ crash });
    });
    freeze = await freezeOf(site);
    assert.equal(await freeze.tick(), 1);
    const kept = await frozen(site, 'alert_1');
    assert.equal(kept?.data.state, 'kept');
    assert.deepEqual(await numbersIn(site, kept?.data.files[0]), [6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18]);
    await freeze[Symbol.asyncDispose]();
  }
});

test('[Z32] alerts of one machine with overlapping windows share their files', async () => {
  await using site = await startSite();
  const device = await site.device('front', 'T-1');
  await using freeze = await freezeOf(site);
  await drive(site, [device], async () => {
    for (const id of ['alert_1', 'alert_2', 'alert_3']) await raise(site, id, site.machine('T-1'));
    await raise(site, 'alert_other', site.machine('T-1'), { machine_id: null, device_id: device.device });
  });
  assert.equal(await freeze.tick(), 3);
  assert.equal(await freeze.tick(), 1);
  const files = await Promise.all(
    ['alert_1', 'alert_2', 'alert_3'].map(async (id) =>
      (await frozen(site, id))?.data.files.map((one) => one.artifact_id),
    ),
  );
  assert.deepEqual(files[1], files[0]);
  assert.deepEqual(files[2], files[0]);
  assert.equal((await artifactsOf(site)).length, 2);
});

test('[Z32] an alert that follows within the window of an earlier one shares its files', async () => {
  await using site = await startSite();
  const device = await site.device('front', 'T-1');
  await using freeze = await freezeOf(site);
  const ticks: number[] = [];
  for (let n = 0; n < 30; n++) {
    await frame(site, device, n);
    if (n === 8) await raise(site, 'alert_1', site.machine('T-1'));
    if (n === 14) await raise(site, 'alert_2', site.machine('T-1'));
    site.time.pass(10_000);
    await site.settle();
    ticks.push(await freeze.tick());
  }
  assert.deepEqual(
    ticks.filter((alerts) => alerts > 0),
    [2],
  );
  const [first, second] = [await frozen(site, 'alert_1'), await frozen(site, 'alert_2')];
  assert.deepEqual(second?.data.files, first?.data.files);
  const numbers = await numbersIn(site, first?.data.files[0]);
  assert.deepEqual([numbers[0], numbers.at(-1), numbers.length], [2, 20, 19]);
});

test('[Z32] an alert whose files and whose failure cannot be stored delays no other machine, and is kept later', async () => {
  await using site = await startSite();
  const devices = [await site.device('front', 'T-1'), await site.device('rear', 'T-2')];
  const isRefused = (id: string) => id === rawFreezeId('alert_1');
  let refusing = true;
  const commit: Site['store']['commit'] = (writes) =>
    refusing && writes.some(({ id, expected }) => isRefused(id) && expected !== 0)
      ? Promise.reject(new Error('the disk is full'))
      : site.store.commit(writes);
  const store = { ...site.store, find: site.store.find.bind(site.store), commit };
  await using freeze = await freezeOf(site, { store });
  await drive(site, devices, async () => {
    await raise(site, 'alert_1', site.machine('T-1'));
    await raise(site, 'alert_2', site.machine('T-2'));
  });
  await assert.rejects(freeze.tick(), /disk is full/);
  assert.equal(await freeze.tick(), 1);
  assert.equal((await frozen(site, 'alert_2'))?.data.state, 'kept');
  assert.equal(await freeze.tick(), 0);
  refusing = false;
  site.time.pass(60_000);
  assert.equal(await freeze.tick(), 1);
  assert.equal((await frozen(site, 'alert_1'))?.data.state, 'kept');
});

test('[Z32] while the disk is short of space, nothing is kept; the files are written when there is space', async () => {
  await using site = await startSite();
  const device = await site.device('front', 'T-1');
  let room = 0;
  await using freeze = await freezeOf(site, { room: () => room });
  await drive(site, [device], () => raise(site, 'alert_1', site.machine('T-1')));
  await freeze.tick();
  assert.equal((await frozen(site, 'alert_1'))?.data.state, 'waiting');
  room = 1e12;
  site.time.pass(60_000);
  assert.equal(await freeze.tick(), 1);
  assert.equal((await frozen(site, 'alert_1'))?.data.state, 'kept');
});

test('[Z32] what is not kept has a reason: no frames, the limit of the day, and the limit of all files', async () => {
  await using site = await startSite();
  const device = await site.device('front', 'T-1');
  const silent = await site.addMachine('T-9');
  const tiny = { ...LIMITS, totalBytes: 6_000 };
  await using freeze = await freezeOf(site, { limits: tiny });
  await drive(site, [device], async () => {
    await raise(site, 'alert_1', site.machine('T-1'));
    await raise(site, 'alert_silent', silent);
  });
  while ((await freeze.tick()) > 0);
  const none = (await frozen(site, 'alert_silent'))?.data;
  assert.deepEqual(
    [none?.state, none?.reason],
    ['none', 'The journal has no CAN frames of this machine in the time window.'],
  );
  const first = (await frozen(site, 'alert_1'))?.data;
  assert.equal(first?.state, 'kept');
  const bytes = first?.files[0]?.bytes ?? 0;
  assert.ok(bytes > 0 && bytes < 6_000, `${bytes}`);

  // The files of the first alert give way to the files of the second.
  await drive(site, [device], () => raise(site, 'alert_2', site.machine('T-1')));
  while ((await freeze.tick()) > 0);
  const gone = (await frozen(site, 'alert_1'))?.data;
  assert.deepEqual([gone?.state, gone?.files], ['deleted', []]);
  assert.match(gone?.reason ?? '', /deleted/);
  assert.equal((await frozen(site, 'alert_2'))?.data.state, 'kept');
  assert.equal((await artifactsOf(site)).length, 1);

  await using limited = await freezeOf(site, { limits: { ...LIMITS, dayBytes: 100 } });
  await drive(site, [device], () => raise(site, 'alert_3', site.machine('T-1')));
  while ((await limited.tick()) > 0);
  const third = (await frozen(site, 'alert_3'))?.data;
  assert.equal(third?.state, 'none');
  assert.match(third?.reason ?? '', /limit of 0 MB a day/);
});

test('[Z32] at most 1,000 alerts have a document, also if all of them have files', async () => {
  await using site = await startSite();
  const device = await site.device('front', 'T-1');
  const at = new Date(site.time.ms - 3_600_000).toISOString();
  const writes = Array.from({ length: 1_000 }, (_, i) => {
    const file = { artifact_id: `art_${i}`, device_id: device.device, name: `${i}.mf4`, frames: 1, bytes: 1 };
    const own = { alert_id: `old_${i}`, machine_id: site.machine('T-1'), device_id: null, from: at, to: at };
    const data = { ...own, state: 'kept', reason: null, files: [file], attempts: 0 };
    return { collection: 'local', id: rawFreezeId(`old_${i}`), object: 'raw_freeze', data } as const;
  });
  await site.store.view(site.project).commit(writes);
  await using freeze = await freezeOf(site);
  await drive(site, [device], () => raise(site, 'alert_1', site.machine('T-1')));
  await freeze.tick();
  assert.equal((await frozen(site, 'alert_1'))?.data.state, 'kept');
  assert.equal(await frozen(site, 'old_0'), undefined);
  assert.equal((await frozen(site, 'old_999'))?.data.state, 'kept');
  const all = [
    ...(await site.store.view(site.project).find('local', { object: 'raw_freeze', limit: 1_000 })),
    ...(await site.store.view(site.project).find('local', { object: 'raw_freeze', order: 'asc', limit: 1_000 })),
  ];
  assert.equal(new Set(all.map(({ id }) => id)).size, 901);
});

test('[Z32] the window begins before the report of an alert that the gateway raised late, at most five minutes', async () => {
  await using site = await startSite();
  const device = await site.device('front', 'T-1');
  await using freeze = await freezeOf(site, { limits: { ...LIMITS, seconds: 10 } });
  const reported = (ms: number) => ({ observed_at: new Date(site.time.ms + ms).toISOString() });
  await drive(site, [device], async () => {
    await raise(site, 'alert_1', site.machine('T-1'), reported(-30_000));
    await freeze.tick();
  });
  await freeze.tick();
  const kept = await frozen(site, 'alert_1');
  assert.deepEqual(await numbersIn(site, kept?.data.files[0]), [8, 9, 10, 11, 12, 13]);
  for (const [id, ms, before] of [
    ['wrong_clock', -86_400_000, 310_000],
    ['clock_ahead', 3_600_000, 10_000],
  ] as const) {
    const raised_ms = site.time.ms;
    await raise(site, id, site.machine('T-1'), reported(ms));
    await freeze.tick();
    const { from, to } = (await frozen(site, id))?.data ?? {};
    assert.deepEqual(
      [raised_ms - Date.parse(from ?? ''), Date.parse(to ?? '') - raised_ms],
      [before, 10_000],
      `window of ${id}`,
    );
  }
});

test('[Z32] if the disk refuses the file for a minute, the file is written after that', async () => {
  await using site = await startSite();
  const device = await site.device('front', 'T-1');
  const draft = () => Promise.reject(new Error('the disk is full'));
  await using refused = await freezeOf(site, { artifacts: { draft } });
  await drive(site, [device], () => raise(site, 'alert_1', site.machine('T-1')));
  for (let i = 0; i < 30; i++) {
    await refused.tick();
    site.time.pass(2_000);
  }
  assert.equal((await frozen(site, 'alert_1'))?.data.state, 'waiting');
  await using freeze = await freezeOf(site);
  site.time.pass(600_000);
  await freeze.tick();
  assert.equal((await frozen(site, 'alert_1'))?.data.state, 'kept');
});

test('[Z32] a window from before the start of the journal is kept partly, with the reason', async () => {
  await using site = await startSite();
  const device = await site.device('front', 'T-1');
  const start = site.time.ms + 100_000;
  await using freeze = await freezeOf(site, { oldest: () => start });
  await drive(site, [device], () => raise(site, 'alert_1', site.machine('T-1')));
  await freeze.tick();
  const { data } = (await frozen(site, 'alert_1')) ?? {};
  assert.equal(data?.state, 'partly');
  assert.equal(data?.reason, `The journal has no raw messages from before ${new Date(start).toISOString()}.`);
});

test('[Z32] a running gateway keeps the frames around a DM1 that raises a critical alert, and serves the file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-freeze-'));
  try {
    await using gateway = await startGateway(folder, {}, { HEADFRAME_FREEZE_SECONDS: '1' });
    const project = (await gateway.client.call('projects_create', { name: 'Pit' })).project.id;
    const client = gateway.project(project);
    const machine = await addMachine(client, 'HT-14');
    const device = await connectDevice(gateway.node.mqttPort, machine);
    const data = Buffer.from(encodeDm1({ red: true }, [{ spn: 100, fmi: 1, count: 2 }]))
      .toString('hex')
      .toUpperCase();
    const line = `(${(Date.now() / 1000).toFixed(6)}) can0 18FECA03#${data}\n`;
    await device.publishAsync(`v1/devices/${machine.device_id}/can`, line, { qos: 1 });
    const { data: alerts } = await eventually(
      () => client.call('alerts_list', { severity: 'critical' }),
      (list) => list.data[0]?.raw_traffic?.state === 'kept',
    );
    const [file, ...more] = alerts[0]?.raw_traffic?.files ?? [];
    assert.deepEqual([file?.frames, file?.device_id, more], [1, machine.device, []]);
    const answer = await fetch(`${gateway.node.http}${file?.download_url}`, { headers: client.headers() });
    const { batch } = readMdf4(new Uint8Array(await answer.arrayBuffer()));
    assert.deepEqual([batch.count, batch.id[0]], [1, 0x18feca03]);
    await device.endAsync();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
