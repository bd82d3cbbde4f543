import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeCanPayload } from '#codec/can-payload.ts';
import type { EventData } from '#contract/base/event.ts';
import type { Stored } from '#contract/base/view.ts';
import { nodeDisk } from '#ingest/journal/disk.ts';
import { openJournal } from '#ingest/journal/journal.ts';
import { positionOf } from '#ingest/journal/position.ts';
import { RecordReader } from '#ingest/journal/record.ts';
import { dm1, hours, running, speed } from './frames.ts';
import { type Site, startSite } from './support.ts';

/** In the order in which they were written. */
async function eventsOf(site: Site): Promise<Stored<EventData>[]> {
  const found = await site.events();
  return found.sort((a, b) => a.origin_seq - b.origin_seq);
}

const typesOf = async (site: Site) => (await eventsOf(site)).map(({ data }) => data.type);

test('[I20] a value of a machine names its run, device, times, journal position, bus, address, group, parameter and raw number', async () => {
  await using site = await startSite();
  const device = await site.device('truck', 'HT-1');
  const received = site.time.ms;
  const t = received - 2_000;
  await site.send(device, 'can', `${hours(t - 1000, 12.5)}${speed(t, 1500, 0, 1)}`);
  await site.stored();
  const value = site.ingest.live.equipment(site.machine('HT-1'))?.values['engine.speed'];
  assert.ok(value);
  const { run_id, ref, ...rest } = value;
  assert.deepEqual(rest, {
    value: 1500,
    observed_at: new Date(t).toISOString(),
    received_at: new Date(received).toISOString(),
    device_id: device.device,
    bus: 1,
    source_address: 0,
    pgn: 61444,
    spn: 190,
    raw: 12_000,
  });
  const [place = '', frame] = (ref ?? '').split('#');
  assert.equal(frame, '1');
  const reader = new RecordReader();
  await using journal = await openJournal({
    folder: `${site.folder}/journal`,
    disk: nodeDisk(),
    clock: () => 0,
    monotonic: () => 0,
    random: (n) => new Uint8Array(n),
    onGroup: () => {},
    onFatal: () => {},
  });
  const found: string[] = [];
  for await (const group of journal.read(0)) {
    reader.open(group.segment, group.start, group.body);
    while (reader.next()) if (`${reader.segment}:${reader.offset}` === place) found.push(reader.payload.toString());
  }
  assert.equal(found.length, 1);
  assert.match(found[0] ?? '', /0CF00400#FFFFFFE02EFFFFFF/);

  const run = await site.store.view(site.project).get<Record<string, unknown>>('records', run_id ?? '');
  assert.equal(run?.object, 'run');
  assert.equal(run?.data.status, 'running');
  const task = await site.store.view(site.project).get<Record<string, unknown>>('records', String(run?.data.task_id));
  assert.deepEqual([task?.object, task?.data.kind, task?.data.latest_run_id], ['task', 'decode', run_id]);
});

test('[I20] a device has one decode run, also after restarts', async () => {
  await using site = await startSite();
  const device = await site.device('truck', 'HT-1');
  await site.send(device, 'can', speed(site.time.ms, 800));
  await site.stored();
  await site.restart();
  await site.send(device, 'can', speed(site.time.ms, 801));
  await site.stored();
  await site.restart({ crash: true });
  await site.send(device, 'can', speed(site.time.ms, 802));
  await site.stored();
  assert.equal((await site.store.view(site.project).find('records', { object: 'run', limit: 10 })).length, 1);
  assert.equal(site.ingest.live.equipment(site.machine('HT-1'))?.values['engine.speed']?.value, 802);
});

test('[I21] after crashes at any point every message is in the facts once, and every event in the log once', async () => {
  const messages = (start: number): string[] => {
    const list: string[] = [];
    for (let i = 0; i < 30; i++) {
      const t = start + i * 1_000;
      list.push(`${speed(t, 700 + i)}${hours(t, 100 + i)}${i % 5 === 0 ? dm1(t, 100 + i, 3) : ''}`);
    }
    return list;
  };
  const outcome = async (crashes: readonly number[]) => {
    await using site = await startSite();
    const device = await site.device('truck', 'HT-1');
    const list = messages(site.time.ms - 40_000);
    for (const [i, text] of list.entries()) {
      await site.send(device, 'can', text);
      if (i % 7 === 3) {
        site.time.pass(11_000);
        await site.settle();
      }
      if (crashes.includes(i)) await site.restart({ crash: true });
    }
    await site.stored();
    const events = (await eventsOf(site)).filter(({ data }) => data.type.startsWith('dtc'));
    const ids = new Set(events.map(({ id }) => id));
    const { values, dtcs } = site.ingest.live.equipment(site.machine('HT-1')) ?? {};
    const { metrics } = site.ingest.live.device(device.device) ?? {};
    const history = await site.ingest.history(site.machine('HT-1'), 'engine.speed', 0, 8e12);
    return {
      events: events.map(({ data }) => [data.type, data.occurred_at, data.data.spn]),
      ids: ids.size,
      speed: values?.['engine.speed']?.value,
      hours: values?.['engine.hours']?.value,
      dtcs: dtcs?.map(({ spn, since }) => [spn, since]),
      messages: metrics?.messages_total,
      frames: metrics?.frames_total,
      history,
    };
  };
  const whole = await outcome([]);
  assert.equal(whole.messages, 30);
  assert.equal(whole.history.t.length, 30);
  assert.ok(whole.events.length >= 10);
  assert.equal(whole.ids, whole.events.length);
  for (const crashes of [[0], [4], [11, 12], [3, 9, 20, 29], [29]]) {
    assert.deepEqual(await outcome(crashes), whole, `crashes after ${crashes}`);
  }
});

test('[I21] an event is committed as soon as a second has passed since the last commit, and does not wait five', async () => {
  await using site = await startSite();
  const device = await site.device('truck', 'HT-1');
  await site.send(device, 'telemetry', '{"values":{"engine.speed":700}}');
  await site.stored();
  const before = (await typesOf(site)).length;
  const commitIsOver = async () => {
    await site.settle();
    while (site.ingest.stats().storing) await new Promise((done) => setImmediate(done));
  };
  await site.send(device, 'events', '{"type":"x.test"}');
  await commitIsOver();
  site.time.pass(1_000);
  await commitIsOver();
  assert.deepEqual((await typesOf(site)).slice(before), ['x.test']);
});

test('[I22] a numbered payload is applied once, and another payload with the same number is applied, too', async () => {
  await using site = await startSite();
  const device = await site.device('truck', 'HT-1');
  const t = site.time.ms - 1000;
  const batch = (seq: number, rpm: number, at: number) =>
    JSON.stringify({
      seq,
      frames: [{ t: at / 1000, id: 0x0cf00400, ext: true, data: `FFFFFF${rpm === 800 ? '0019' : 'C05D'}FFFFFF` }],
    });
  const counted = async () => {
    await site.settle();
    const metrics = site.ingest.live.device(device.device)?.metrics;
    return [metrics?.frames_total, metrics?.duplicates_total, metrics?.decode_errors_total];
  };
  await site.send(device, 'can', batch(1, 800, t));
  await site.send(device, 'can', batch(1, 800, t), { dup: true, packet_id: 4 });
  assert.deepEqual(await counted(), [1, 1, 0]);
  await site.send(device, 'can', batch(1, 3000, t + 500));
  assert.deepEqual(await counted(), [2, 1, 0]);
  await site.restart({ crash: true });
  await site.send(device, 'can', batch(1, 3000, t + 500));
  assert.deepEqual(await counted(), [2, 2, 0]);
  assert.equal(site.ingest.live.equipment(site.machine('HT-1'))?.values['engine.speed']?.value, 3000);
});

test('[I22] frames with a time are applied once per bus, time, identifier and data, also after a restart', async () => {
  await using site = await startSite();
  const device = await site.device('truck', 'HT-1');
  const t = site.time.ms - 1000;
  const first = `${speed(t, 800)}${speed(t + 100, 810)}${speed(t + 200, 820)}`;
  await site.send(device, 'can', first);
  await site.send(device, 'can', `${speed(t + 200, 820)}${speed(t + 300, 830)}`);
  await site.settle();
  const totals = () => {
    const { frames_total, duplicates_total } = site.ingest.live.device(device.device)?.metrics ?? {};
    return [frames_total, duplicates_total];
  };
  assert.deepEqual(totals(), [4, 1]);
  assert.match(site.ingest.live.equipment(site.machine('HT-1'))?.values['engine.speed']?.ref ?? '', /#1$/);
  await site.restart();
  await site.send(device, 'can', first);
  await site.send(device, 'can', speed(t, 800, 0, 1));
  await site.settle();
  assert.deepEqual(totals(), [5, 4]);
});

test('[I22] frames without a time are repeats only when their sender marks the repeat', async () => {
  await using site = await startSite();
  const device = await site.device('truck', 'HT-1');
  const line = '  can0  0CF00400   [8]  FF FF FF 00 19 FF FF FF\n';
  await site.send(device, 'can', line, { packet_id: 7 });
  await site.send(device, 'can', line, { packet_id: 8 });
  await site.send(device, 'can', line, { packet_id: 8, dup: true });
  await site.settle();
  const { frames_total, duplicates_total } = site.ingest.live.device(device.device)?.metrics ?? {};
  assert.deepEqual([frames_total, duplicates_total], [2, 1]);
});

test('[I23] a machine gets the data of a device from the link on, in the order of receipt, until the next link', async () => {
  await using site = await startSite();
  await site.addMachine('HT-1');
  const device = await site.device('truck');
  const t = site.time.ms - 10_000;
  await site.send(device, 'can', `${speed(t, 700)}${hours(t, 11)}`);
  await site.settle();
  assert.equal(site.ingest.live.equipment(site.machine('HT-1')), undefined);
  assert.equal(site.ingest.live.device(device.device)?.observation?.signals['engine.speed']?.value, 700);
  await site.link(device, 'HT-1');
  await site.send(device, 'can', speed(t + 1000, 710));
  await site.settle();
  const first = site.ingest.live.equipment(site.machine('HT-1'));
  assert.equal(first?.values['engine.speed']?.value, 710);
  assert.equal(first?.values['engine.hours'], undefined);
  await site.link(device, 'HT-2');
  await site.send(device, 'can', speed(t + 2000, 720));
  await site.link(device, null);
  await site.send(device, 'can', speed(t + 3000, 730));
  await site.settle();
  assert.equal(site.ingest.live.equipment(site.machine('HT-1'))?.values['engine.speed']?.value, 710);
  assert.equal(site.ingest.live.equipment(site.machine('HT-2'))?.values['engine.speed']?.value, 720);
  assert.equal(site.ingest.live.device(device.device)?.observation?.signals['engine.speed']?.value, 730);
});

test('[I23] a link made just before a crash applies to the messages after it', async () => {
  await using site = await startSite({ commitMs: 1e9 });
  const device = await site.device('truck');
  const t = site.time.ms;
  await site.send(device, 'can', speed(t - 500, 700));
  await site.settle();
  site.time.pass(1_000);
  await site.link(device, 'HT-1');
  await site.send(device, 'can', speed(t + 600, 710));
  await site.settle();
  await site.restart({ crash: true });
  const { values } = site.ingest.live.equipment(site.machine('HT-1')) ?? {};
  assert.equal(values?.['engine.speed']?.value, 710);
  const history = await site.ingest.history(site.machine('HT-1'), 'engine.speed', 0, 8e12);
  assert.deepEqual(history.v, [710]);
});

test('[I23] a device unlinked just before a crash no longer changes its machine, after any number of restarts', async () => {
  await using site = await startSite({ commitMs: 1e9 });
  const device = await site.device('truck', 'HT-1');
  const t = site.time.ms;
  await site.send(device, 'can', speed(t, 700));
  await site.settle();
  await site.link(device, null);
  await site.restart({ crash: true });
  await site.send(device, 'can', speed(t + 600, 710));
  await site.restart({ crash: true });
  await site.send(device, 'can', speed(t + 900, 720));
  await site.settle();
  assert.equal(site.ingest.live.equipment(site.machine('HT-1'))?.values['engine.speed']?.value, 700);
  assert.equal(site.ingest.live.device(device.device)?.observation?.signals['engine.speed']?.value, 720);
});

test('[I24] a recording from years ago sets values with their old times and does not change the live status', async () => {
  await using site = await startSite();
  const device = await site.device('truck', 'HT-1');
  const then = Date.parse('2021-10-25T19:00:00Z');
  await site.send(device, 'can', running(then, 20));
  await site.settle();
  const live = site.ingest.live.equipment(site.machine('HT-1'));
  assert.equal(live?.live_status, 'unknown');
  assert.equal(live?.last_live_data_at, null);
  assert.equal(live?.values['engine.speed']?.observed_at, '2021-10-25T19:00:20.000Z');
  assert.equal(site.ingest.live.device(device.device)?.observation?.late, true);
});

test('[I24] data older than the known value changes no fact, is counted as late, and is added to history', async () => {
  await using site = await startSite();
  const device = await site.device('truck', 'HT-1');
  const t = site.time.ms - 100_000;
  await site.send(device, 'can', speed(t + 50_000, 900));
  await site.send(device, 'can', speed(t, 800));
  await site.settle();
  assert.equal(site.ingest.live.equipment(site.machine('HT-1'))?.values['engine.speed']?.value, 900);
  assert.equal(site.ingest.live.device(device.device)?.metrics.late_total, 1);
  assert.deepEqual((await site.ingest.history(site.machine('HT-1'), 'engine.speed', 0, 8e12)).v, [800, 900]);
});

test('[I24] a repeated DM1 with the same codes updates their time', async () => {
  await using site = await startSite();
  const device = await site.device('truck', 'HT-1');
  const t = site.time.ms - 10_000;
  const seen = () => site.ingest.live.equipment(site.machine('HT-1'))?.dtc_counts?.observed_at;
  await site.send(device, 'can', dm1(t, 100, 3));
  await site.settle();
  assert.equal(seen(), new Date(t).toISOString());
  await site.send(device, 'can', dm1(t + 1000, 100, 3));
  await site.settle();
  assert.equal(seen(), new Date(t + 1000).toISOString());
});

test('[I24] a device clock over five minutes ahead is reported, and its data is not live', async () => {
  await using site = await startSite();
  const device = await site.device('truck', 'HT-1');
  await site.send(device, 'can', running(site.time.ms + 3_600_000, 20));
  await site.settle();
  const live = site.ingest.live.equipment(site.machine('HT-1'));
  assert.equal(live?.live_status, 'unknown');
  assert.equal(live?.last_live_data_at, null);
  assert.equal(live?.values['engine.speed']?.value, 1500);
  const [source] = (await site.ingest.health()).sources;
  assert.match(source?.last_error ?? '', /clock is 36\d\d s ahead/);
  assert.ok((site.ingest.live.device(device.device)?.metrics.clock_skew_ms ?? 0) >= 3_600_000);
});

test('[I24] live data makes the machine live, and five minutes of silence make it unknown without any message', async () => {
  await using site = await startSite();
  const device = await site.device('truck', 'HT-1');
  await site.send(device, 'can', running(site.time.ms - 20_000, 20));
  await site.settle();
  assert.equal(site.ingest.live.equipment(site.machine('HT-1'))?.live_status, 'running');
  const seen: string[] = [];
  site.ingest.watch(({ equipment }) => seen.push(...equipment));
  site.time.pass(301_000);
  await site.stored();
  assert.equal(site.ingest.live.equipment(site.machine('HT-1'))?.live_status, 'unknown');
  assert.ok(seen.includes(site.machine('HT-1')));
  const changes = (await eventsOf(site)).filter(({ data }) => data.type === 'live_status_changed');
  assert.deepEqual(
    changes.map(({ data }) => data.data.to),
    ['running', 'unknown'],
  );
  assert.deepEqual(changes[0]?.data.subject, { object: 'equipment', id: site.machine('HT-1') });
});

test('[I25] device status: provisioned, online, transmitting, online without data, offline in silence, each in the log and the timeline', async () => {
  await using site = await startSite();
  const device = await site.device('truck');
  const status = () => site.ingest.live.device(device.device)?.status;
  site.ingest.connected(device, '10.0.0.7');
  await site.settle();
  assert.equal(status(), 'online');
  await site.send(device, 'can', speed(site.time.ms, 700));
  await site.settle();
  assert.equal(status(), 'transmitting');
  site.time.pass(61_000);
  await site.settle();
  assert.equal(status(), 'online');
  site.time.pass(400_000);
  await site.settle();
  assert.equal(status(), 'online', 'an open connection is a sign of life');
  site.ingest.disconnected(device);
  await site.settle();
  site.time.pass(181_000);
  await site.stored();
  assert.equal(status(), 'offline');
  const kinds = ['online', 'transmitting', 'online', 'offline'];
  assert.deepEqual(await typesOf(site), kinds);
  const live = site.ingest.live.device(device.device);
  assert.deepEqual(live?.timeline_changes.map(({ to }) => to).reverse(), kinds);
  const document = await site.store.view(site.project).get<{ status: string }>('live', device.device);
  assert.equal(document?.data.status, 'offline');
});

test('[I25] a last will makes a device offline, unless the device has connected again since', async () => {
  await using site = await startSite();
  const device = await site.device('truck');
  site.ingest.connected(device, 'a');
  await site.settle();
  const will = site.send(device, 'status', '{"status":"offline"}');
  site.ingest.disconnected(device);
  site.ingest.connected(device, 'b');
  await will;
  await site.settle();
  assert.equal(site.ingest.live.device(device.device)?.status, 'online');
  await site.send(device, 'status', '{"status":"offline"}');
  await site.settle();
  assert.equal(site.ingest.live.device(device.device)?.status, 'offline');
});

test('[I25] a device has the status fault if it reports one or most of its data is broken, until three good messages', async () => {
  await using site = await startSite();
  const device = await site.device('truck');
  const status = () => site.ingest.live.device(device.device)?.status;
  await site.send(device, 'status', '{"status":"fault","code":"E42","buffer_depth":17}');
  await site.settle();
  assert.equal(status(), 'fault');
  assert.deepEqual(site.ingest.live.device(device.device)?.state.reported, { code: 'E42' });
  assert.equal(site.ingest.live.device(device.device)?.metrics.buffer_depth, 17);
  for (let i = 0; i < 3; i++) {
    assert.equal(status(), 'fault');
    await site.send(device, 'can', speed(site.time.ms + i, 700));
    await site.settle();
  }
  assert.equal(status(), 'transmitting');
  await site.send(device, 'can', 'rubbish\n'.repeat(25));
  await site.settle();
  assert.equal(status(), 'fault');
});

test('[I26] a message that makes the fold throw three times is set aside and shown in health; no other message is lost or delayed', async () => {
  let kills = 0;
  const deadly: typeof decodeCanPayload = (payload, received, into) => {
    if (Buffer.from(payload).includes('POISON')) {
      kills++;
      throw new Error('the fold trips');
    }
    return decodeCanPayload(payload, received, into);
  };
  await using site = await startSite({ decodeCan: deadly });
  const device = await site.device('truck', 'HT-1');
  const t = site.time.ms - 5_000;
  await site.send(device, 'can', `${speed(t, 700)}${dm1(t, 100, 3)}`);
  await site.settle();
  await Promise.all([
    site.send(device, 'can', speed(t + 1000, 710)),
    site.send(device, 'can', 'POISON'),
    site.send(device, 'can', `${speed(t + 2000, 720)}${dm1(t + 2000, 200, 3)}`),
  ]);
  await site.stored();
  assert.equal(kills, 3);
  const check = async () => {
    assert.equal(site.ingest.live.equipment(site.machine('HT-1'))?.values['engine.speed']?.value, 720);
    assert.equal(site.ingest.live.device(device.device)?.metrics.messages_total, 3);
    assert.deepEqual((await site.ingest.history(site.machine('HT-1'), 'engine.speed', 0, 8e12)).v, [700, 710, 720]);
    const { set_aside, set_aside_total } = site.ingest.stats();
    assert.equal(set_aside_total, 1);
    assert.equal(set_aside[0]?.device_id, 'truck');
    assert.match(set_aside[0]?.error ?? '', /trips/);
    assert.equal((await typesOf(site)).filter((type) => type === 'dtc.activated').length, 2);
  };
  await check();
  assert.match((await site.ingest.health()).sources[0]?.last_error ?? '', /set aside/);
  await site.restart();
  await check();
  assert.equal(kills, 3);
});

test('[I27] telemetry points are applied once, in our units, with their own time or the receive time', async () => {
  await using site = await startSite();
  const device = await site.device('truck', 'HT-1');
  const at = new Date(site.time.ms - 3_000).toISOString();
  const points = [
    { observed_at: at, seq: 1, values: { 'fuel.level': 41.5, 'x.custom': 3, 'vehicle.payload': null } },
    { ts: site.time.ms - 1_000, values: { 'vehicle.payload': 120.5 } },
    { values: { 'vehicle.speed': 12 } },
    { values: { 'vehicle.speed': 'fast' } },
    'rubbish',
  ];
  await site.send(device, 'telemetry', JSON.stringify(points));
  await site.send(device, 'telemetry', JSON.stringify({ points: points.slice(0, 2) }));
  await site.send(device, 'telemetry', 'no json');
  await site.settle();
  const { values } = site.ingest.live.equipment(site.machine('HT-1')) ?? {};
  assert.deepEqual(
    [values?.['fuel.level']?.value, values?.['fuel.level']?.observed_at, values?.['fuel.level']?.spn],
    [41.5, at, null],
  );
  assert.equal(values?.['vehicle.payload']?.value, 120.5);
  assert.equal(values?.['vehicle.speed']?.observed_at, new Date(site.time.ms).toISOString());
  const metrics = site.ingest.live.device(device.device)?.metrics;
  assert.deepEqual([metrics?.duplicates_total, metrics?.decode_errors_total], [2, 3]);
  assert.equal(site.ingest.live.device(device.device)?.status, 'transmitting');
});

test('[I27] events of a device are in its log; event types of the gateway are refused; an event with an id is stored once', async () => {
  await using site = await startSite();
  const device = await site.device('truck');
  const own = { type: 'x.door.opened', id: 'door-1', occurred_at: '2026-11-21T07:00:00Z', data: { door: 'left' } };
  await site.send(
    device,
    'events',
    JSON.stringify([own, { type: 'note', data: { text: 'hello' } }, { type: 'offline' }]),
  );
  await site.stored();
  assert.match((await site.ingest.health()).sources[0]?.last_error ?? '', /events of the type `note`/);
  await site.send(device, 'events', JSON.stringify(own));
  await site.stored();
  await site.restart();
  await site.send(device, 'events', JSON.stringify([own, own]));
  await site.stored();
  const events = await eventsOf(site);
  assert.deepEqual(
    events.map(({ data }) => data.type),
    ['x.door.opened', 'note', 'online'],
  );
  assert.deepEqual(events[0]?.data, {
    type: 'x.door.opened',
    subject: { object: 'device', id: device.device },
    occurred_at: '2026-11-21T07:00:00.000Z',
    source: 'truck',
    source_event_id: 'door-1',
    actor: { type: 'device', id: device.device, name: 'truck' },
    data: { door: 'left' },
    context: { run_id: null, device_id: device.device, media: [] },
  });
  assert.equal(events[0]?.revision, 1);
});

test('[I28] history has one sample a second across sealed segments, open samples, restarts and crashes', async () => {
  await using site = await startSite();
  const device = await site.device('truck', 'HT-1');
  const start = site.time.ms;
  const expected: number[] = [];
  for (let minute = 0; minute < 5; minute++) {
    let text = '';
    for (let i = 0; i < 600; i++) {
      const t = start + minute * 60_000 + i * 100;
      text += speed(t, 700 + (i % 64));
      if (i % 10 === 0) expected.push(700 + (i % 64));
    }
    site.time.pass(60_000);
    await site.send(device, 'can', text);
    await site.settle();
    if (minute === 1) await site.restart();
    if (minute === 2) await site.restart({ crash: true });
  }
  const history = await site.ingest.history(site.machine('HT-1'), 'engine.speed', start, start + 600_000);
  assert.deepEqual(
    history.t,
    expected.map((_, i) => start / 1000 + i),
  );
  assert.deepEqual(history.v, expected);
  const part = await site.ingest.history(site.machine('HT-1'), 'engine.speed', start + 61_000, start + 62_000);
  assert.deepEqual(part.t, [start / 1000 + 61, start / 1000 + 62]);
  const segments = await site.store.view(site.project).find('telemetry', { object: 'segment', limit: 100 });
  assert.ok(segments.length >= 2 && segments.length <= 6, `${segments.length} segments`);
  assert.deepEqual(await site.ingest.history('eq_none', 'engine.speed', 0, 8e12), { t: [], v: [] });
});

test('[I29] ingest changes no record; it only adds tasks and runs', async () => {
  await using site = await startSite();
  const view = site.store.view(site.project);
  const device = await site.device('truck', 'HT-1');
  await site.call('equipment_update', { id: site.machine('HT-1'), status: 'down' });
  const [before, linked] = await view.getMany('records', [site.machine('HT-1'), device.device]);
  await site.send(device, 'can', running(site.time.ms - 20_000, 20));
  await site.stored();
  const machine = await view.get('records', site.machine('HT-1'));
  assert.deepEqual([machine?.revision, machine?.data], [2, before?.data]);
  assert.deepEqual([machine?.data.unit_number, machine?.data.status], ['HT-1', 'down']);
  assert.deepEqual(await view.get('records', device.device), linked);
  assert.equal(linked?.revision, 2);
  assert.equal((await view.get<{ live_status: string }>('live', site.machine('HT-1')))?.data.live_status, 'running');
});

test('[I30] health lists at most 200 sources; addresses without a key beyond 50 share one entry', async () => {
  await using site = await startSite();
  for (let i = 0; i < 300; i++) site.ingest.refused(`10.0.${i >> 8}.${i & 255}`, 'wrong device id or key');
  const device = await site.device('truck');
  for (let i = 0; i < 250; i++) site.ingest.refused(`logger-${i}`, 'publish to a foreign topic');
  await site.send(device, 'can', `${speed(site.time.ms, 700)}rubbish\n`);
  await site.settle();
  site.ingest.refused('truck', 'publish to a foreign topic');
  const { sources } = await site.ingest.health();
  assert.ok(sources.length <= 200);
  assert.equal(sources[0]?.source, 'truck');
  const { messages, frames, unparsable, refused } = sources[0] ?? {};
  assert.deepEqual([messages, frames, unparsable, refused], [1, 1, 1, 1]);
  const others = sources.find(({ source }) => source === 'other addresses');
  assert.equal(others?.refused, 250);
});

test('[I31] a failing store delays only its documents: messages are accepted, watchers are called, and nothing is lost', async () => {
  await using site = await startSite();
  const device = await site.device('truck', 'HT-1');
  await site.send(device, 'can', dm1(site.time.ms, 100, 3));
  await site.stored();
  const real = site.store.commit;
  let failures = 0;
  Object.assign(site.store, {
    commit: async () => {
      failures++;
      throw new Error('database is locked');
    },
  });
  for (let i = 0; i < 10; i++) {
    site.time.pass(1_000);
    await site.send(device, 'can', `${speed(site.time.ms, 700 + i)}${dm1(site.time.ms, 200 + i, 3)}`);
  }
  await site.settle();
  assert.equal(site.ingest.live.equipment(site.machine('HT-1'))?.values['engine.speed']?.value, 709);
  assert.ok(failures > 0);
  assert.ok(site.logged.some((line) => line.includes('database is locked')));
  Object.assign(site.store, { commit: real });
  await site.stored();
  const types = await typesOf(site);
  assert.equal(types.filter((type) => type === 'dtc.activated').length, 11);
  assert.equal(types.filter((type) => type === 'dtc.cleared').length, 10);
});

test('[I31] with a failing store and 400 waiting documents the fold waits, messages are accepted, and later each document is stored once', async () => {
  await using site = await startSite({ queueBytes: 20_000 });
  const device = await site.device('truck', 'HT-1');
  const real = site.store.commit;
  Object.assign(site.store, { commit: () => Promise.reject(new Error('database is locked')) });
  const start = site.time.ms - 1_000_000;
  for (let i = 0; i < 900; i++) {
    await site.send(device, 'can', dm1(start + i * 1000, 1000 + i, 3));
    if (i % 100 === 0) site.time.pass(1_000);
  }
  await site.round();
  const { unfolded_messages } = (await site.ingest.health()).journal;
  assert.ok(unfolded_messages > 300, `${unfolded_messages} wait`);
  Object.assign(site.store, { commit: real });
  site.time.pass(11_000);
  await site.stored();
  await site.stored();
  const found: string[] = [];
  const view = site.store.view(site.project);
  for (let last: Stored<EventData> | undefined; ; ) {
    const page: Stored<EventData>[] = await view.find<EventData>('events', {
      object: 'event',
      where: { 'data.type': 'dtc.activated' },
      order: 'asc',
      limit: 500,
      ...(last === undefined ? {} : { after: { created_at: last.created_at, id: last.id } }),
    });
    found.push(...page.map(({ data }) => String(data.data.spn)));
    last = page.at(-1);
    if (page.length < 500) break;
  }
  assert.equal(found.length, 900);
  assert.equal(new Set(found).size, 900);
  assert.equal(site.ingest.live.device(device.device)?.metrics.messages_total, 900);
});

test('[I32] raw segments over the limits are removed, never one that a restart needs', async () => {
  await using site = await startSite({ rawBytes: 20_000, segmentBytes: 4_096 });
  const device = await site.device('truck', 'HT-1');
  for (let round = 0; round < 5; round++) {
    for (let i = 0; i < 20; i++) {
      site.time.pass(1_000);
      await site.send(device, 'can', crypto.getRandomValues(new Uint8Array(800)));
    }
    await site.settle();
    site.time.pass(61_000);
    await site.stored();
  }
  const { journal } = site.ingest.stats();
  assert.ok(journal.removed_segments > 0);
  assert.ok(journal.bytes < 40_000, `${journal.bytes}`);
  assert.ok(site.logged.some((line) => line.includes('were removed')));
  await site.restart({ crash: true });
  assert.equal(site.ingest.live.device(device.device)?.metrics.messages_total, 100);
});

test('[I33] positions order all messages and are exact as a JavaScript number', () => {
  assert.ok(positionOf(2_000_000, 0xffff_ffff) < Number.MAX_SAFE_INTEGER);
  assert.ok(positionOf(2, 0) > positionOf(1, 0xffff_ffff));
});

test('[I34] a fold that falls behind reads from disk, in order and each message once', async () => {
  await using site = await startSite({ queueBytes: 500, segmentBytes: 2_000 });
  const device = await site.device('truck', 'HT-1');
  const start = site.time.ms - 400_000;
  for (let round = 0; round < 20; round++) {
    await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        site.send(device, 'can', speed(start + (round * 10 + i) * 1000, 600 + round * 10 + i)),
      ),
    );
  }
  await site.settle();
  const { metrics } = site.ingest.live.device(device.device) ?? {};
  assert.deepEqual([metrics?.messages_total, metrics?.late_total, metrics?.duplicates_total], [200, 0, 0]);
  const history = await site.ingest.history(site.machine('HT-1'), 'engine.speed', 0, 8e12);
  assert.deepEqual(
    history.v,
    Array.from({ length: 200 }, (_, i) => 600 + i),
  );
});
