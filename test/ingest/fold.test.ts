/** The fold alone: records in, what it hands out and what it knows of devices and machines afterwards. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeCanPayload } from '#codec/can-payload.ts';
import { isId } from '#contract/base/ids.ts';
import type { DeviceIdentity, JournalTopic } from '#contract/fleet/ingest.ts';
import { layoutOf, openLayout } from '#domain/dbc/mapping.ts';
import { parseDbc } from '#domain/dbc/parse.ts';
import { encodeName } from '#domain/j1939/name.ts';
import { equipmentLive } from '#domain/machine/machine.ts';
import { deviceLive } from '#ingest/fold/device-state.ts';
import { createFold, type FoldOptions } from '#ingest/fold/fold.ts';
import { type Changes, createState, restoreState, snapshotState } from '#ingest/fold/fold-state.ts';
import { createIds } from '#ingest/fold/ids.ts';
import { createSources } from '#ingest/fold/sources.ts';
import { positionOf } from '#ingest/journal/position.ts';
import { definitionText, RecordReader, recordLength, writeDefinition, writeMessage } from '#ingest/journal/record.ts';
import { ENGINE_NAME } from '#test/support/engine-name.ts';
import { NO_BUDGETS } from '#test/support/no-budgets.ts';
import { dm1, hours, running, speed } from './frames.ts';

const NOW = Date.parse('2026-11-21T08:00:00Z');
const identityOf = (name: string): DeviceIdentity => ({ device: `dev_${name}`, project_id: 'prj', device_id: name });
const A = identityOf('a');
const B = identityOf('b');
/** Segments of earlier builds name no machine. */
const UNNAMED = 'unnamed';

/** A fold, over an empty state unless told. */
function rigOf(options: Partial<FoldOptions> = {}) {
  const { state = createState(0) } = options;
  const sources = createSources();
  const fold = createFold({
    state,
    sources,
    ids: createIds('gw', (n) => crypto.getRandomValues(new Uint8Array(n))),
    decodeCan: decodeCanPayload,
    intervalOf: () => null,
    conversionOf: () => [],
    gnssOf: () => [],
    dbcOf: () => [],
    budgets: NO_BUDGETS,
    ...options,
  });
  const reader = new RecordReader();
  let segment = 0;
  return {
    state,
    sources,
    fold,
    /** A message in a segment of its own; `on` is the machine that the segment names. */
    read(from: DeviceIdentity, topic: JournalTopic, payload: string, on: string | null = null, ms = NOW) {
      const whole = definitionText(from, on);
      const text = on === UNNAMED ? whole.subarray(0, whole.lastIndexOf(0)) : whole;
      const body = Buffer.alloc(recordLength(text.length) + recordLength(Buffer.byteLength(payload)));
      const at = writeDefinition(body, 0, 0, text);
      writeMessage(body, at, 0, { ...from, topic, payload: Buffer.from(payload), received_at_ms: ms });
      reader.open(++segment, 0, body);
      assert.ok(reader.next());
      return reader;
    },
    send(from: DeviceIdentity, topic: JournalTopic, payload: string, on?: string | null, ms?: number) {
      fold.message(this.read(from, topic, payload, on, ms));
      return positionOf(reader.segment, reader.offset);
    },
    /** A message of one point. */
    point(from: DeviceIdentity, values: object, t: number, on?: string | null, ms?: number) {
      return this.send(from, 'telemetry', JSON.stringify({ observed_at: new Date(t).toISOString(), values }), on, ms);
    },
    live(of: DeviceIdentity) {
      const device = state.devices.get(of.device);
      assert.ok(device);
      return deviceLive(device, (place) => `obs_${place}`, 0);
    },
    machine(id: string) {
      const machine = state.machines.get(id);
      assert.ok(machine);
      return machine;
    },
    source: (of: DeviceIdentity) => sources.list().find(({ source }) => source === of.device_id),
  };
}

const typesOf = ({ events }: Changes) => events.map(({ data }) => data.type);
const iso = (ms: number) => new Date(ms).toISOString();

test('[I21] a message gives at most 1,024 events; further events are reported as unusable', () => {
  // Each code takes the place of the one before: two events; the device that comes online is one more.
  const codes = (count: number) =>
    Array.from({ length: count }, (_, i) => dm1(NOW - 900_000 + i * 1000, 100 + i, 3)).join('');
  const most = rigOf();
  most.send(A, 'can', codes(512), 'eq_1');
  assert.equal(most.fold.changes.events.length, 1024);
  assert.equal(new Set(most.fold.changes.events.map(({ id }) => id)).size, 1024);
  assert.equal(most.live(A).metrics.decode_errors_total, 0);
  const beyond = rigOf();
  beyond.send(A, 'can', codes(513), 'eq_1');
  assert.equal(beyond.fold.changes.events.length, 1024);
  assert.equal(beyond.live(A).metrics.decode_errors_total, 1);
  assert.equal(
    beyond.source(A)?.last_error,
    'one message caused too many events: 1023 events are in the log, 2 are not',
  );
});

test('[I50] an event over budget is counted for its device and is not in the log', () => {
  const asked: string[] = [];
  const rig = rigOf({
    budgets: {
      spend(spender, kind, bytes) {
        asked.push(`${spender.object} ${spender.id} ${kind} ${bytes}`);
        // What comes online pays first; of the two codes the second finds nothing left.
        return asked.length === 3 ? { why: 'day', retry_after_s: 60 } : undefined;
      },
    },
  });
  for (let i = 0; i < 3; i++) rig.send(A, 'can', dm1(NOW - 9000 + i * 1000, 100, 3 + i), 'eq_1');
  assert.deepEqual(asked, Array(6).fill('device dev_a facts 1600'));
  assert.deepEqual(typesOf(rig.fold.changes), [
    'online',
    'dtc.activated',
    'dtc.cleared',
    'dtc.activated',
    'dtc.cleared',
  ]);
  assert.equal(rig.live(A).metrics.dropped_total, 1);
});

test('[I25] a closed session keeps its address and time; an opened session changes the status', () => {
  const rig = rigOf();
  const device = rig.fold.deviceOf(A);
  rig.fold.reached('dev_a', 'http');
  rig.fold.take();
  rig.fold.session(device, true, '10.0.0.1', NOW);
  assert.deepEqual(rig.live(A).state.connectivity, {
    session: 'open',
    address: '10.0.0.1',
    since: iso(NOW),
    transport: 'mqtt',
  });
  const opened = rig.fold.take();
  assert.deepEqual(
    [typesOf(opened), [...opened.devices], [...opened.urgentDevices]],
    [['online'], ['dev_a'], ['dev_a']],
  );
  assert.ok(isId('event', opened.events[0]?.id ?? ''));
  rig.fold.session(device, false, null, NOW + 1000);
  assert.deepEqual(rig.live(A).state.connectivity, {
    session: 'closed',
    address: '10.0.0.1',
    since: iso(NOW),
    transport: 'mqtt',
  });
  const closed = rig.fold.take();
  assert.deepEqual([typesOf(closed), [...closed.devices], [...closed.urgentDevices]], [[], ['dev_a'], []]);
});

test('[I25] a changed transport of a device is reported; the end of a session does not change it', () => {
  const rig = rigOf();
  rig.fold.reached('dev_a', 'http');
  const device = rig.fold.deviceOf(A);
  assert.equal(rig.fold.changes.devices.size, 0);
  rig.fold.reached('dev_a', 'http');
  assert.deepEqual([...rig.fold.take().devices], ['dev_a']);
  assert.equal(device.transport, 'http');
  rig.fold.reached('dev_a', 'http');
  assert.equal(rig.fold.take().devices.size, 0);
  rig.fold.session(device, false, null, NOW);
  assert.equal(device.transport, 'http');
});

test('[I25] a device whose keys were revoked is unassigned and one with a new key provisioned, at once and without an event', () => {
  const rig = rigOf();
  const device = rig.fold.deviceOf(A);
  for (const [revoked, status] of [
    [true, 'unassigned'],
    [false, 'provisioned'],
  ] as const) {
    rig.fold.credential(device, revoked, NOW);
    const { devices, urgentDevices, events } = rig.fold.take();
    assert.deepEqual(
      [rig.live(A).status, [...devices], [...urgentDevices], events],
      [status, ['dev_a'], ['dev_a'], []],
    );
  }
});

test('[I25] a device is offline after three minutes of silence, or after three of its expected intervals', () => {
  const rig = rigOf({ intervalOf: (id) => (id === 'dev_b' ? 100 : null) });
  rig.fold.setTime(7_000);
  for (const one of [A, B]) {
    const device = rig.fold.deviceOf(one);
    rig.fold.session(device, true, '10.0.0.1', NOW);
    rig.fold.session(device, false, null, NOW);
  }
  rig.fold.take();
  const silent = (after_ms: number) => {
    rig.fold.setTime(7_000 + after_ms);
    rig.fold.sweep(NOW + after_ms);
    return rig.fold.take().events.map(({ id, data }) => [isId('event', id), data.type, data.subject.id]);
  };
  assert.deepEqual(silent(180_000), []);
  assert.deepEqual(silent(180_001), [[true, 'offline', 'dev_a']]);
  assert.deepEqual(silent(300_000), []);
  assert.deepEqual(silent(300_001), [[true, 'offline', 'dev_b']]);
});

test('[I24] each machine of a silent device becomes unknown, with one event for each machine', () => {
  const rig = rigOf();
  rig.send(A, 'can', running(NOW - 20_000, 20), 'eq_1');
  rig.send(B, 'can', running(NOW - 20_000, 20), 'eq_2');
  rig.fold.take();
  rig.fold.sweep(NOW + 200_000);
  assert.deepEqual([rig.fold.changes.events, rig.fold.take().equipment.size], [[], 0]);
  rig.fold.sweep(NOW + 301_000);
  const { events, equipment } = rig.fold.take();
  assert.deepEqual(
    events.map(({ id, data }) => [isId('event', id), data.type, data.subject.id, data.data.to, data.actor.type]),
    ['eq_1', 'eq_2'].map((id) => [true, 'live_status_changed', id, 'unknown', 'service']),
  );
  assert.deepEqual([...equipment], ['eq_1', 'eq_2']);
});

test('[I24] an observation is late when all its values are, or when its newest is over five minutes old', () => {
  for (const on of [null, 'eq_1']) {
    const rig = rigOf();
    const told = () => {
      const { observation, metrics } = rig.live(A);
      return [observation?.observed_at, observation?.received_at, observation?.late, metrics.late_total];
    };
    rig.point(A, { 'engine.load': 1 }, NOW - 300_001, on);
    assert.deepEqual(told(), [iso(NOW - 300_001), iso(NOW), true, 0], `on ${on}`);
    const place = rig.point(A, { 'engine.load': 2 }, NOW - 300_000, on);
    assert.deepEqual(told(), [iso(NOW - 300_000), iso(NOW), false, 0]);
    assert.equal(rig.live(A).observation?.id, `obs_${place}`);
    assert.equal(rig.state.position, place + 1);
    rig.fold.take();
    rig.point(A, { 'engine.load': 3 }, NOW - 300_001, on, NOW + 5);
    assert.deepEqual(told(), [iso(NOW - 300_000), iso(NOW + 5), true, 1]);
    assert.deepEqual([...rig.fold.take().equipment], on === null ? [] : [on]);
    // The newest of a message counts, wherever it stands, and one late value makes no late message.
    const points = [NOW - 1000, NOW - 400_000].map((t) => ({ observed_at: iso(t), values: { 'engine.load': 4 } }));
    rig.send(A, 'telemetry', JSON.stringify({ points }), on);
    assert.deepEqual(told(), [iso(NOW - 1000), iso(NOW), false, 1]);
    assert.equal(rig.source(A)?.late, 1);
    // What has no values is no observation.
    rig.send(A, 'status', '{"status":"online"}', on, NOW + 900);
    assert.deepEqual(told(), [iso(NOW - 1000), iso(NOW), false, 1]);
    assert.equal(rig.fold.changes.devices.has('dev_a'), true);
  }
});

test('[I25] pictures and values count as data; log entries, reports and invalid payloads do not', () => {
  const usable = (topic: JournalTopic, payload: string) => {
    const rig = rigOf();
    rig.send(A, topic, payload);
    const { last } = rig.fold.deviceOf(A);
    assert.deepEqual(last.topics, { [topic]: NOW });
    return [last.usable_ms, rig.live(A).status];
  };
  assert.deepEqual(usable('picture', 'jpeg'), [NOW, 'transmitting']);
  assert.deepEqual(usable('telemetry', '{"values":{"engine.load":5}}'), [NOW, 'transmitting']);
  assert.deepEqual(usable('telemetry', '{"values":{}}'), [null, 'online']);
  assert.deepEqual(
    usable('can', `(${NOW / 1000}) can0 123#00\n`),
    [NOW, 'online'],
    'a frame of which nothing is known',
  );
  assert.deepEqual(usable('can', 'rubbish\n'), [null, 'online']);
  assert.deepEqual(usable('events', '{"type":"note","data":{"text":"hello"}}'), [null, 'online']);
  assert.deepEqual(usable('status', '{"status":"fault"}'), [null, 'fault']);
});

test('[I27] an event that a device sends is in the log of the device', () => {
  const rig = rigOf();
  rig.send(A, 'events', '{"type":"note","data":{"text":"hello"}}', 'eq_1');
  assert.deepEqual(
    rig.fold.changes.events.map(({ data }) => [data.type, data.subject.id, data.data]),
    [
      ['note', 'dev_a', { text: 'hello' }],
      ['online', 'dev_a', { from: 'provisioned', reason: 'message' }],
    ],
  );
});

test('[I30] messages and bytes are counted for the device and for its source, including repeated messages', () => {
  const rig = rigOf();
  const payload = speed(NOW, 700);
  for (let i = 0; i < 3; i++) rig.send(A, 'can', payload);
  const { messages_total, bytes_total, rate_per_min, frames_total, duplicates_total } = rig.live(A).metrics;
  assert.deepEqual(
    { messages_total, bytes_total, rate_per_min, frames_total, duplicates_total },
    { messages_total: 3, bytes_total: 3 * payload.length, rate_per_min: 3, frames_total: 1, duplicates_total: 2 },
  );
  assert.equal(rig.source(A)?.messages, 3);
});

test('[I28] when a device is linked to another machine, only the segments of the old and the new machine are closed', () => {
  const rig = rigOf();
  const closed = () => rig.fold.take().segments.map(({ equipment_id, series }) => [equipment_id, series[0]?.v]);
  rig.point(A, { 'engine.load': 1 }, NOW - 5000, 'eq_1');
  rig.point(B, { 'fuel.level': 2 }, NOW - 4000, 'eq_2');
  assert.deepEqual(closed(), []);
  rig.point(A, { 'engine.load': 3 }, NOW - 3000, 'eq_2');
  assert.deepEqual(closed(), [
    ['eq_1', [1]],
    ['eq_2', [2]],
  ]);
  rig.point(A, { 'engine.load': 4 }, NOW - 2000, 'eq_2');
  assert.deepEqual(closed(), []);
  rig.point(A, { 'engine.load': 5 }, NOW - 1000, null);
  assert.deepEqual(closed(), [['eq_2', [3, 4]]]);
  assert.equal(rig.state.machines.size, 2);
});

test('[I28] 4,096 samples make a segment at once', () => {
  const rig = rigOf();
  const seconds = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => speed(NOW - 5_000_000 + (from + i) * 1000, 700)).join('');
  rig.send(A, 'can', seconds(0, 4095), 'eq_1');
  assert.equal(rig.fold.changes.segments.length, 0);
  rig.send(A, 'can', seconds(4095, 1), 'eq_1');
  assert.equal(rig.fold.changes.segments[0]?.series[0]?.t.length, 4096);
});

test('[I23] a message in a segment without machine names belongs to the present machine of its device, also when it is read again', () => {
  const rig = rigOf();
  rig.point(A, { 'engine.load': 1 }, NOW - 5000, 'eq_1');
  const old = JSON.stringify({ observed_at: iso(NOW - 3000), values: { 'engine.load': 2 } });
  rig.send(A, 'telemetry', old, UNNAMED);
  assert.equal(equipmentLive(rig.machine('eq_1').facts).values['engine.load']?.value, 2);
  rig.fold.rebuild(
    rig.read(A, 'telemetry', old.replace('2}', '3}').replace(iso(NOW - 3000), iso(NOW - 1000)), UNNAMED),
  );
  assert.deepEqual(rig.machine('eq_1').samples.series()[0]?.v, [1, 2, 3]);
  rig.send(A, 'telemetry', old);
  assert.deepEqual([rig.machine('eq_1').samples.count, rig.state.machines.size], [0, 1]);
});

test('[I37] when the gateway clock is set back, known times of the device and its machine are limited to it', () => {
  const rig = rigOf();
  rig.point(A, { 'engine.load': 1 }, NOW - 1000, 'eq_1');
  rig.fold.take();
  rig.send(A, 'status', '{"status":"online"}', 'eq_1');
  assert.deepEqual([...rig.fold.take().equipment], [], 'it was not set');
  const back = NOW - 3_600_000;
  rig.send(A, 'status', '{"status":"online"}', 'eq_1', back);
  const { observation } = rig.live(A);
  assert.deepEqual(
    [observation?.observed_at, observation?.signals['engine.load']?.observed_at],
    [iso(back), iso(back)],
  );
  assert.equal(equipmentLive(rig.machine('eq_1').facts).values['engine.load']?.observed_at, iso(back));
  assert.deepEqual([...rig.fold.take().equipment], ['eq_1']);
});

test('[I37] values without a time apply in the order of arrival, even if the clock went back by half a second', () => {
  const rig = rigOf();
  rig.send(A, 'telemetry', '{"values":{"engine.load":1}}');
  rig.send(A, 'telemetry', '{"values":{"engine.load":2}}', null, NOW - 500);
  const load = rig.live(A).observation?.signals['engine.load'];
  assert.deepEqual([load?.value, load?.observed_at], [2, iso(NOW)]);
});

test('[I20] the observation of a device uses the control unit that sent a signal first, as long as that unit sends it', () => {
  const rig = rigOf();
  const told = () => rig.live(A).observation?.signals['engine.speed']?.value;
  rig.send(A, 'can', `${speed(NOW - 2000, 700)}${speed(NOW - 1000, 999, 3)}`);
  assert.equal(told(), 700);
  rig.send(A, 'can', speed(NOW - 500, 710));
  assert.equal(told(), 710);
});

test('[I40] an invalid part of a file is counted as an error, sets the first report time of the device, and is not counted as a message', () => {
  const rig = rigOf();
  rig.send(A, 'recording', 'rubbish', 'eq_1');
  const place = rig.send(A, 'recording', 'rubbish', 'eq_1', NOW + 1000);
  const { metrics, status_reported_at } = rig.live(A);
  assert.deepEqual([metrics.messages_total, metrics.decode_errors_total, status_reported_at], [0, 2, iso(NOW)]);
  assert.equal(rig.state.position, place + 1);
});

/** A candump line in which one control unit claims this address. */
function claim(t: number, sa: number): string {
  const name = encodeName(ENGINE_NAME);
  return `(${(t / 1000).toFixed(6)}) can0 18EEFF0${sa}#${Buffer.from(name).toString('hex')}\n`;
}

test('[I28] [I37] samples made again after a restart equal those before it', () => {
  const at = (s: number) => NOW - s * 1000;
  const messages: [topic: JournalTopic, payload: string][] = [
    ['can', `${claim(at(99), 0)}${speed(at(98), 600)}`],
    // Behind the segment: the engine moves from address 0 to 5, beside a unit that does not speak for it.
    ['can', speed(at(60), 700)],
    ['can', `${claim(at(52), 5)}${speed(at(50), 710, 5)}${speed(at(49), 999, 3)}`],
    ['can', speed(at(55), 705, 5)],
    ['can', speed(at(54), 998, 3)],
    ['can', speed(at(60), 700)],
    ['can', `${hours(at(40), 9000)}${hours(at(39), 14_000)}`],
    ['telemetry', JSON.stringify({ observed_at: iso(at(30)), values: { 'fuel.level': 50, 'engine.speed': 997 } })],
    ['telemetry', JSON.stringify({ observed_at: iso(at(31)), values: { 'fuel.level': 51 } })],
  ];
  const first = rigOf();
  for (const [i, [topic, payload]] of messages.entries()) {
    first.send(A, topic, payload, 'eq_1');
    if (i === 0) first.fold.seal(first.machine('eq_1'));
  }
  const series = first.machine('eq_1').samples.series();
  assert.deepEqual(Object.fromEntries(series.map(({ signal, v }) => [signal, v])), {
    'engine.speed': [700, 705, 710],
    'engine.hours': [9000],
    'fuel.level': [51, 50],
  });
  assert.equal(equipmentLive(first.machine('eq_1').facts).values['fuel.level']?.value, 50);
  const again = rigOf({ state: restoreState(JSON.parse(JSON.stringify(snapshotState(first.state))), 0) });
  for (const [topic, payload] of messages) again.fold.rebuild(again.read(A, topic, payload, 'eq_1'));
  assert.deepEqual(again.machine('eq_1').samples.series(), series);
  assert.equal(again.machine('eq_1').samples.from, first.machine('eq_1').samples.from);
});

test('[I24] late data belongs to history only if the same device, bus and parameter provide the signal', () => {
  const rig = rigOf();
  const total = (t: number, id: string, litres: string) => `(${t / 1000}) can0 ${id}00#FFFFFFFF${litres}\n`;
  const history = (signal: string) =>
    rig
      .machine('eq_1')
      .samples.series()
      .find((one) => one.signal === signal)?.v;
  rig.send(B, 'status', '{"status":"online"}', 'eq_1');
  rig.send(A, 'can', `${speed(NOW - 1000, 700)}${total(NOW - 1000, '18FD09', '40420F00')}`, 'eq_1');
  rig.send(A, 'can', speed(NOW - 9000, 690), 'eq_1');
  assert.deepEqual([history('engine.speed'), rig.live(A).metrics.late_total], [[690, 700], 1]);
  rig.send(B, 'can', speed(NOW - 8000, 680), 'eq_1');
  rig.send(A, 'can', speed(NOW - 7000, 670, 0, 1), 'eq_1');
  assert.deepEqual([history('engine.speed'), rig.live(A).metrics.late_total], [[690, 700], 2]);
  // 1,000 l at half a litre beside 1,000 l at a millilitre.
  rig.send(A, 'can', total(NOW - 5000, '18FEE9', 'D0070000'), 'eq_1');
  assert.deepEqual(history('engine.fuel_used'), [1000]);
  // Newer, and of a unit that does not speak for the signal: neither late nor history.
  rig.send(A, 'can', speed(NOW - 500, 999, 3), 'eq_1');
  assert.deepEqual([history('engine.speed'), rig.live(A).metrics.late_total], [[690, 700], 3]);
  // Of no machine, it is nobody's history.
  rig.fold.rebuild(rig.read(A, 'can', speed(NOW - 100, 800)));
  assert.deepEqual(history('engine.speed'), [690, 700]);
});

test('[I24] frames without an address are one source, also on a bus with address claims', () => {
  const text = 'BO_ 291 Body: 8 X\n SG_ Oil : 8|16@1- (0.1,0) [0|0] "degC" X\n';
  const mapping = [
    { message: 'Body', signal: 'Oil', to: 'vehicle.hydraulic_temperature', unit: null, preferred: false },
  ];
  const layout = JSON.parse(JSON.stringify(layoutOf(parseDbc(text), mapping)));
  const rig = rigOf({ dbcOf: () => [openLayout('dbc_1', layout, mapping)] });
  const oil = (t: number, data: string) => `(${(t / 1000).toFixed(6)}) can0 123#${data}\n`;
  rig.send(A, 'can', `${claim(NOW - 9000, 0)}${oil(NOW - 3000, '002003')}${oil(NOW - 5000, '001003')}`, 'eq_1');
  const { facts, samples } = rig.machine('eq_1');
  const known = equipmentLive(facts).values['vehicle.hydraulic_temperature'];
  assert.deepEqual([known?.value, known?.observed_at], [80, iso(NOW - 3000)]);
  assert.deepEqual(samples.series()[0]?.v, [78.4, 80]);
});
