/**
 * `node test/bench/sync-samples.ts [--machines 2] [--hours 6]`: bytes on the network for each sample that head office gets from a site, with
 * all headers of HTTP. Loggers send the frames of simulated machines over MQTT, with times of the last hours, while head office does not run.
 * The site compacts these hours into sealed segments. Then head office starts, and the site sends the samples, statistics, live state and events.
 */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { encodeBinary } from '#codec/can-binary.ts';
import { FrameBatch } from '#contract/fleet/frame.ts';
import { fleetOf } from '#simulator/fleet.ts';
import { createSite } from '#simulator/site.ts';
import { addMachine, connectDevice } from '#test/support/gateway.ts';
import { End, enrol } from '#test/sync/ends.ts';
import { startRecorder } from './http-recorder.ts';

const { values } = parseArgs({
  options: { machines: { type: 'string', default: '2' }, hours: { type: 'string', default: '6' } },
});
const [machines, hours] = [Number(values.machines), Number(values.hours)];
const HOUR_MS = 3_600_000;
const STEP_MS = 10_000;
const SEED = 1;
/** Messages of one logger that are on their way at the same time. */
const WINDOW = 20;
/** The clocks of both ends are set on, so that nobody waits until the hours are sealed. */
const LATER = {
  LD_PRELOAD: '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1',
  FAKETIME: '+80m',
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
};

interface Stored {
  readonly sealed: number;
  readonly open: number;
  readonly samples: number;
  readonly rows: number;
}

/** What an end has of history, as its database says. */
function storedAt({ folder }: End): Stored {
  using db = new DatabaseSync(join(folder, 'store/headframe.db'), { readOnly: true });
  const all = db.prepare('SELECT data FROM telemetry_0 WHERE del=0').all() as { data: string }[];
  const found = all.map(({ data }) => JSON.parse(data) as { object: string; data: Record<string, unknown> });
  const segments = found.filter(({ object }) => object === 'segment').map(({ data }) => data);
  const sealed = segments.filter(({ seal }) => seal !== undefined);
  const sum = (of: readonly Record<string, unknown>[], field: string) =>
    of.reduce((total, each) => total + Number(each[field] ?? 0), 0);
  return {
    sealed: sealed.length,
    open: segments.length - sealed.length,
    samples: sum(sealed, 'samples'),
    rows: sum(
      found.filter(({ object }) => object === 'rollup').map(({ data }) => data),
      'rows',
    ),
  };
}

async function work(site: End, project: string): Promise<void> {
  const end_ms = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  const start_ms = end_ms - hours * HOUR_MS;
  const roster = fleetOf(SEED, machines);
  // Local time is 8:00 at the start, so that the machines work.
  const quarry = createSite({ seed: SEED, start_ms, roster, zone_ms: 8 * HOUR_MS - (start_ms % (24 * HOUR_MS)) });
  const batches = roster.map(() => new FrameBatch(8_192));
  const loggers = [];
  for (const { unit } of roster) {
    const machine = await addMachine(site.client(project), unit);
    loggers.push({ mqtt: await connectDevice(site.mqtt, machine), topic: `v1/devices/${machine.device_id}/can` });
  }
  let seq = 0;
  for (let at = start_ms; at < end_ms; ) {
    const sent: Promise<unknown>[] = [];
    for (let i = 0; i < WINDOW && at < end_ms; i++, at += STEP_MS) {
      quarry.advance(at + STEP_MS, batches, 1_000);
      seq++;
      for (const [k, { mqtt, topic }] of loggers.entries()) {
        const batch = batches[k] as FrameBatch;
        if (batch.count > 0) sent.push(mqtt.publishAsync(topic, Buffer.from(encodeBinary(batch, seq)), { qos: 1 }));
        batch.clear();
      }
    }
    await Promise.all(sent);
  }
  for (const { mqtt } of loggers) await mqtt.endAsync();
}

await using cloud = await new End({ HEADFRAME_ROLE: 'cloud' }).start(LATER);
await using site = await new End({ HEADFRAME_REQUESTS_PER_MINUTE: '1000000' }).start();
await using recorder = await startRecorder(cloud.port);
const project = await enrol(cloud, site, `http://127.0.0.1:${recorder.port}`);
await site.inStep();
await cloud.kill();
await work(site, project);
await site.kill();
await site.start(LATER);
let last = '';
for (let same = 0; same < 3; ) {
  await sleep(15_000);
  const status = await site.status();
  const now = JSON.stringify([storedAt(site), status.projects.map(({ lanes }) => lanes.map(({ waiting }) => waiting))]);
  same = now === last ? same + 1 : 0;
  last = now;
}
const made = storedAt(site);
recorder.take();
await cloud.start(LATER);
for (;;) {
  const status = await site.status();
  if (status.state === 'in_step' && status.projects.every(({ waiting }) => waiting === 0)) break;
  await sleep(200);
}
await sleep(2_000);
const { plain, messages } = recorder.take();
const got = storedAt(cloud);
process.stdout.write(
  [
    `${machines} machines, ${hours} hours: the site has ${made.sealed} sealed and ${made.open} open segments, ${made.samples} sealed samples, ${made.rows} rows of statistics`,
    `head office has ${got.sealed} sealed and ${got.open} open segments, ${got.samples} samples, ${got.rows} rows`,
    `${plain} bytes in ${messages} messages of HTTP with headers: ${(plain / got.samples).toFixed(3)} B a sample`,
    '',
  ].join('\n'),
);
