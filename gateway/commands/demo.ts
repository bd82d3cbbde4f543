/** `headframe demo`: a gateway with a simulated quarry whose frames take the same road as real ones: MQTT, journal, decoding, screens. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { renderUnicodeCompact } from 'uqr';
import { openPublisher, type Publisher } from '#bridge/publisher.ts';
import { FrameBatch } from '#contract/fleet/frame.ts';
import { startSentence } from '#process/start-errors.ts';
import { EXIT, type Ready } from '#process/supervisor.ts';
import { reachableHost } from '#settings/addresses.ts';
import type { Config } from '#settings/config.ts';
import type { LoggerMessage } from '#simulator/logger.ts';
import { createSimulation } from '#simulator/simulation.ts';
import { createSite, type Site, type SiteSnapshot } from '#simulator/site.ts';
import { CommandError } from './command-line.ts';
import type { Console } from './console.ts';
import { readControl, runningGateway } from './control.ts';
import { type SimulatedMachine, setUpSite, shareOf } from './site-setup.ts';
import { runGateway } from './start.ts';

/** The site's seed: everybody sees the same quarry. */
const SEED = 1848;
const SEND_MS = 250;
const SAVE_MS = 10_000;
/** What a fresh demo has lived before it starts, so that trends have something to show. */
const PAST_MS = 32 * 60_000;
/** The past is told in few frames: this interval for every parameter group, a minute to a message. */
const PAST_INTERVAL_MS = 5_000;
const PAST_MESSAGE_MS = 60_000;

/** Where the demo keeps what its machines have done, beside the gateway's own files. */
const STATE = 'demo.json';

/** Runs the demo until it is stopped; resolves to the exit code. */
export async function runDemo(given: Config, say: Console, options: { readonly fresh: boolean }): Promise<number> {
  const config: Config = { ...given, data: `${given.data}-demo`, demo: true };
  const state = join(config.data, STATE);
  if (existsSync(join(config.data, 'store')) && !existsSync(state))
    throw new CommandError(
      `${config.data} holds a gateway that is no demo. Choose another folder with --data DIR; the demo uses DIR-demo.`,
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
  const from = await readState(path);
  const now = Date.now();
  const start_ms = Math.max(now - PAST_MS, from?.now_ms ?? 0);
  const zone_ms = -new Date(now).getTimezoneOffset() * 60_000;
  const site = createSite({ seed: SEED, start_ms, zone_ms, ...(from === undefined ? {} : { from }) });
  const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const where = { project: 'Demo quarry', timezone, devices: 'sim-' };
  const { client, machines } = await setUpSite(await runningGateway(config), site.roster, where);
  const share = await shareOf(client);
  const publishers = await Promise.all(machines.map((machine) => connect(ready, machine)));
  const stop = new AbortController();
  const ended = run(site, publishers, path, stop.signal);
  announce(config, ready, share, say);
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
      await Promise.all(publishers.map((publisher) => publisher[Symbol.asyncDispose]()));
    },
  };
}

/** Marks the folder as a demo's before anything else is in it. */
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

/** Lets the site live: its past at once, then as the clock goes; saves what the machines have done. */
async function run(site: Site, publishers: readonly Publisher[], path: string, stop: AbortSignal): Promise<void> {
  const batches = site.roster.map(() => new FrameBatch(1024));
  while (site.now_ms + PAST_MESSAGE_MS < Date.now() && !stop.aborted) {
    site.advance(site.now_ms + PAST_MESSAGE_MS, batches, PAST_INTERVAL_MS);
    batches.forEach((batch, i) => {
      publishers[i]?.publish(batch);
      batch.clear();
    });
    await Promise.all(publishers.map((publisher) => publisher.room()));
  }
  // From here on the loggers tell it, with the faults that they have.
  const simulation = createSimulation(site, SEED);
  const send = (machine: number, { frames, seq }: LoggerMessage) => publishers[machine]?.publish(frames, seq);
  let saved = Date.now();
  while (!stop.aborted) {
    simulation.advance(Date.now(), send);
    if (Date.now() - saved >= SAVE_MS) {
      await writeState(path, site);
      saved = Date.now();
    }
    await sleep(SEND_MS, undefined, { signal: stop }).catch(() => {});
  }
  simulation.finish(send);
  await writeState(path, site);
}

async function readState(path: string): Promise<SiteSnapshot | undefined> {
  try {
    const state = JSON.parse(await readFile(path, 'utf8')) as SiteSnapshot;
    return state.version === 1 ? state : undefined;
  } catch {
    return undefined;
  }
}

/** Whole or not at all, as the demo may be killed at any moment. */
async function writeState(path: string, site: Site): Promise<void> {
  await writeFile(`${path}.new`, JSON.stringify(site.snapshot()));
  await rename(`${path}.new`, path);
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
