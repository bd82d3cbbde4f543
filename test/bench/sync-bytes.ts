/**
 * `node test/bench/sync-bytes.ts [--changes 100] [--pouchdb FOLDER]`: bytes on the network for each change, headers of HTTP included, between a
 * site and head office, beside replication by RxDB over plain HTTP, and beside PouchDB and its server. A change is the new name of a machine
 * and its event; all three send the same documents. FOLDER is a folder of npm with pouchdb, pouchdb-adapter-memory, express-pouchdb and
 * express, which are not dependencies of this project: `npm i pouchdb@9 pouchdb-adapter-memory@9 express-pouchdb@4 express@4`.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createRxDatabase, type RxCollection, type RxJsonSchema } from 'rxdb/plugins/core';
import { replicateRxCollection } from 'rxdb/plugins/replication';
import { getRxStorageMemory } from 'rxdb/plugins/storage-memory';
import { openRig } from '#test/support/handler-rig.ts';
import { until } from '#test/support/until.ts';
import { End, enrol } from '#test/sync/ends.ts';
import { type Bytes, startRecorder } from './http-recorder.ts';

const { values } = parseArgs({ options: { changes: { type: 'string', default: '100' }, pouchdb: { type: 'string' } } });
const n = Number(values.changes);
const SINGLES = 5;
/** Live replication is done when nothing was sent for this time. */
const QUIET_MS = 1_500;

/** A site reads the live state of machines from its change feed this often. */
const LIVE_MS = 12_000;

const machineOf = (i: number) => ({
  unit_number: `HT-${i}`,
  name: `Haul truck ${i}`,
  oem_name: 'Caterpillar',
  model: '777G',
  serial_number: `CAT0777G${1_000 + i}`,
});
const batchName = (i: number): string => `Truck of crew ${i}`;
const singleName = (i: number): string => `Single ${i}`;

interface Document {
  readonly id: string;
  readonly [field: string]: unknown;
}

/** The documents of each change, as the store has them: the machine and its event. */
interface Changes {
  readonly first: readonly Document[];
  readonly batch: readonly (readonly Document[])[];
  readonly singles: readonly (readonly Document[])[];
}

async function makeChanges(): Promise<Changes> {
  await using rig = await openRig();
  const ids: string[] = [];
  for (let i = 0; i < n; i++) ids.push(((await rig.call('equipment_create', machineOf(i))) as { id: string }).id);
  const seen = new Set<string>();
  const view = rig.store.view(rig.project);
  const read = async (id: string): Promise<Document[]> => {
    const machine = await view.get('records', id);
    const events = await view.find('events', { object: 'event', where: { 'data.subject.id': id }, limit: 100 });
    const fresh = events.filter((event) => !seen.has(event.id));
    for (const { id: event } of fresh) seen.add(event);
    return [machine, ...fresh].flatMap((document) => (document === undefined ? [] : [{ ...document } as Document]));
  };
  const rename = async (id: string, name: string): Promise<Document[]> => {
    await rig.call('equipment_update', { id, name });
    return read(id);
  };
  const first: Document[] = [];
  for (const id of ids) first.push(...(await read(id)));
  const batch: Document[][] = [];
  for (const [i, id] of ids.entries()) batch.push(await rename(id, batchName(i)));
  const singles: Document[][] = [];
  for (let i = 0; i < SINGLES; i++) singles.push(await rename(ids[i] ?? '', singleName(i)));
  return { first, batch, singles };
}

interface Result {
  readonly batch: Bytes;
  readonly single: Bytes;
}

/** Waits until nothing more is sent, and returns the bytes since the last call. */
async function settled(take: () => Bytes): Promise<Bytes> {
  let all: Bytes = { messages: 0, plain: 0, gzipped: 0 };
  for (;;) {
    await sleep(QUIET_MS);
    const more = take();
    if (more.messages === 0) return all;
    all = {
      messages: all.messages + more.messages,
      plain: all.plain + more.plain,
      gzipped: all.gzipped + more.gzipped,
    };
  }
}

const mean = (list: readonly Bytes[]): Bytes => {
  const of = (key: keyof Bytes): number => list.reduce((sum, each) => sum + each[key], 0) / list.length;
  return { messages: of('messages'), plain: of('plain'), gzipped: of('gzipped') };
};

async function measureOurs(): Promise<Result> {
  await using cloud = await new End({ HEADFRAME_ROLE: 'cloud' }).start();
  await using site = await new End({}).start();
  await using recorder = await startRecorder(cloud.port);
  const project = await enrol(cloud, site, `http://127.0.0.1:${recorder.port}`);
  const client = site.client(project);
  const ids: string[] = [];
  for (let i = 0; i < n; i++) ids.push((await client.call('equipment_create', machineOf(i))).id);
  // The live documents of the new machines are read from the change feed some seconds later.
  await sleep(LIVE_MS);
  await site.inStep();
  await settled(recorder.take);
  // The changes are made while head office does not run, and sent when it is back.
  await cloud.kill();
  for (const [i, id] of ids.entries()) await client.call('equipment_update', { id, name: batchName(i) });
  await cloud.start();
  await site.inStep();
  const batch = await settled(recorder.take);
  const singles: Bytes[] = [];
  for (let i = 0; i < SINGLES; i++) {
    await client.call('equipment_update', { id: ids[i] ?? '', name: singleName(i) });
    await until(async () => (await site.status()).projects.every(({ waiting }) => waiting === 0), 'it was sent');
    singles.push(await settled(recorder.take));
  }
  return { batch, single: mean(singles) };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as { port: number }).port;
}

interface Row {
  readonly id: string;
  readonly document: object;
}

const SCHEMA: RxJsonSchema<Row> = {
  version: 0,
  primaryKey: 'id',
  type: 'object',
  properties: { id: { type: 'string', maxLength: 100 }, document: { type: 'object', additionalProperties: true } },
  required: ['id', 'document'],
};

/** RxDB's replication with handlers that send JSON, as its documentation shows them. The server takes everything. */
async function measureRxdb({ first, batch, singles }: Changes): Promise<Result> {
  const server = createServer((request, response) => {
    void bodyOf(request).then(() => {
      response.setHeader('content-type', 'application/json');
      response.end(request.method === 'POST' ? '[]' : '{"documents":[],"checkpoint":null}');
    });
  });
  await using recorder = await startRecorder(await listen(server));
  const database = await createRxDatabase({ name: `bytes${process.pid}`, storage: getRxStorageMemory() });
  const { machines, events } = (await database.addCollections({
    machines: { schema: SCHEMA },
    events: { schema: SCHEMA },
  })) as unknown as { machines: RxCollection<Row>; events: RxCollection<Row> };
  const headers = { 'content-type': 'application/json', authorization: `Bearer gw_${'A'.repeat(47)}` };
  const states = [machines, events].map((collection) =>
    replicateRxCollection<Row, { updated_at: string } | undefined>({
      collection,
      replicationIdentifier: 'bytes',
      push: {
        batchSize: 100,
        async handler(rows) {
          const url = `http://127.0.0.1:${recorder.port}/${collection.name}/push`;
          return (await (await fetch(url, { method: 'POST', headers, body: JSON.stringify(rows) })).json()) as [];
        },
      },
      pull: {
        batchSize: 100,
        async handler(checkpoint) {
          const url = `http://127.0.0.1:${recorder.port}/${collection.name}/pull?after=${checkpoint?.updated_at ?? ''}`;
          return (await (await fetch(url, { headers })).json()) as { documents: []; checkpoint: undefined };
        },
      },
    }),
  );
  const write = async (documents: readonly Document[]): Promise<void> => {
    const isEvent = ({ object }: Document): boolean => object === 'event';
    const rows = (of: readonly Document[]): Row[] => of.map(({ id, ...document }) => ({ id, document }));
    await machines.bulkUpsert(rows(documents.filter((document) => !isEvent(document))));
    await events.bulkUpsert(rows(documents.filter(isEvent)));
  };
  await write(first);
  for (const state of states) await state.awaitInSync();
  await settled(recorder.take);
  await write(batch.flat());
  const all = await settled(recorder.take);
  const each: Bytes[] = [];
  for (const change of singles) {
    await write(change);
    each.push(await settled(recorder.take));
  }
  for (const state of states) await state.cancel();
  await database.close();
  server.close();
  server.closeAllConnections();
  return { batch: all, single: mean(each) };
}

interface Pouch {
  new (
    name: string,
    options?: object,
  ): {
    bulkDocs(documents: readonly object[], options?: object): Promise<{ id: string; rev: string }[]>;
    replicate: { to(url: string, options: object): { cancel(): void } };
  };
  plugin(plugin: unknown): void;
  defaults(options: object): Pouch;
}

/** PouchDB to a PouchDB server, by the protocol of CouchDB. */
async function measurePouch(folder: string, { first, batch, singles }: Changes): Promise<Result> {
  const load = createRequire(join(folder, 'package.json'));
  const PouchDB = load('pouchdb') as Pouch;
  PouchDB.plugin(load('pouchdb-adapter-memory'));
  const app = (load('express') as () => { use(path: string, handler: unknown): void })();
  const Memory = PouchDB.defaults({ adapter: 'memory' });
  app.use(
    '/',
    (load('express-pouchdb') as (pouch: Pouch, options: object) => unknown)(Memory, {
      inMemoryConfig: true,
      logPath: '/dev/null',
    }),
  );
  const server = createServer(app as never);
  await using recorder = await startRecorder(await listen(server));
  const local = new PouchDB('here', { adapter: 'memory' });
  const revisions = new Map<string, string>();
  const write = async (documents: readonly Document[]): Promise<void> => {
    const rows = documents.map(({ id, ...rest }) => ({
      _id: id,
      ...(revisions.has(id) && { _rev: revisions.get(id) }),
      ...rest,
    }));
    for (const { id, rev } of await local.bulkDocs(rows)) revisions.set(id, rev);
  };
  await write(first);
  const running = local.replicate.to(`http://127.0.0.1:${recorder.port}/there`, { live: true, batch_size: 200 });
  await settled(recorder.take);
  await write(batch.flat());
  const all = await settled(recorder.take);
  const each: Bytes[] = [];
  for (const change of singles) {
    await write(change);
    each.push(await settled(recorder.take));
  }
  running.cancel();
  server.close();
  server.closeAllConnections();
  return { batch: all, single: mean(each) };
}

const changes = await makeChanges();
const ours = await measureOurs();
const peers: [name: string, result: Result][] = [['RxDB over HTTP', await measureRxdb(changes)]];
if (values.pouchdb !== undefined)
  peers.push(['PouchDB to PouchDB server', await measurePouch(values.pouchdb, changes)]);

const show = (bytes: number): string => bytes.toFixed(0).padStart(7);
const row = (name: string, { batch, single }: Result): void => {
  const per = [batch.plain / n, batch.gzipped / n, single.plain, single.gzipped].map(show).join('');
  process.stdout.write(`${name.padEnd(28)}${per}   ${batch.messages / 2} and ${single.messages / 2} requests\n`);
};
process.stdout.write(
  `${'bytes a change'.padEnd(28)}  plain   gzip  plain   gzip   (${n} changes in a batch; a single change)\n`,
);
row('Headframe', ours);
for (const [name, result] of peers) {
  row(name, result);
  const ratios = [
    ours.batch.plain / result.batch.plain,
    ours.batch.plain / result.batch.gzipped,
    ours.single.plain / result.single.plain,
    ours.single.plain / result.single.gzipped,
  ];
  process.stdout.write(
    `${'  Headframe divided by it'.padEnd(28)}${ratios.map((ratio) => ratio.toFixed(2).padStart(7)).join('')}\n`,
  );
}
