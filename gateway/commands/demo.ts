/** `headframe demo`: runs a gateway with a simulated quarry. Its frames take the same path as real frames: MQTT, journal, decoding. */
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renderUnicodeCompact } from 'uqr';
import { openPublisher, type Publisher } from '#bridge/publisher.ts';
import { readSnapshot, runDemoSite, startOf } from '#commands/demo-site/run.ts';
import { addWork, standsSince } from '#commands/demo-site/work.ts';
import { startSentence } from '#process/start-errors.ts';
import { EXIT, type Ready } from '#process/supervisor.ts';
import { reachableHost } from '#settings/addresses.ts';
import type { Config } from '#settings/config.ts';
import { readControl } from '#settings/control-file.ts';
import { createSite } from '#simulator/site.ts';
import { CommandError } from './command-line.ts';
import type { Console } from './console.ts';
import { runningGateway } from './control.ts';
import { type SimulatedMachine, setUpSite, shareOf } from './site-setup.ts';
import { runGateway } from './start.ts';

/** A fixed seed, so that all demos show the same quarry. */
const SEED = 1848;

/** The description from which the gateway sets up the demo, as a person would write it. */
const PROMPT = `Our haul trucks are HT-01 to HT-06. Two excavators, EX-01 and EX-02. Wheel loaders WL-01 and WL-02, dozer DZ-01 and water truck WT-01.
Day shift 06:00 to 18:00, night shift 18:00 to 06:00.
We want a screen in the workshop with open repairs, alerts and engine hours.`;

/** Name of the file with the state of the simulated machines. A data folder with this file is the data folder of a demo. */
const STATE = 'demo.json';

/** Runs the demo until it is stopped; resolves to the exit code. */
export async function runDemo(given: Config, say: Console, options: { readonly fresh: boolean }): Promise<number> {
  const config: Config = { ...given, data: `${given.data}-demo`, demo: true };
  const state = join(config.data, STATE);
  if (existsSync(join(config.data, 'store')) && !existsSync(state))
    throw new CommandError(
      `${config.data} contains the data of a gateway that is not a demo. Choose another folder with --data DIR; the demo then uses the folder DIR-demo.`,
      EXIT.refused,
    );
  if (options.fresh && existsSync(state)) {
    if ((await readControl(config.data)) !== undefined)
      throw new CommandError(`A demo runs on ${config.data}; stop it first.`, EXIT.refused);
    await rm(config.data, { recursive: true });
  }
  await claimFolder(config, state);
  return runGateway(config, say, (ready) => simulate(config, ready, say, state));
}

async function simulate(config: Config, ready: Ready, say: Console, path: string): Promise<AsyncDisposable> {
  const now = Date.now();
  const from = await readSnapshot(path);
  const zone_ms = -new Date(now).getTimezoneOffset() * 60_000;
  const start_ms = startOf(from, now);
  const site = createSite({ seed: SEED, start_ms, zone_ms, ...(from === undefined ? {} : { from }) });
  const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const where = {
    project: 'Demo quarry',
    timezone,
    devices: 'sim-',
    prompt: PROMPT,
    standsSince: (unit: string) => standsSince(unit, now),
  };
  const { client, machines, location_id } = await setUpSite(await runningGateway(config), site.roster, where);
  const known = machines.map(
    ({ unit, equipment_id }, i) => [unit, { id: equipment_id, hours: site.truth(i).engine_hours }] as const,
  );
  if (location_id !== undefined) await addWork(client, new Map(known), location_id, { now, zone_ms });
  const share = await shareOf(client);
  const publishers = await Promise.all(machines.map((machine) => connect(ready, machine)));
  const stop = new AbortController();
  const ended = runDemoSite({
    site,
    seed: SEED,
    path,
    clock: Date.now,
    publish: (machine, frames, seq) => publishers[machine]?.publish(frames, seq),
    async room() {
      await Promise.all(publishers.map((publisher) => publisher.room()));
    },
    stop: stop.signal,
  });
  announce(config, ready, share, say);
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
      await Promise.all(publishers.map((publisher) => publisher[Symbol.asyncDispose]()));
    },
  };
}

/** Creates the folder and marks it as the folder of a demo before the gateway writes into it. */
async function claimFolder(config: Config, state: string): Promise<void> {
  try {
    await mkdir(config.data, { recursive: true });
    if (!existsSync(state)) await writeFile(state, '{}');
  } catch (error) {
    throw new CommandError(startSentence(error, config) ?? String(error), EXIT.refused, { cause: error });
  }
}

function connect(ready: Ready, machine: SimulatedMachine): Promise<Publisher> {
  return openPublisher({
    url: `mqtt://${machine.host}:${ready.mqttPort}`,
    device_id: machine.device_id,
    key: machine.key,
  });
}

function announce(config: Config, ready: Ready, share: string | null, say: Console): void {
  const msg = 'DEMO: 12 simulated machines are reporting.';
  const host = reachableHost(config.host);
  const tv = share === null ? null : new URL(new URL(share).pathname, `http://${host}:${ready.httpPort}`).href;
  say.event(
    'demo',
    { tv, msg },
    tv === null
      ? msg
      : `${msg}\n\n  TV          ${tv}\n\n  Scan this code to open the TV screens:\n\n${renderUnicodeCompact(tv)}\n`,
  );
}
