/** Plays interleavings at a broker and compares what it says of connections with what the sockets say. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Broker } from '#servers/mqtt/broker-types.ts';
import { startRig } from '#test/servers/mqtt/broker-rig.ts';
import { createUnit, interleaving, type Peer, type Step, soon, type Unit } from './presence-kit.ts';

/** A broker that can be restarted, and what it said in order: `+`, `-`, and the wills that it handed on. */
interface Place {
  readonly broker: Broker;
  readonly said: string[];
  restart(): Promise<void>;
}

async function startPlace(stack: AsyncDisposableStack): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-presence-'));
  stack.defer(() => rmSync(folder, { recursive: true }));
  const said: string[] = [];
  const start = () =>
    startRig({
      folder,
      connected: () => said.push('+'),
      disconnected: () => said.push('-'),
      accept: async ({ payload }) => void said.push(Buffer.from(payload).toString()),
    });
  let rig = await start();
  stack.defer(() => rig[Symbol.asyncDispose]());
  return {
    get broker() {
      return rig.broker;
    },
    said,
    async restart() {
      await rig[Symbol.asyncDispose]();
      rig = await start();
    },
  };
}

const opened = (said: readonly string[]) =>
  said.filter((one) => one === '+').length - said.filter((one) => one === '-').length;

/** With one client id there is never more than one connection, and the will of each comes before the next. */
function checkOrder(said: readonly string[], ids: number): void {
  let open = 0;
  for (const one of said) {
    if (one === '+') open++;
    else if (one === '-') open--;
    assert.ok(open >= 0 && open <= ids, `${open} connections with ${ids} client ids: ${said.join(' ')}`);
  }
}

/** The will of a connection that broke is spoken once; that of one that is open, or said DISCONNECT and was read, never. */
function checkWills({ peers }: Unit, said: readonly string[], restarted: boolean): void {
  for (const { will, admitted, farewell, closed } of peers) {
    if (will === undefined) continue;
    const spoken = said.filter((one) => one === will).length;
    const least = admitted && closed && !farewell && !restarted ? 1 : 0;
    // Nobody knows whether DISCONNECT was read before the connection broke, or whether CONNACK was on its way.
    assert.ok(spoken >= least && spoken <= (closed ? 1 : 0), `${will} was spoken ${spoken} times: ${said.join(' ')}`);
  }
}

async function checkDelivery(place: Place, unit: Unit): Promise<void> {
  const listeners = unit.open().filter(({ clean }) => !clean);
  if (listeners.length === 0) return;
  const word = `command ${unit.device_id}`;
  await place.broker.publish(unit.device_id, 'commands', word);
  const got = ({ received }: Peer) => received.includes(word);
  await soon(
    () => listeners.every((peer) => peer.closed || got(peer)),
    () => 'a command did not arrive',
  );
}

async function play(place: Place, steps: readonly Step[], ids: number, tick: (ms: number) => void): Promise<void> {
  place.said.length = 0;
  const unit = createUnit({ port: () => place.broker.port, device_id: 'truck', key: 'dk_secret' });
  let restarted = false;
  for (const step of steps) {
    if (step.do === 'timeout') for (let second = 0; second < 5; second++) tick(1_000);
    else if (step.do === 'restart') {
      restarted = true;
      await place.restart();
    } else await unit.play(step);
  }
  await unit.settled();
  const mine = () =>
    `the broker says ${opened(place.said)} open, ${place.broker.counters().connections} connections; sockets: ${unit.open().length}`;
  await soon(
    () => opened(place.said) === unit.open().length && place.broker.counters().connections === unit.open().length,
    mine,
  );
  checkOrder(place.said, ids);
  await checkDelivery(place, unit);
  checkWills(unit, place.said, restarted);
  await unit.end();
  await soon(() => opened(place.said) === 0 && place.broker.counters().connections === 0, mine);
  checkWills(unit, place.said, restarted);
}

/**
 * Plays so many interleavings at one broker, half of them with one client id; `tick` lets the broker's intervals run.
 * Throws what fast-check says of the smallest one that fails.
 */
export async function checkBroker(runs: number, seed: number, tick: (ms: number) => void): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const place = await startPlace(stack);
  for (const ids of [1, 2])
    await fc.assert(
      fc.asyncProperty(interleaving(ids, true), (steps) => play(place, steps, ids, tick)),
      { numRuns: Math.ceil(runs / 2), seed: seed + ids, endOnFailure: true },
    );
}
