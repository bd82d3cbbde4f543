/**
 * Clocks that lie, and messages that are none, against a real gateway process whose system clock is moved under it (libfaketime).
 *
 *   devices with right clocks ──▶ gateway (child, LD_PRELOAD libfaketime, monotonic left alone) ──▶ health, machines, keys, journal
 *                                            ▲ offset of its clock, in a file
 *
 * `node test/faults/clock.ts [CASE]` prints a line per check and `N passed, N failed` at the end; needs `apt-get install faketime`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { MqttClient } from 'mqtt';
import { ClientError } from '#contract/client.ts';
import { hours, speed } from '#test/ingest/frames.ts';
import { addMachine, connectDevice, eventually, type TestMachine } from '#test/support/gateway.ts';
import { Gateway } from './clock-gateway.ts';

const SECOND = 1_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;
const say = (text: string) => process.stdout.write(`${text}\n`);

let passed = 0;
let failed = 0;

/** One invariant, told. */
function check(what: string, holds: boolean, detail: unknown = ''): void {
  if (holds) passed++;
  else failed++;
  say(
    `  ${holds ? 'ok  ' : 'FAIL'} ${what}${detail === '' ? '' : ` (${typeof detail === 'string' ? detail : JSON.stringify(detail)})`}`,
  );
}

interface Site {
  readonly project: string;
  readonly machine: TestMachine;
  readonly expired: string;
  readonly valid: string;
}

/** A machine, a key that has expired by the gateway's time, and one that lasts. */
async function populate(gateway: Gateway): Promise<Site> {
  const owner = gateway.client();
  const { project } = await owner.call('projects_create', { name: 'Clocks' });
  const machine = await addMachine(gateway.client(project.id), 'T-1');
  const { secret: expired } = await owner.call('keys_create', { name: 'one day', role: 'viewer', expires_in_days: 1 });
  const { secret: valid } = await owner.call('keys_create', { name: 'a month', role: 'viewer', expires_in_days: 30 });
  // Forty hours, in steps that a clock may take.
  for (const hoursOn of [20, 40]) {
    gateway.setClock(hoursOn * HOUR);
    await eventually(
      () => now(gateway),
      (ms) => Math.abs(ms - trueTime(gateway)) < 5 * SECOND,
    );
  }
  return { project: project.id, machine, expired, valid };
}

/** The time that a right clock shows: the gateway's world is forty hours ahead of ours, whatever its own clock says. */
const AHEAD = 40 * HOUR;
const trueTime = (gateway: Gateway) => Date.now() + Math.min(gateway.offset_ms, AHEAD);
const rightTime = () => Date.now() + AHEAD;

const health = (gateway: Gateway) => gateway.client().call('health_get', {});
const now = async (gateway: Gateway) => Date.parse((await health(gateway)).now);
const codes = async (gateway: Gateway) => (await health(gateway)).problems.map(({ code }) => code);

/** Whether a key opens anything. */
async function opens(gateway: Gateway, key: string): Promise<boolean> {
  try {
    await gateway.client(undefined, key).call('projects_list', {});
    return true;
  } catch (error) {
    if (error instanceof ClientError && error.status === 401) return false;
    throw error;
  }
}

let rpm = 1_000;

/** Lets a machine with a right clock run for some seconds; returns the last engine speed that it told. */
async function run(
  device: MqttClient,
  { device_id }: TestMachine,
  seconds: number,
  clock = rightTime,
): Promise<number> {
  for (let i = 0; i < seconds * 4; i++) {
    rpm = rpm >= 2_000 ? 1_000 : rpm + 1;
    const t = clock();
    const text = `${speed(t, rpm)}${i % 8 === 0 ? hours(t, 4_000) : ''}`;
    await device.publishAsync(`v1/devices/${device_id}/can`, text, { qos: 1 });
    await sleep(250);
  }
  return rpm;
}

const equipment = (gateway: Gateway, { project, machine }: Site) =>
  gateway.client(project).call('equipment_get', { id: machine.equipment_id });

/** The machine runs, what is shown is what it said last, and is from now: neither old nor from the future. */
async function checkFresh(gateway: Gateway, site: Site, told: number): Promise<void> {
  const shown = await eventually(
    () => equipment(gateway, site),
    (one) => one.engine_rpm === told,
    10,
  ).catch(() => equipment(gateway, site));
  check('the last value that came is shown', shown.engine_rpm === told, `${shown.engine_rpm} of ${told}`);
  check('live status goes on', shown.live_status === 'running', shown.live_status);
  const at = await now(gateway);
  const age = at - Date.parse(shown.last_live_data_at ?? '');
  check('it is fresh, and not from the future', age > -2 * SECOND && age < 10 * SECOND, `${age} ms old`);
  const since = at - Date.parse(shown.live_status_since ?? '');
  check('no duration is negative', since >= 0, `running for ${Math.round(since / 1000)} s`);
}

/** Silence is seen as silence. */
async function checkSilence(gateway: Gateway, site: Site): Promise<void> {
  const before = Date.parse((await equipment(gateway, site)).last_live_data_at ?? '');
  await sleep(8 * SECOND);
  const age = (await now(gateway)) - before;
  check(
    'what falls silent grows old',
    age > 7 * SECOND && age < 60 * SECOND,
    `${Math.round(age / 1000)} s old after 8 s`,
  );
}

async function checkKeys(gateway: Gateway, { expired, valid }: Site): Promise<void> {
  check('a key that had expired stays so', !(await opens(gateway, expired)));
  check('keys that last are not ended', await opens(gateway, valid));
}

/** A later event has a higher number. Events of one millisecond are in the order of their ids. */
async function checkOrder(gateway: Gateway, { project, machine }: Site): Promise<void> {
  const client = gateway.client(project);
  const { data } = await client.call('devices_events', { id: machine.device, limit: 200, order: 'asc' });
  const wrong = data.filter(({ recorded_at, sequence }, i) => {
    const before = data[i - 1];
    if (before === undefined || before.recorded_at === recorded_at) return false;
    return before.recorded_at > recorded_at || Number(before.sequence) > Number(sequence);
  });
  check('the log is in order, by number and by time', data.length > 1 && wrong.length === 0, `${data.length} events`);
}

/** The gateway's clock jumps while it runs. */
async function jumps(gateway: Gateway, site: Site, name: string, jump_ms: number): Promise<void> {
  say(`${name}`);
  await using device = await connect(gateway, site.machine);
  await run(device.client, site.machine, 12);
  const files = gateway.rawFiles;
  const before = await now(gateway);
  gateway.setClock(AHEAD + jump_ms);
  const told = await run(device.client, site.machine, 14);
  await checkFresh(gateway, site, told);
  const passed_ms = (await now(gateway)) - before;
  check(
    'time goes on as it passes',
    passed_ms > 10 * SECOND && passed_ms < 60 * SECOND,
    `${Math.round(passed_ms / 1000)} s`,
  );
  check('health tells it', (await codes(gateway)).includes('clock_jumped'), await codes(gateway));
  await checkSilence(gateway, site);
  await checkKeys(gateway, site);
  // Past the minute at which old raw files are looked for.
  await sleep(45 * SECOND);
  const kept = gateway.rawFiles;
  check(
    'nothing is deleted for its age',
    files.length > 1 && files.every((file) => kept.includes(file)),
    `${files.length} raw files`,
  );
  gateway.setClock(AHEAD);
  await eventually(
    () => codes(gateway),
    (list) => !list.includes('clock_jumped'),
  ).catch(() => {});
  check('once the clock is right again nothing is said any more', !(await codes(gateway)).includes('clock_jumped'));
  await checkFresh(gateway, site, await run(device.client, site.machine, 12));
  await checkOrder(gateway, site);
}

async function connect(gateway: Gateway, machine: TestMachine) {
  const client = await connectDevice(gateway.mqtt, machine);
  client.on('error', () => {});
  return { client, [Symbol.asyncDispose]: () => client.endAsync(true) };
}

/** The machine of the gateway starts with a dead battery, and has no time server. */
async function starts1970(gateway: Gateway, site: Site): Promise<void> {
  say('case 14: the machine starts in 1970, and nobody sets its clock');
  const last = await now(gateway);
  await gateway.stop();
  const right = gateway.offset_ms;
  gateway.setClock(-Date.now() + 60 * SECOND);
  await gateway.start();
  const at = await now(gateway);
  check('time goes on from the last run', at >= last - SECOND && at < last + 600 * SECOND, new Date(at).toISOString());
  check('health tells it', (await codes(gateway)).includes('clock_unset'), await codes(gateway));
  await checkKeys(gateway, site);
  {
    await using device = await connect(gateway, site.machine);
    await checkFresh(gateway, site, await run(device.client, site.machine, 14));
    gateway.setClock(right);
    await eventually(
      () => codes(gateway),
      (list) => !list.includes('clock_unset'),
    ).catch(() => {});
    const skew = (await now(gateway)) - rightTime();
    check('once the clock is set the gateway follows', Math.abs(skew) < 2 * SECOND, `${skew} ms apart`);
    await checkFresh(gateway, site, await run(device.client, site.machine, 14));
  }
  await checkOrder(gateway, site);

  say('case 14: a new gateway starts in 1970, and its clock is set later');
  await using fresh = new Gateway();
  fresh.setClock(-Date.now() + 60 * SECOND);
  await fresh.start();
  check('its time is none that anything could have been before', (await now(fresh)) >= Date.UTC(2026, 0));
  check('health tells it', (await codes(fresh)).includes('clock_unset'));
  const { project } = await fresh.client().call('projects_create', { name: 'New' });
  const machine = await addMachine(fresh.client(project.id), 'T-2');
  const place = { ...site, project: project.id, machine };
  await using device = await connect(fresh, machine);
  const told = await run(device.client, machine, 12, () => Date.now());
  const unset = await eventually(
    () => equipment(fresh, place),
    (one) => one.engine_rpm === told,
  );
  check('what machines say is taken, as of receipt', unset.engine_rpm === told);
  check(
    'devices with right clocks are told as ahead, nothing is live',
    unset.live_status === 'unknown' && (await codes(fresh)).includes('device_clock_ahead'),
  );
  fresh.setClock(0);
  await eventually(
    () => codes(fresh),
    (list) => !list.includes('clock_unset'),
  );
  await checkFresh(fresh, place, await run(device.client, machine, 14, () => Date.now()));
}

/** Loggers whose clocks are wrong, each in its way; hours are 100 and a twentieth for each message. */
async function loggers(gateway: Gateway, site: Site): Promise<void> {
  say('case 15: loggers that are wrong, drift, jump with summer time, or learn the date late');
  const kinds: Readonly<Record<string, (i: number, t: number) => number>> = {
    right: (_, t) => t,
    'seven hours behind': (_, t) => t - 7 * HOUR,
    'eight hours ahead': (_, t) => t + 8 * HOUR,
    'drifts a second a message': (i, t) => t - i * SECOND,
    'summer time begins': (i, t) => (i < 20 ? t - HOUR : t),
    'summer time ends': (i, t) => (i < 20 ? t : t - HOUR),
    '1970, then right': (i, t) => (i < 20 ? i * SECOND : t),
    '1970 for ever': (i) => i * SECOND,
  };
  const client = gateway.client(site.project);
  for (const [name, told] of Object.entries(kinds)) {
    const machine = await addMachine(client, `L-${name.replaceAll(/[^a-z0-9]+/g, '-')}`);
    await using device = await connect(gateway, machine);
    // An hour of buffer, a message each ninety seconds, all of it sent now.
    const end = rightTime();
    for (let i = 0; i < 40; i++) {
      const t = told(i, end - (39 - i) * 90 * SECOND);
      await device.client.publishAsync(`v1/devices/${machine.device_id}/can`, hours(t, 100 + i * 0.05), { qos: 1 });
    }
    const last = 100 + 39 * 0.05;
    const shown = await eventually(
      () => client.call('equipment_get', { id: machine.equipment_id }),
      (one) => Math.abs((one.engine_hours ?? 0) - last) < 0.001,
      10,
    ).catch(() => client.call('equipment_get', { id: machine.equipment_id }));
    // Behind the end of summer time an hour passes until the clock is where it was.
    const expected = name === 'summer time ends' ? 100 + 19 * 0.05 : last;
    const source = shown.context.fields?.engine_hours;
    check(
      `${name}: hours are the newest that can be told`,
      Math.abs((shown.engine_hours ?? 0) - expected) < 0.001,
      `${shown.engine_hours} h as of ${source?.observed_at}`,
    );
    check(
      `${name}: nothing is from the future`,
      Date.parse(source?.observed_at ?? '') <= (await now(gateway)) + SECOND,
    );
    const { data: resets } = await client.call('equipment_events', { id: machine.equipment_id, type: 'meter.reset' });
    check(`${name}: no meter is reset`, resets.length === 0, `${resets.length} resets`);
  }
  const told = await codes(gateway);
  check('clocks that are ahead are told', told.includes('device_clock_ahead'), told);
}

/** Payloads that are none, or the worst of their kind. */
function corpus(): Readonly<Record<string, readonly [topic: string, payload: Buffer]>> {
  const deep = (open: string, close: string, n: number) => Buffer.from(open.repeat(n) + close.repeat(n));
  const noise = (n: number) => Buffer.from(crypto.getRandomValues(new Uint8Array(n)));
  const points = (values: string) => Buffer.from(`[{"values":${values}}]`);
  return {
    'nothing at all': ['can', Buffer.alloc(0)],
    'random bytes': ['can', noise(60_000)],
    'a binary batch cut short': ['can', Buffer.concat([Buffer.from('HFC1'), noise(40)])],
    'a line of 250 KB': ['can', Buffer.alloc(250_000, 'A')],
    'forty thousand empty frames': ['can', Buffer.from('0#\n'.repeat(40_000))],
    'a time beyond time': ['can', Buffer.from('(99999999999999999999.9) can0 0CF00400#FFFFFFE02EFFFFFF\n')],
    'JSON a hundred thousand deep': ['can', deep('[', ']', 100_000)],
    'objects sixty thousand deep': ['telemetry', deep('{"a":', '}', 40_000)],
    'JSON cut short': ['telemetry', Buffer.from('[{"values":{"engine.speed":7')],
    'a key of its prototype': ['telemetry', points('{"__proto__":{"x":1},"constructor":1}')],
    'numbers that are none': ['telemetry', points('{"engine.speed":1e999,"engine.hours":"NaN"}')],
    'a wrong schema': ['telemetry', Buffer.from('{"values":[1,2,3],"observed_at":{}}')],
    'five thousand and one points': ['telemetry', Buffer.from(`[${'{"values":{}},'.repeat(5_000)}{"values":{}}]`)],
    'a time of year 275761': ['telemetry', Buffer.from('[{"ts":8.64e15,"values":{"fuel.level":50}}]')],
    'no UTF-8': ['events', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
    'an event of a kind of ours': ['events', Buffer.from('{"type":"meter.reset","data":{}}')],
    'an event of 20 KB': ['events', Buffer.from(JSON.stringify({ type: 'x.big', data: { text: 'x'.repeat(20_000) } }))],
    'zero bytes': ['status', Buffer.alloc(3_000)],
    'a status of no kind': ['status', Buffer.from('{"status":"exploding"}')],
  };
}

async function poison(gateway: Gateway, site: Site): Promise<void> {
  say('case 35: messages that are none');
  const machine = await addMachine(gateway.client(site.project), 'P-1');
  await using device = await connect(gateway, machine);
  const before = gateway.resident;
  const all = Object.entries(corpus());
  for (const [name, [topic, payload]] of all) {
    const sent = device.client.publishAsync(`v1/devices/${machine.device_id}/${topic}`, payload, { qos: 1 });
    const acknowledged = await Promise.race([sent.then(() => true), sleep(10 * SECOND).then(() => false)]).catch(
      () => false,
    );
    check(`${name}: acknowledged`, acknowledged, `${payload.length} bytes on ${topic}`);
  }
  check('the gateway lives, and so does the connection', gateway.isAlive && device.client.connected);
  const told = await run(device.client, machine, 12);
  await checkFresh(gateway, { ...site, machine }, told);
  const { sources, problems, journal } = await health(gateway);
  const source = sources.find((one) => one.source === machine.device_id);
  check(
    'each is counted against its sender, with a reason',
    (source?.unparsable ?? 0) >= 12 && source?.last_error !== null,
    `${source?.unparsable} unparsable, last: ${source?.last_error}`,
  );
  check(
    'none stops the fold, all are in the journal',
    !problems.some(({ code }) => code === 'messages_set_aside') && journal.unfolded_messages === 0,
  );
  const grown = (gateway.resident - before) / 2 ** 20;
  check('memory stays bounded', grown < 150, `${grown.toFixed(0)} MB more`);
}

async function main(): Promise<void> {
  const only = process.argv[2];
  await using gateway = new Gateway();
  // Two starts make two raw files, the first of which the ring may take.
  await gateway.start();
  const site = await populate(gateway);
  {
    await using device = await connect(gateway, site.machine);
    await run(device.client, site.machine, 2);
  }
  await gateway.stop();
  await gateway.start();
  const cases: Readonly<Record<string, () => Promise<void>>> = {
    12: () => jumps(gateway, site, 'case 12: the clock jumps back by a year while the gateway runs', -YEAR),
    13: () => jumps(gateway, site, 'case 13: the clock jumps ahead by ten years while the gateway runs', 10 * YEAR),
    14: () => starts1970(gateway, site),
    15: () => loggers(gateway, site),
    35: () => poison(gateway, site),
  };
  for (const [name, one] of Object.entries(cases)) if (only === undefined || only === name) await one();
  say(`${passed} passed, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
}

await main();
