/** Messages of alerts to devices when the gateway stops between an alert, its message and the stored result. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import mqtt, { type MqttClient } from 'mqtt';
import { createClient } from '#contract/client.ts';
import type { Input } from '#contract/operations.ts';
import { random, streamOf } from '#domain/base/random.ts';
import { createPerformers } from '#gateway/alert-actions.ts';
import { startAlertMessages } from '#gateway/alert-messages.ts';
import { startRig } from '#test/servers/mqtt/broker-rig.ts';
import { temporaryFolder } from '#test/store/kit.ts';
import { addMachine, connectDevice, eventually, OWNER_KEY } from '#test/support/gateway.ts';
import { openRig, type Rig } from '#test/support/handler-rig.ts';
import { TEST_SEED } from '#test/support/seed.ts';
import { until } from '#test/support/until.ts';
import { watchOf } from '#test/watchers/kit.ts';
import { followAlertActions } from '#watchers/alert-actions.ts';

const RULE = {
  name: 'Hot',
  signal: 'engine.coolant_temperature',
  op: 'gt',
  value: 105,
  actions: ['mqtt'],
} satisfies Input<'alert_rules_create'>;

interface Message {
  readonly alert_id: string;
  readonly state: 'active' | 'cleared';
  readonly acknowledged: boolean;
  readonly age_s: number;
}

const wordsOf = ({ state, acknowledged, age_s }: Message) => `${state}${acknowledged ? ' seen' : ''} ${age_s}`;

/** A machine with a rule, and a horn that is connected to a broker and keeps its messages. */
async function siteOf(rig: Rig) {
  const broker = await startRig();
  const machine = await rig.call('equipment_create', { unit_number: 'HT-1' });
  await rig.call('devices_create', { device_id: 'horn', kind: 'generic' });
  await rig.call('alert_rules_create', RULE);
  rig.freeze();
  const heard: Message[] = [];
  const horn = await broker.client('horn');
  horn.on('message', (_topic, payload) => heard.push(JSON.parse(payload.toString())));
  await horn.subscribeAsync('v1/devices/horn/alerts', { qos: 1 });
  return {
    machine: machine.id,
    /** Runs the actions as the gateway does from its start to its end. With `fails` the store takes no result. */
    async run(act: () => Promise<unknown> = async () => undefined, fails = false) {
      const ownWork: Rig['ownWork'] = fails ? () => Promise.reject(new Error('the process ended')) : rig.ownWork;
      await using actions = await followAlertActions({ store: rig.store, log: () => undefined });
      const { store, clock } = rig;
      const agesKnown = () => true;
      const sender = { store, ownWork, broker: broker.broker, clock, agesKnown, log: assert.fail };
      await using messages = await startAlertMessages(sender);
      actions.begin(createPerformers({ ownWork, messages, log: assert.fail }));
      await actions.settled();
      await act();
      await actions.settled();
      // Waits for the messages of the changes.
      await messages[Symbol.asyncDispose]();
      // The broker delivers in order, so this message comes after all messages of the alerts.
      const mark = `mark ${heard.length}`;
      const isThere = until(() => heard.some(({ alert_id }) => alert_id === mark));
      await broker.broker.publish('horn', 'alerts', JSON.stringify({ alert_id: mark }), false);
      await isThere;
      return heard.splice(0).filter(({ alert_id }) => alert_id !== mark);
    },
    actions: async () => (await rig.call('alerts_list', {})).data.map(({ actions }) => actions[0]),
    [Symbol.asyncDispose]: () => broker[Symbol.asyncDispose](),
  };
}

test('[A839] an alert that waits when the gateway stops is published after the next start, with its age', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  await using site = await siteOf(rig);
  await watch.coolant(site.machine, 107);
  rig.now += 90_000;
  assert.deepEqual((await site.run()).map(wordsOf), ['active 90']);
  assert.deepEqual(await site.actions(), [{ action: 'mqtt', status: 'executed', reason: null }]);
});

test('[A839] an alert that was cleared before its message was sent makes no horn sound', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  await using site = await siteOf(rig);
  await watch.coolant(site.machine, 107);
  rig.now += 20_000;
  await watch.coolant(site.machine, 80);
  assert.deepEqual((await site.run()).map(wordsOf), ['cleared 20']);
  assert.deepEqual(await site.actions(), [{ action: 'mqtt', status: 'skipped', reason: 'cleared' }]);
  assert.deepEqual(await site.run(), []);
});

test('[A839] a horn that sounds ends after a stop between the message and its result', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  await using site = await siteOf(rig);
  await watch.coolant(site.machine, 107);
  assert.deepEqual((await site.run(undefined, true)).map(wordsOf), ['active 0']);
  assert.equal((await site.actions())[0]?.status, 'pending');
  rig.now += 20_000;
  await watch.coolant(site.machine, 80);
  assert.deepEqual((await site.run()).map(wordsOf), ['cleared 20']);
});

test('[A839] a change that was stored just before the stop is published after the start; older changes are not', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  await using site = await siteOf(rig);
  await watch.coolant(site.machine, 107);
  assert.deepEqual((await site.run()).map(wordsOf), ['active 0']);
  const [alert] = (await rig.call('alerts_list', {})).data;
  rig.now += 120_000;
  await rig.call('alerts_acknowledge', { id: alert?.id ?? '' });
  assert.deepEqual((await site.run()).map(wordsOf), ['active seen 120']);
  rig.now += 120_000;
  await watch.coolant(site.machine, 80);
  assert.deepEqual((await site.run()).map(wordsOf), ['cleared seen 240']);
  rig.now += 120_000;
  await watch.coolant(site.machine, 107);
  assert.deepEqual((await site.run()).map(wordsOf), ['active 0']);
});

test('[A836] changes of an alert that come together are published in their order', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  await using site = await siteOf(rig);
  await watch.coolant(site.machine, 107);
  rig.now += 20_000;
  const heard = await site.run(async () => {
    const [alert] = (await rig.call('alerts_list', {})).data;
    await rig.call('alerts_acknowledge', { id: alert?.id ?? '' });
    await watch.coolant(site.machine, 80);
  });
  assert.deepEqual(heard.map(wordsOf), ['active 20', 'active seen 20', 'cleared seen 20']);
});

const CHILD = join(import.meta.dirname, '..', 'support', 'gateway-child.ts');
const ROUNDS = 2;

interface Gateway {
  readonly child: ChildProcess;
  readonly http: string;
  readonly mqtt: number;
}

async function start(folder: string): Promise<Gateway> {
  const child = spawn(process.execPath, [CHILD, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  assert.ok(child.stdout);
  for await (const line of createInterface({ input: child.stdout })) {
    const told = JSON.parse(line) as { event: string; http: string; mqtt: number };
    if (told.event === 'ready') return { child, http: told.http, mqtt: told.mqtt };
  }
  throw new Error('the gateway did not start');
}

async function kill({ child }: Gateway): Promise<void> {
  const gone = new Promise((done) => child.once('exit', done));
  child.kill('SIGKILL');
  await gone;
}

test('[A839] kill -9 at any time around an alert: its horn hears that it is active, and at last that it is over', async () => {
  using folder = temporaryFolder();
  const stream = streamOf(TEST_SEED);
  let gateway = await start(folder.path);
  try {
    const owner = createClient({ base_url: gateway.http, key: OWNER_KEY });
    const { project } = await owner.call('projects_create', { name: 'Pit' });
    const clientOf = () => createClient({ base_url: gateway.http, key: OWNER_KEY, project_id: project.id });
    const machine = await addMachine(clientOf(), 'HT-1');
    const rule = await clientOf().call('alert_rules_create', RULE);
    const horn = await clientOf().call('devices_provision', { serial: 'HORN-1', kind: 'generic' });
    const heard: Message[] = [];
    const listen = async (): Promise<MqttClient> => {
      const client = mqtt.connect(`mqtt://127.0.0.1:${gateway.mqtt}`, {
        protocolVersion: 4,
        username: horn.device.device_id,
        password: horn.credential.key ?? '',
        clientId: 'horn',
        clean: false,
        reconnectPeriod: 0,
      });
      client.on('error', () => {});
      client.on('message', (_topic, payload) => heard.push(JSON.parse(payload.toString())));
      await new Promise((done) => client.once('connect', done));
      await client.subscribeAsync(`v1/devices/${horn.device.device_id}/alerts`, { qos: 1 });
      return client;
    };
    let listening = await listen();
    /** Kills the gateway up to 1.5 s later, and starts it and the horn again. */
    const restart = async () => {
      await new Promise((done) => setTimeout(done, random(stream) * 1_500));
      await kill(gateway);
      await listening.endAsync(true);
      gateway = await start(folder.path);
      listening = await listen();
    };
    let { revision } = rule;
    const enable = async (enabled: boolean) => {
      ({ revision } = await clientOf().call('alert_rules_update', { id: rule.id, enabled }, { if_match: revision }));
    };
    const topic = `v1/devices/${machine.device_id}/telemetry`;
    for (let round = 1; round <= ROUNDS; round++) {
      const device = await connectDevice(gateway.mqtt, machine);
      const values = { 'engine.coolant_temperature': 107 };
      await device.publishAsync(topic, JSON.stringify({ ts: Date.now(), values }), { qos: 1 });
      await restart();
      await device.endAsync(true);
      const alerts = async () => (await clientOf().call('alerts_list', { state: 'active' })).data;
      const [alert] = await eventually(alerts, ([one]) => one?.actions[0]?.status === 'executed');
      const states = async () => heard.flatMap(({ alert_id, state }) => (alert_id === alert?.id ? [state] : []));
      assert.ok((await eventually(states, ({ length }) => length > 0)).every((state) => state === 'active'));
      await enable(false);
      await restart();
      await eventually(states, (all) => all.at(-1) === 'cleared');
      await enable(true);
    }
    const all = (await clientOf().call('alerts_list', {})).data;
    assert.equal(all.length, ROUNDS);
    await listening.endAsync(true);
  } finally {
    await kill(gateway);
  }
});
