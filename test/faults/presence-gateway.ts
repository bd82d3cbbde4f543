/** Plays interleavings at a whole gateway and compares what its interface says of devices with what the sockets say. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Client } from '#contract/client.ts';
import { addMachine, startGateway, type TestMachine } from '#test/support/gateway.ts';
import { createUnit, interleaving, type Step, soon, type Unit } from './presence-kit.ts';

/** Devices that are played at once: the real clock of a timeout passes for all of them together. */
const AT_ONCE = 20;

async function play(unit: Unit, steps: readonly Step[]): Promise<void> {
  for (const step of steps)
    if (step.do === 'timeout')
      await soon(
        () => unit.peers.every(({ silent, closed }) => closed || !silent),
        () => 'silence ends no connection',
      );
    else await unit.play(step);
  await unit.settled();
}

/** Waits until the gateway says of each device what its socket says. */
async function compare(client: Client, units: readonly (readonly [TestMachine, Unit])[]): Promise<void> {
  await Promise.all(
    units.map(async ([{ device }, unit]) => {
      let said = '';
      await soon(
        async () => {
          const { status, state } = await client.call('devices_get', { id: device });
          const session = state.connectivity?.session ?? 'closed';
          said = `${status}, session ${session}; sockets: ${unit.open().length}`;
          if (unit.open().length === 0) return session === 'closed';
          return session === 'open' && status === 'online';
        },
        () => said,
      );
    }),
  );
}

/** Plays so many interleavings, a gateway's lifetime for every 20; each lifetime ends with sockets open, and the next begins without. */
export async function checkGateway(runs: number, seed: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-presence-'));
  try {
    const machines: TestMachine[] = [];
    let project_id = '';
    let last: (readonly [TestMachine, Unit])[] = [];
    let lifetime = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(interleaving(1, false), { minLength: AT_ONCE, maxLength: AT_ONCE }),
        async (interleavings) => {
          await using gateway = await startGateway(folder);
          if (lifetime++ === 0) {
            project_id = (await gateway.client.call('projects_create', { name: 'North Pit' })).project.id;
            for (let i = 0; i < AT_ONCE; i++) machines.push(await addMachine(gateway.project(project_id), `HT-${i}`));
          }
          const client = gateway.project(project_id);
          await soon(
            () => last.every(([, { peers }]) => peers.every(({ closed }) => closed)),
            () => 'a socket outlives its gateway',
          );
          await compare(client, last);
          const units = machines.map(
            (machine) =>
              [
                machine,
                createUnit({ port: () => gateway.node.mqttPort, device_id: machine.device_id, key: machine.key }),
              ] as const,
          );
          await Promise.all(units.map(([, unit], i) => play(unit, interleavings[i] ?? [])));
          await compare(client, units);
          const half = units.filter((_, i) => i % 2 === 0);
          await Promise.all(half.map(([, unit]) => unit.end()));
          await compare(client, units);
          for (const [machine] of half) {
            const { status } = await client.call('devices_get', { id: machine.device });
            assert.ok(['provisioned', 'online', 'offline'].includes(status), status);
          }
          last = units;
        },
      ),
      { numRuns: Math.ceil(runs / AT_ONCE), seed, endOnFailure: true },
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
