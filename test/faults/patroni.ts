/**
 * Head office on PostgreSQL with high availability: three servers under Patroni with etcd, synchronous replication, and two processes of
 * head office. Clients write all the time, and a site replicates. Again and again the primary and its Patroni are killed with `kill -9` at a
 * random instant, and come back when another server has taken over. At the end everything that was acknowledged is there, once.
 *
 *   node test/faults/patroni.ts [KILLS] [SEED]      npm run faults:patroni      (apt-get install patroni etcd-server)
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { chownSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, connect as dial, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '#contract/client.ts';
import { lastingPort, OWNER_KEY } from '#test/support/gateway.ts';
import { account, programs, queryOnce } from '#test/support/postgres.ts';
import { randomOf } from '#test/support/random-of.ts';
import { until } from '#test/support/until.ts';
import { End, enrol } from '#test/sync/ends.ts';

const KILLS = Number(process.argv[2] ?? 20);
const SEED = Number(process.argv[3] ?? Date.now() % 2 ** 31);
const SERVERS = 3;
const WRITERS = 4;
const random = randomOf(SEED);
const bin = programs();
if (bin === undefined) throw new Error('no PostgreSQL');
const user = account();
const root = mkdtempSync(join(tmpdir(), 'headframe-patroni-'));
if (user !== undefined) chownSync(root, user.uid, user.gid);
const etcd = { client: await lastingPort(), peer: await lastingPort() };

/** A PostgreSQL server with its Patroni. */
class Server {
  readonly name: string;
  readonly folder: string;
  port = 0;
  rest = 0;
  #patroni: ChildProcess | undefined;

  constructor(n: number) {
    this.name = `pg${n}`;
    this.folder = join(root, this.name);
    mkdirSync(this.folder);
    if (user !== undefined) chownSync(this.folder, user.uid, user.gid);
  }

  async start(): Promise<void> {
    this.port ||= await lastingPort();
    this.rest ||= await lastingPort();
    const login = (username: string) => ({ username, password: 'x' });
    const config = {
      ...{ scope: 'headframe', name: this.name },
      restapi: { listen: `127.0.0.1:${this.rest}`, connect_address: `127.0.0.1:${this.rest}` },
      etcd3: { hosts: `127.0.0.1:${etcd.client}` },
      bootstrap: {
        dcs: {
          ...{ ttl: 20, loop_wait: 2, retry_timeout: 5, maximum_lag_on_failover: 1 << 20 },
          ...{ synchronous_mode: true, synchronous_mode_strict: true },
          postgresql: {
            ...{ use_pg_rewind: true, use_slots: true },
            parameters: { wal_log_hints: 'on', max_connections: 60, shared_buffers: '32MB', wal_keep_size: '256MB' },
          },
        },
        initdb: [{ encoding: 'UTF8' }, { locale: 'C' }],
      },
      postgresql: {
        ...{ listen: `127.0.0.1:${this.port}`, connect_address: `127.0.0.1:${this.port}` },
        ...{ data_dir: join(this.folder, 'data'), bin_dir: bin, pgpass: join(this.folder, 'pgpass') },
        pg_hba: ['local all all trust', 'host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
        authentication: { superuser: login('headframe'), replication: login('replicator'), rewind: login('headframe') },
        parameters: { unix_socket_directories: this.folder },
      },
    };
    const file = join(this.folder, 'patroni.json');
    writeFileSync(file, JSON.stringify(config));
    this.#patroni = spawn('patroni', [file], { ...user, cwd: this.folder, stdio: 'ignore' });
  }

  /** Kills Patroni and the server at once, as a power cut does. */
  async kill(): Promise<void> {
    const patroni = this.#patroni;
    if (patroni === undefined) return;
    const ended = new Promise((resolve) => patroni.once('exit', resolve));
    patroni.kill('SIGKILL');
    const [pid] = readFileSync(join(this.folder, 'data', 'postmaster.pid'), 'utf8').split('\n');
    process.kill(Number(pid), 'SIGKILL');
    await ended;
    this.#patroni = undefined;
  }

  async stop(): Promise<void> {
    const patroni = this.#patroni;
    if (patroni === undefined) return;
    const ended = new Promise((resolve) => patroni.once('exit', resolve));
    patroni.kill('SIGTERM');
    await ended;
  }

  /** True if Patroni says that this server is in this state, such as `primary` or `synchronous`. */
  async is(state: string): Promise<boolean> {
    const asked = fetch(`http://127.0.0.1:${this.rest}/${state}`, { signal: AbortSignal.timeout(2_000) });
    return await asked.then(
      ({ status }) => status === 200,
      () => false,
    );
  }
}

const servers = Array.from({ length: SERVERS }, (_, i) => new Server(i + 1));
const primary = async (): Promise<Server | undefined> => {
  const answers = await Promise.all(servers.map((server) => server.is('primary')));
  return servers.find((_, i) => answers[i]);
};

/** The address of a router that passes connections to the primary. HAProxy does the same with the check `GET /primary`. */
function startRouter(): Promise<{ readonly port: number; close(): void }> {
  const sockets = new Set<Socket>();
  const router = createServer(async (client) => {
    sockets.add(client);
    client.on('error', () => {});
    const to = await primary();
    if (to === undefined) return void client.destroy();
    const server = dial(to.port, '127.0.0.1');
    sockets.add(server);
    server.on('error', () => {});
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const)
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    client.pipe(server).pipe(client);
  });
  return new Promise((resolve) => {
    router.listen(0, '127.0.0.1', () => {
      const { port } = router.address() as { port: number };
      const close = (): void => {
        router.close();
        for (const socket of sockets) socket.destroy();
      };
      resolve({ port, close });
    });
  });
}

const say = (what: string): void => console.log(`${new Date().toISOString()}  ${what}`);
await using opened = new AsyncDisposableStack();
opened.defer(() => rmSync(root, { recursive: true, force: true }));
const store = spawn(
  'etcd',
  [
    ...[
      '--data-dir',
      join(root, 'etcd'),
      '--name',
      'etcd1',
      '--initial-cluster',
      `etcd1=http://127.0.0.1:${etcd.peer}`,
    ],
    ...['--listen-client-urls', `http://127.0.0.1:${etcd.client}`],
    ...['--advertise-client-urls', `http://127.0.0.1:${etcd.client}`],
    ...['--listen-peer-urls', `http://127.0.0.1:${etcd.peer}`],
    ...['--initial-advertise-peer-urls', `http://127.0.0.1:${etcd.peer}`],
  ],
  { ...user, cwd: root, stdio: 'ignore' },
);
opened.defer(() => void store.kill('SIGKILL'));
for (const server of servers) opened.defer(() => server.stop());
for (const server of servers) await server.start();
await until(primary, 'a primary');
const hasStandby = async () => (await Promise.all(servers.map((server) => server.is('synchronous')))).includes(true);
const allRun = async () => (await Promise.all(servers.map((server) => server.is('health')))).every(Boolean);
await until(hasStandby, 'a synchronous standby');
await until(allRun, 'all servers run');
const router = await startRouter();
opened.defer(() => router.close());
const url = `postgres://headframe@127.0.0.1:${router.port}/postgres`;
say(`three servers run; seed ${SEED}`);

const settings = { HEADFRAME_ROLE: 'cloud', HEADFRAME_DATABASE: url };
const one = opened.use(await new End(settings).start());
const other = opened.use(new End(settings));
copyFileSync(join(one.folder, 'secret.key'), join(other.folder, 'secret.key'));
await other.start();
const offices = [one, other];
const site = opened.use(await new End({}).start());
const siteProject = await enrol(one, site, `http://127.0.0.1:${one.port}`);
await site.inStep();

const { project } = await one.client().call('projects_create', { name: 'Yard', timezone: 'UTC' });
const machine = await one.client(project.id).call('equipment_create', { unit_number: 'HT-1' });
const siteMachine = await site.client(siteProject).call('equipment_create', { unit_number: 'ST-1' });
const acknowledged = new Set<string>();
let repeated = 0;
let longest_ms = 0;
let stop = false;

/** Appends events at one of the processes until each is acknowledged. A repeated call has the same Idempotency-Key. */
async function write(writer: number): Promise<void> {
  for (let i = 0; !stop; i++) {
    const litres = i * 10 + writer;
    const begun = performance.now();
    for (let tries = 0; ; tries++) {
      const { port } = offices[(writer + tries) % offices.length] as End;
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/equipment/${machine.id}/events`, {
        method: 'POST',
        headers: {
          ...{ authorization: `Bearer ${OWNER_KEY}`, 'project-id': project.id, 'content-type': 'application/json' },
          'idempotency-key': `event-${litres}`,
        },
        body: JSON.stringify({ type: 'fuel.added', data: { litres } }),
      }).catch(() => undefined);
      const text = await answer?.text().catch(() => '');
      if (answer !== undefined && answer.status < 300) break;
      if (answer !== undefined && answer.status < 500 && answer.status !== 429 && answer.status !== 409)
        throw new Error(`an event was answered ${answer.status}: ${text}`);
      repeated++;
      await sleep(200);
    }
    longest_ms = Math.max(longest_ms, performance.now() - begun);
    acknowledged.add(String(litres));
  }
}

/** Renames a machine at the site, which sends it to head office. */
async function rename(): Promise<number> {
  let names = 0;
  const client = site.client(siteProject);
  while (!stop) {
    await client.call('equipment_update', { id: siteMachine.id, name: `Truck ${++names}` });
    await client.call('equipment_append_event', { id: siteMachine.id, type: 'fuel.added', data: { litres: names } });
    await sleep(500);
  }
  return names;
}

const work = Promise.all(Array.from({ length: WRITERS }, (_, i) => write(i + 1)));
const renaming = rename();
let failed = false;
work.catch((error: unknown) => {
  say(String(error));
  failed = stop = true;
});
const outages: number[] = [];
for (let kill = 1; kill <= KILLS && !failed; kill++) {
  await sleep(random() * 6_000);
  const killed = (await primary()) as Server;
  const before = acknowledged.size;
  const begun = performance.now();
  await killed.kill();
  await until(async () => {
    const now = await primary();
    return now !== undefined && now !== killed;
  }, 'another server takes over');
  const taken = performance.now() - begun;
  const at = acknowledged.size;
  await until(() => acknowledged.size > at + WRITERS * 2, 'head office goes on');
  outages.push(performance.now() - begun);
  await killed.start();
  await until(allRun, 'the killed server is back');
  await until(hasStandby, 'a synchronous standby');
  say(
    `kill ${kill}: ${killed.name} after ${before} events; another primary after ${(taken / 1000).toFixed(1)} s, writes go on after ${((outages.at(-1) ?? 0) / 1000).toFixed(1)} s`,
  );
}
stop = true;
await work;
const names = await renaming;
say(`${acknowledged.size} events were acknowledged; all must be there once`);

const reader = createClient({ base_url: `http://127.0.0.1:${other.port}`, key: OWNER_KEY, project_id: project.id });
const counts = new Map<string, number>();
for (let cursor: string | null | undefined; cursor !== null; ) {
  const page = await reader.call('equipment_events', {
    id: machine.id,
    limit: 200,
    ...(cursor !== undefined && { cursor }),
  });
  for (const { type, data } of page.data)
    if (type === 'fuel.added') counts.set(String(data.litres), (counts.get(String(data.litres)) ?? 0) + 1);
  cursor = page.next_cursor;
}
const lost = [...acknowledged].filter((litres) => !counts.has(litres));
const twice = [...counts].filter(([, count]) => count > 1);
await site.inStep();
const there = await one.client(siteProject).call('equipment_get', { id: siteMachine.id });
const isSame = there.name === `Truck ${names}`;
const [row] = await queryOnce(url, "SELECT state::jsonb->'incarnation'->>'number' FROM headframe.node");
outages.sort((a, b) => a - b);
const seconds = (share: number): string => ((outages[Math.ceil(outages.length * share) - 1] ?? 0) / 1000).toFixed(1);
say(
  `${KILLS} kills: ${lost.length} lost, ${twice.length} twice; ${repeated} calls were repeated, the longest took ${(longest_ms / 1000).toFixed(1)} s; writes stopped for ${seconds(0.5)} s (median), ${seconds(1)} s (longest); incarnation ${row?.[0]}; the site is in step, ${isSame ? 'with' : 'WITHOUT'} its last of ${names} names`,
);
process.exitCode = lost.length + twice.length > 0 || !isSame ? 1 : 0;
