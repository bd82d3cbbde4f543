/** Messages of alerts that the broker does not take: they wait, are sent again, survive a restart, and are given up by a rule. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Input } from '#contract/operations.ts';
import { createPerformers } from '#gateway/alert-actions.ts';
import { type AlertMessages, startAlertMessages } from '#gateway/alert-messages.ts';
import type { Broker } from '#servers/mqtt/broker-types.ts';
import { startRig } from '#test/servers/mqtt/broker-rig.ts';
import { openRig, type Rig } from '#test/support/handler-rig.ts';
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
const DAY_MS = 86_400_000;
const SESSION = { clientId: 'horn', clean: false } as const;

/** A machine with a rule, and a horn. The queue of a session of the broker takes one message. */
async function siteOf(rig: Rig) {
  const broker = await startRig({ limits: { messages: 1 } });
  const machine = await rig.call('equipment_create', { unit_number: 'HT-1' });
  await rig.call('devices_create', { device_id: 'horn', kind: 'generic' });
  await rig.call('alert_rules_create', RULE);
  rig.freeze();
  let mono = 0;
  let trusted = true;
  return {
    machine: machine.id,
    broker,
    trust(value: boolean) {
      trusted = value;
    },
    /** Subscribes with a session that lasts, and leaves. One message then fills the queue. */
    async fill() {
      const horn = await broker.client('horn', SESSION);
      await horn.subscribeAsync('v1/devices/horn/alerts', { qos: 1 });
      await horn.endAsync();
      await broker.broker.publish('horn', 'alerts', JSON.stringify({ state: 'filler' }));
    },
    /** Runs the actions as the gateway does from its start to its end. */
    async run(
      act: (messages: AlertMessages, wait: (ms: number) => Promise<void>) => Promise<void>,
      to: Pick<Broker, 'publish'> = broker.broker,
    ) {
      const { store, ownWork, clock } = rig;
      const log = () => undefined;
      await using actions = await followAlertActions({ store, log });
      const timers = { monotonic: () => mono, agesKnown: () => trusted };
      await using messages = await startAlertMessages({ store, ownWork, broker: to, clock, log, ...timers });
      actions.begin(createPerformers({ ownWork, messages, log }));
      await actions.settled();
      await act(messages, async (ms) => {
        await actions.settled();
        mono += ms;
        await messages.retry();
      });
      await actions.settled();
    },
    async action() {
      const [alert] = (await rig.call('alerts_list', {})).data;
      return alert?.actions[0];
    },
    [Symbol.asyncDispose]: () => broker[Symbol.asyncDispose](),
  };
}

test('[A864] an action whose message the broker refuses stays pending, also after a restart, until a device takes it', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  await using site = await siteOf(rig);
  await site.fill();
  await watch.coolant(site.machine, 107);
  const pending = { action: 'mqtt', status: 'pending', reason: null };
  await site.run(async (messages, wait) => {
    assert.deepEqual(await site.action(), pending);
    const [problem] = messages.problems();
    assert.equal(problem?.code, 'alert_messages_waiting');
    assert.match(problem?.message ?? '', /1 alert waits .*horn: the queue of horn is full/);
    await wait(5_000);
    assert.deepEqual(await site.action(), pending);
  });
  await site.run(async (messages, wait) => {
    assert.deepEqual(await site.action(), pending);
    assert.equal(messages.problems().length, 1, 'the new process knows the device that waits');
    const horn = await site.broker.client('horn', SESSION);
    const heard: string[] = [];
    horn.on('message', (_topic, payload) => heard.push(JSON.parse(payload.toString()).state));
    // Each refusal doubles the wait, up to a minute.
    await until(async () => {
      await wait(60_000);
      return (await site.action())?.status === 'executed';
    });
    await until(() => heard.includes('active'));
    assert.deepEqual(messages.problems(), []);
    await horn.endAsync();
  });
  await site.run(async (messages) => assert.deepEqual(messages.problems(), []));
});

test('[A864] the end of an alert that the broker refuses is sent again after a restart', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  await using site = await siteOf(rig);
  await watch.coolant(site.machine, 107);
  await site.run(async () => undefined);
  assert.equal((await site.action())?.status, 'executed');
  await site.fill();
  rig.now += 20_000;
  await site.run(async (messages) => {
    await watch.coolant(site.machine, 80);
    await until(() => messages.problems().length === 1);
  });
  // A start repeats the changes of the last minute only. So this change is sent because it is stored that it waits.
  rig.now += 3_600_000;
  await site.run(async (messages, wait) => {
    const horn = await site.broker.client('horn', SESSION);
    const heard: string[] = [];
    horn.on('message', (_topic, payload) => heard.push(JSON.parse(payload.toString()).state));
    await until(async () => {
      await wait(60_000);
      return messages.problems().length === 0;
    });
    await until(() => heard.includes('cleared'));
    await horn.endAsync();
  });
  assert.equal((await site.action())?.status, 'executed');
});

test('[A864] while the broker stops, nothing is lost: the next broker gets the alert', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  await using site = await siteOf(rig);
  const stopped = await startRig();
  const horn = await stopped.client('horn', SESSION);
  await horn.subscribeAsync('v1/devices/horn/alerts', { qos: 1 });
  const underWay = Array.from({ length: 50 }, () => stopped.broker.publish('horn', 'alerts', '{}'));
  await stopped[Symbol.asyncDispose]();
  // Each message that was under way has a result, so no action waits for one without end.
  assert.equal((await Promise.allSettled(underWay)).length, 50);
  await watch.coolant(site.machine, 107);
  await site.run(async (messages) => {
    assert.equal((await site.action())?.status, 'pending');
    assert.match(messages.problems()[0]?.message ?? '', /the broker stops/);
  }, stopped.broker);
  await site.run(async () => undefined);
  assert.equal((await site.action())?.status, 'executed');
});

test('[A865] after seven days the message is given up, with an event and a result; not while the clock is not trusted', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  await using site = await siteOf(rig);
  await rig.call('devices_create', { device_id: 'lamp', kind: 'generic' });
  await site.fill();
  await watch.coolant(site.machine, 107);
  await site.run(async (messages, wait) => {
    rig.now += 6.9 * DAY_MS;
    await wait(60_000);
    assert.equal((await site.action())?.status, 'pending');
    rig.now += 30 * 365 * DAY_MS;
    site.trust(false);
    await wait(60_000);
    assert.equal((await site.action())?.status, 'pending');
    site.trust(true);
    await wait(60_000);
    assert.deepEqual(messages.problems(), []);
  });
  // The lamp has got the message, the horn has not.
  assert.deepEqual(await site.action(), { action: 'mqtt', status: 'executed', reason: 'not_taken', missed: ['horn'] });
  const { data } = await rig.call('equipment_events', { id: site.machine, order: 'asc' });
  const unsent = data.find(({ type }) => type === 'alert.unsent');
  assert.deepEqual([unsent?.data.devices, unsent?.data.error], [['horn'], 'the queue of horn is full']);
});
