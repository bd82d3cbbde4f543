/** Webhooks of several processes with one database, which are killed and stopped while they send. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { type Client, createClient } from '#contract/client.ts';
import { openSealer } from '#gateway/sealer.ts';
import { OWNER_KEY } from '#test/support/gateway.ts';
import { noPostgres, startPostgres } from '#test/support/postgres.ts';
import { soon, until } from '#test/support/until.ts';

const CHILD = join(import.meta.dirname, 'webhook-child.ts');
const SENT_A_ROUND = 40;

/** A process of head office. */
class Office {
  readonly folder = mkdtempSync(join(tmpdir(), 'headframe-office-'));
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly #ready = Promise.withResolvers<string>();
  isHolder = false;

  constructor(key: string, database: string) {
    cpSync(join(key, 'secret.key'), join(this.folder, 'secret.key'));
    const child = spawn(process.execPath, [CHILD, this.folder, database], { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#child = child;
    this.#ended = new Promise((resolve) => child.once('exit', resolve));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const { http, msg } = JSON.parse(line) as { http?: string; msg?: string };
      if (http !== undefined && msg === undefined) this.#ready.resolve(http);
      if (msg === 'this process does the background work') this.isHolder = true;
      if (msg === 'another process does the background work') this.isHolder = false;
    });
  }

  async client(project_id?: string): Promise<Client> {
    const base_url = await soon(this.#ready.promise, 'a process is ready');
    return createClient({ base_url, key: OWNER_KEY, ...(project_id !== undefined && { project_id }) });
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.#ended;
    rmSync(this.folder, { recursive: true, force: true });
  }
}

test('[S116] webhooks go on in another process after kill -9 and SIGSTOP: no event is lost, at most one delivery is sent again each time, and each counts once', {
  skip: noPostgres,
}, async () => {
  await using server = await startPostgres();
  await using opened = new AsyncDisposableStack();
  const database = await server.database();
  const folder = mkdtempSync(join(tmpdir(), 'headframe-key-'));
  opened.defer(() => rmSync(folder, { recursive: true, force: true }));
  openSealer(folder);
  const calls: string[] = [];
  const receiver = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    calls.push(JSON.parse(body).data.data.litres);
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  opened.defer(() => void receiver.close());
  const offices: Office[] = [];
  const begin = async (): Promise<Client> => {
    const office = new Office(folder, database);
    offices.push(office);
    return await office.client();
  };
  opened.defer(async () => {
    await Promise.all(offices.map((office) => office.kill()));
  });
  const first = await begin();
  await begin();
  const { project } = await first.call('projects_create', { name: 'Yard', timezone: 'UTC' });
  const clientOf = async (office: Office | undefined) => (await office?.client(project.id)) as Client;
  let client = await clientOf(offices[0]);
  const { id } = await client.call('equipment_create', { unit_number: 'HT-1' });
  const { port } = receiver.address() as AddressInfo;
  const { endpoint } = await client.call('webhook_endpoints_create', {
    ...{ url: `http://hook.test:${port}/in`, kinds: ['fuel.added'], allow_private: true },
  });
  let appended = 0;
  for (const end of ['SIGKILL', 'SIGSTOP', 'SIGKILL'] as const) {
    const from = appended;
    await until(() => offices.some(({ isHolder }) => isHolder), 'a process holds the lease');
    const holder = offices.find(({ isHolder }) => isHolder) as Office;
    const others = offices.filter((office) => office !== holder);
    client = await clientOf(others[0]);
    const appending = (async () => {
      for (let i = 0; i < SENT_A_ROUND; i++) {
        const litres = ++appended;
        await client.call('equipment_append_event', { id, type: 'fuel.added', data: { litres } });
      }
    })();
    await until(() => calls.length > from + 5, 'some events are delivered');
    holder.signal(end);
    await appending;
    await until(() => others.some(({ isHolder }) => isHolder), 'another process holds the lease');
    await until(() => new Set(calls).size === appended, 'all events are delivered');
    if (end === 'SIGSTOP') {
      holder.signal('SIGCONT');
      await until(() => !holder.isHolder, 'the process that goes on finds out that it lost the lease');
    } else {
      await holder.kill();
      offices.splice(offices.indexOf(holder), 1);
      await begin();
    }
  }
  const counts = async () => (await client.call('webhook_endpoints_get', { id: endpoint.id })).delivery;
  await until(async () => (await counts()).pending === 0, 'nothing is pending');
  const { delivered_total, dead_total, dropped_total } = await counts();
  assert.deepEqual([delivered_total, dead_total, dropped_total], [appended, 0, 0]);
  assert.ok(calls.length <= appended + 3, `${calls.length - appended} deliveries were sent again`);
});
