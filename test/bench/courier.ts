/**
 * `node test/bench/courier.ts [--days 30] [--machines 50]`: writes and reads the bundles of a site that had no link for some days, and the
 * answer of head office. Each end is a process of its own. Prints bytes, seconds, and the peak memory (VmHWM) of the process that worked. The
 * site has sealed samples and statistics of each hour and day: random bytes, as many as a simulated site has
 * (test/bench/history-size.ts). TMPDIR must have room for four times the bytes.
 */
import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { makeId } from '#contract/base/ids.ts';
import type { Write } from '#contract/base/view.ts';
import type { CourierBundle } from '#contract/site/sync-courier.ts';
import { openStore } from '#store/open-store.ts';
import { End, enrol } from '#test/sync/ends.ts';

const { values } = parseArgs({
  options: { days: { type: 'string', default: '30' }, machines: { type: 'string', default: '50' } },
});
const [days, machines] = [Number(values.days), Number(values.machines)];
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const SEGMENT_BYTES = 31_000;
const ROLLUP_BYTES = 120_000;
/** The largest file that an end writes. */
const MOST_BYTES = 2 ** 31 - 1;

const seconds = (from: number): string => ((performance.now() - from) / 1_000).toFixed(1);
const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);

/** The largest memory of the process of an end until now. */
function peakOf({ pid }: End): string {
  const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
  return megabytes(Number(kilobytes) * 1_024);
}

/** Stores the history of a machine and day, as the site itself does. */
function historyOf(equipment_id: string, at: number): Write[] {
  const make = (hour: number | undefined): Write => {
    const object = hour === undefined ? 'rollup' : 'segment';
    const from_ms = at + (hour ?? 0) * HOUR_MS;
    const body = new Uint8Array(randomBytes(hour === undefined ? ROLLUP_BYTES : SEGMENT_BYTES));
    const seal = { generation: 1, supersedes: null, sha256: randomBytes(32).toString('hex') };
    const slot = `${equipment_id}/${Math.floor(at / DAY_MS)}`;
    const common = { equipment_id, device_id: null, from_ms, to_ms: from_ms + HOUR_MS - 1_000, slot, body, seal };
    const rest = hour === undefined ? { rows: 41_000 } : { sealed_hour: from_ms / HOUR_MS, samples: 86_700 };
    return {
      collection: 'telemetry',
      id: makeId(object, from_ms, randomBytes(10)),
      object,
      data: { ...common, ...rest },
    };
  };
  return [...Array.from({ length: 24 }, (_, hour) => make(hour)), make(undefined)];
}

const folder = await mkdtemp(join(tmpdir(), 'headframe-stick-'));
await using cloud = await new End({ HEADFRAME_ROLE: 'cloud' }).start();
await using site = await new End({}).start();
const project = await enrol(cloud, site, `http://127.0.0.1:${cloud.port}`);
await site.inStep();
const { gateway_id } = await site.status();
await site.kill();
await cloud.kill();

const filling = performance.now();
{
  await using store = await openStore({ folder: site.folder, clock: Date.now, random: (n) => randomBytes(n) });
  const ids = Array.from({ length: machines }, () => makeId('equipment', Date.now(), randomBytes(10)));
  const first = Math.floor(Date.now() / DAY_MS) * DAY_MS - days * DAY_MS;
  for (let day = 0; day < days; day++)
    for (const id of ids) await store.view(project).commit(historyOf(id, first + day * DAY_MS));
}
process.stdout.write(`${days} days of ${machines} machines are stored in ${seconds(filling)} s\n`);

/** Writes all files of an end. */
async function write(end: End, of: { readonly gateway_id?: string }): Promise<string[]> {
  await end.start();
  const client = end.client();
  const files: string[] = [];
  for (let after: string | undefined; ; ) {
    const idle = peakOf(end);
    const from = performance.now();
    const input = { ...of, most_bytes: MOST_BYTES, ...(after !== undefined && { after }) };
    const answer = await fetch(client.url('sync_courier_export', input), { headers: client.headers() });
    if (!answer.ok || answer.body === null) throw new Error(await answer.text());
    const file = join(folder, `${end.port}-${files.length}`);
    await pipeline(Readable.fromWeb(answer.body as never), createWriteStream(file));
    const [made] = (await client.call('sync_courier', {})).data;
    process.stdout.write(
      `wrote ${megabytes(statSync(file).size)} MB, ${made?.changes} changes in ${seconds(from)} s; peak memory ${peakOf(end)} MB, before ${idle} MB\n`,
    );
    files.push(file);
    if (made?.more !== true) break;
    after = made.id;
  }
  await end.kill();
  return files;
}

async function read(end: End, files: readonly string[]): Promise<void> {
  await end.start();
  const client = end.client();
  for (const file of files) {
    const idle = peakOf(end);
    const from = performance.now();
    const answer = await fetch(client.url('sync_courier_import', {}), {
      method: 'POST',
      headers: { ...client.headers(), 'content-type': 'application/octet-stream' },
      body: Readable.toWeb(createReadStream(file)) as never,
      duplex: 'half',
    } as RequestInit);
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
    const { changes, not_taken } = (await answer.json()) as CourierBundle;
    process.stdout.write(
      `read ${megabytes(statSync(file).size)} MB, ${changes} changes, ${not_taken} not taken, in ${seconds(from)} s; peak memory ${peakOf(end)} MB, before ${idle} MB\n`,
    );
    await rm(file);
  }
  await end.kill();
}

await read(cloud, await write(site, {}));
await read(site, await write(cloud, { gateway_id }));
await rm(folder, { recursive: true });
