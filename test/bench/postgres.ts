/**
 * Measures head office on PostgreSQL on this computer: `node test/bench/postgres.ts [--changes 100000] [--keys 1000] [--gateways 50]
 * [--rate 20] [--seconds 30]`. The server waits for the disk at each COMMIT. Prints one JSON line for each part:
 *
 *   feed    two processes write to two projects while a reader follows the feeds and a listener hears the changes: counts the missing
 *           and the repeated changes
 *   once    two engines write one new document at the same time: how often both succeeded
 *   push    sites with SQLite commit changes and push them once a second: how long head office takes for a push, without HTTP
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { broughtBy, handleRequest } from '#domain/sync/cloud.ts';
import { SiteLink } from '#domain/sync/site.ts';
import { openDatabaseStore, openStore, type Store } from '#store/open-store.ts';
import { openPostgres } from '#store/postgres/engine.ts';
import { temporaryFolder } from '#test/store/kit.ts';
import { startPostgres } from '#test/support/postgres.ts';
import { until } from '#test/support/until.ts';

const { values: args } = parseArgs({
  options: {
    changes: { type: 'string', default: '100000' },
    keys: { type: 'string', default: '1000' },
    gateways: { type: 'string', default: '50' },
    rate: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '30' },
  },
});
const PROJECTS = ['prj_a', 'prj_b'];
const CHILD = join(import.meta.dirname, '..', 'store', 'postgres', 'writer-child.ts');
const random = (n: number): Uint8Array => randomBytes(n);
const say = (part: string, result: object): void => console.log(JSON.stringify({ part, ...result }));

await using server = await startPostgres({ durable: true });

async function measureFeed(changes: number): Promise<void> {
  const url = await server.database();
  await using engine = await openPostgres({ url, clock: Date.now, random });
  const heard = new Map<string, number>();
  engine.changes((some) => {
    for (const { document } of some) heard.set(document.id, (heard.get(document.id) ?? 0) + 1);
  });
  const read = new Map<string, number>(PROJECTS.map((project) => [project, 0]));
  const seen = new Set<string>();
  let writing = true;
  const reader = (async () => {
    for (let more = true; more || writing; ) {
      more = false;
      for (const [project, from] of read) {
        const { entries } = await engine.changeFeed(project, 'records', from, 1000);
        for (const { document } of entries) seen.add(document.id);
        read.set(project, entries.at(-1)?.seq ?? from);
        more ||= entries.length > 0;
      }
    }
  })();
  const write = (name: string) =>
    text(
      spawn(process.execPath, [CHILD, url, name, String(changes / 2), '5', PROJECTS.join()], {
        stdio: ['ignore', 'pipe', 'inherit'],
      }).stdout,
    );
  const begin = performance.now();
  await Promise.all([write('x'), write('y')]);
  writing = false;
  await reader;
  await until(async () => heard.size >= changes, 'all changes are heard').catch(() => {});
  const seconds = (performance.now() - begin) / 1000;
  const twice = [...heard.values()].filter((count) => count > 1).length;
  say('feed', {
    changes,
    missed_by_reader: changes - seen.size,
    unheard: changes - heard.size,
    heard_twice: twice,
    seconds,
  });
}

async function measureOnce(keys: number): Promise<void> {
  const url = await server.database();
  await using one = await openPostgres({ url, clock: Date.now, random });
  await using other = await openPostgres({ url, clock: Date.now, random });
  let effects = 0;
  const write = (engine: typeof one, i: number) =>
    engine
      .commit([{ project_id: 'prj_a', collection: 'local', id: `r_${i}`, object: 'receipt', data: {}, expected: 0 }])
      .then(
        () => effects++,
        () => {},
      );
  for (let i = 0; i < keys; i++) await Promise.all([write(one, i), write(other, i)]);
  say('once', { keys, effects });
}

/**
 * A project of a site that makes `rate` changes a second, and pushes them. Collects how long head office takes. All projects share one
 * store of a site, because RxDB opens at most two stores in a process; each has a channel of its own, as if it were a gateway.
 */
async function runSite(
  site: Store,
  cloud: Store,
  project: string,
  rate: number,
  until_ms: number,
  times: number[],
): Promise<void> {
  await site.sync.join(project);
  await cloud.sync.join(project);
  const link = new SiteLink({ page: 200, bytes: 64_000, give: 200, flight: 1, urgent: { page: 5, bytes: 4_000 } });
  for (let round = 0; performance.now() < until_ms; round++) {
    const due = performance.now() + 1000;
    for (let i = 0; i < rate; i++)
      await site.view(project).commit([
        {
          ...{ collection: 'records', id: `eq_${project}_${i}`, object: 'equipment' },
          data: { name: `${round}`, unit_number: `${i}`, aliases: [], status: 'available', labels: {} },
        },
      ]);
    for (;;) {
      const request = await site.sync.run(project, (tx, env) => link.next(tx, env));
      if (request === undefined) break;
      const begin = performance.now();
      const answer = await cloud.sync.run(project, (tx, env) => handleRequest(tx, env, request), broughtBy(request));
      if (request.type === 'push') times.push(performance.now() - begin);
      await site.sync.run(project, (tx, env) => link.take(tx, env, request, answer));
    }
    await pause(Math.max(0, due - performance.now()));
  }
}

async function measurePush(gateways: number, rate: number, seconds: number): Promise<void> {
  using folder = temporaryFolder();
  using siteFolder = temporaryFolder();
  await using site = await openStore({ folder: siteFolder.path, clock: Date.now, random });
  const database = await server.database();
  await using cloud = await openDatabaseStore({
    folder: folder.path,
    role: 'cloud',
    clock: Date.now,
    random,
    database,
  });
  const times: number[] = [];
  const until_ms = performance.now() + seconds * 1000;
  const projects = Array.from({ length: gateways }, (_, i) => `prj_bench_${i}`);
  await Promise.all(
    projects.map(async (project, i) => {
      await pause((1000 * i) / gateways);
      await runSite(site, cloud, project, rate, until_ms, times);
    }),
  );
  times.sort((a, b) => a - b);
  const at = (share: number): number => Math.round(times[Math.floor(times.length * share)] ?? 0);
  const head = await Promise.all(projects.map((project) => cloud.sync.run(project, (tx) => tx.head().n)));
  const changes = head.reduce((sum, n) => sum + n, 0);
  say('push', {
    gateways,
    changes_a_second: Math.round(changes / seconds),
    pushes: times.length,
    p50_ms: at(0.5),
    p99_ms: at(0.99),
  });
}

await measureFeed(Number(args.changes));
await measureOnce(Number(args.keys));
await measurePush(Number(args.gateways), Number(args.rate), Number(args.seconds));
