/**
 * Random histories of two sites and head office as real processes: `node test/faults/sync-histories.ts [SEEDS] [FIRST_SEED] [STEPS]`. People
 * write, change lists, upload photos and make tasks at all ends while links are cut, requests are lost and repeated, processes are killed,
 * clocks jump in processes that run, disks are put back and copied, and one end has another version. Then all faults end, and both ends of
 * each site must have the same state, with every value, entry and photo readable, and say so. Each run must have been carried out at the end
 * where its task was made, and no list may be blank.
 *
 * With `--postgres` head office is two processes with one PostgreSQL database, which is not put back, and there are no photos.
 */
import assert from 'node:assert/strict';
import { copyFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Client, ClientError } from '#contract/client.ts';
import { Random } from '#test/sim/random.ts';
import { type Balancer, startBalancer } from '#test/support/balancer.ts';
import { type CutProxy, NO_HARM, startCutProxy } from '#test/support/cut-proxy.ts';
import { addMachine } from '#test/support/gateway.ts';
import { type PostgresServer, startPostgres } from '#test/support/postgres.ts';
import { until } from '#test/support/until.ts';
import { End } from '#test/sync/ends.ts';
import { WrongClock } from './sync-clock.ts';
import { Lists } from './sync-lists.ts';
import { writtenAt } from './sync-origins.ts';
import { write } from './sync-people.ts';
import { contentAt } from './sync-photos.ts';
import { digestOf } from './sync-state.ts';
import { nextStep, REFUSALS } from './sync-steps.ts';
import { Model, Tasks } from './sync-tasks.ts';
import { type Box, Truth } from './sync-truth.ts';

const HARM = { before: 0.1, after: 0.15, again: 0.1, delay_ms: 10 };
/** Seconds by which the clock of a process is wrong. */
const CLOCKS = [0, 0, -240, 45, 240, 7_200];
/** Time between two looks at both ends. A live value is stored and sent within 20 s, and an end answers 6,000 requests in a minute. */
const LOOK_MS = 500;
const VERSION = pathToFileURL(join(import.meta.dirname, '..', 'support', 'other-version.ts')).href;

type Settings = Readonly<Record<string, string>>;

/** A folder that is kept to put a disk back. */
interface Backup {
  readonly folder: string;
  readonly held: ReadonlyMap<Site, ReadonlySet<object>>;
}

/** An end of a history. */
interface Place {
  readonly name: string;
  readonly version: Settings;
  clock: WrongClock;
  end: End;
  backup: Backup | undefined;
}

interface Site extends Place {
  readonly truth: Truth;
  readonly lists: Lists;
  readonly tasks: Tasks;
  readonly model: Model;
  readonly proxy: CutProxy;
  readonly project: string;
  /** A device of the site, whose meter only rises. */
  readonly device: string;
  readonly machine: string;
  hours: number;
}

/** What a history must keep for a site. */
const kept = ({ truth, lists, tasks }: Site) => [truth, lists, tasks] as const;

class History {
  readonly #random: Random;
  readonly #say: (text: string) => void;
  readonly #stack = new AsyncDisposableStack();
  readonly #server: PostgresServer | undefined;
  readonly #sites: Site[] = [];
  #cloud!: Place;
  #other: End | undefined;
  /** The entries that lists have at the begin have smaller numbers. */
  #count = 10;
  readonly counts: Record<string, number> = {};

  constructor(seed: number, server: PostgresServer | undefined, say: (text: string) => void) {
    this.#random = new Random(seed);
    this.#server = server;
    this.#say = say;
  }

  /** Starts a process whose clock is perhaps wrong. */
  async #start({ clock, end, version }: Place): Promise<void> {
    clock.set(this.#random.pick(CLOCKS));
    await end.start({ ...version, ...clock.settings });
  }

  async begin(): Promise<void> {
    const random = this.#random;
    const newer = random.int(3);
    const version = (i: number): Settings =>
      newer === i ? { NODE_OPTIONS: `--import=${VERSION}`, TEST_VERSION: 'newer' } : {};
    const database = await this.#server?.database();
    const settings = { HEADFRAME_ROLE: 'cloud', ...(database !== undefined && { HEADFRAME_DATABASE: database }) };
    const end = this.#stack.use(new End(settings));
    const clock = this.#stack.use(new WrongClock());
    this.#cloud = { name: 'head office', version: version(2), clock, end, backup: undefined };
    await this.#start(this.#cloud);
    let port = end.port;
    if (database !== undefined) {
      this.#other = this.#stack.use(new End(settings));
      copyFileSync(join(end.folder, 'secret.key'), join(this.#other.folder, 'secret.key'));
      await this.#other.start(this.#cloud.version);
      const balancer: Balancer = this.#stack.use(await startBalancer([end.port, this.#other.port]));
      port = balancer.port;
    }
    for (const [i, name] of ['north', 'south'].entries()) await this.#addSite(name, version(i), port);
  }

  async #addSite(name: string, version: Settings, port: number): Promise<void> {
    const proxy = this.#stack.use(await startCutProxy(port, this.#random.int(1_000_000)));
    const end = this.#stack.use(new End({}));
    const clock = this.#stack.use(new WrongClock());
    await end.start({ ...version, ...clock.settings });
    const { project } = await end.client().call('projects_create', { name, timezone: 'UTC' });
    const { code } = await this.#cloud.end.client().call('sync_enrolments_create', { name });
    const client = end.client(project.id);
    const { device, equipment_id } = await addMachine(client, `${name}-0`);
    await end.client().call('sync_link_set', { cloud_url: `http://127.0.0.1:${proxy.port}`, code });
    const site: Site = {
      ...{ name, version, clock, end, backup: undefined, truth: new Truth(), proxy, project: project.id },
      ...{ device, machine: equipment_id, hours: 100 },
      ...{ lists: new Lists(), tasks: new Tasks(), model: this.#stack.use(new Model(name)) },
    };
    await site.lists.begin(site, client, equipment_id);
    await site.tasks.begin(site, client);
    await end.inStep();
    this.#sites.push(site);
  }

  /** Ends the process of an end as a power cut does. */
  async #kill(place: Place): Promise<void> {
    await place.end.kill();
    for (const { tasks } of this.#sites) tasks.ended(place);
  }

  #client(site: Site, isOffice: boolean): Client {
    return (isOffice ? this.#cloud.end : site.end).client(site.project);
  }

  /** A person writes at one end. A write that the end refuses is none. */
  async #write(site: Site): Promise<void> {
    const at = this.#random.chance(0.4) ? this.#cloud : site;
    await this.#change(site, at).catch((error: unknown) => {
      if (!(error instanceof ClientError) || !REFUSALS.has(error.code ?? '')) throw error;
    });
    if (this.#random.chance(0.3)) await this.#measure(site);
  }

  async #change(site: Site, at: Place): Promise<void> {
    const random = this.#random;
    const client = at.end.client(site.project);
    const n = ++this.#count;
    const dice = random.int(10);
    if (dice < 3) await site.tasks.change(random, site, at, client, n);
    else if (dice < 6) await site.lists.change(random, at, client, n, 'TEST_VERSION' in at.version);
    else await write({ random, at, truth: site.truth, client, n }, site.name, this.#server === undefined);
  }

  async #measure(site: Site): Promise<void> {
    site.hours += 1;
    const points = [{ values: { 'engine.hours': site.hours } }];
    await site.end.client(site.project).call('devices_telemetry', { id: site.device, points });
  }

  async #keep(place: Place): Promise<void> {
    await this.#kill(place);
    const folder = this.#stack.adopt(mkdtempSync(join(tmpdir(), 'headframe-kept-')), (path) =>
      rmSync(path, { recursive: true, force: true }),
    );
    cpSync(place.end.folder, folder, { recursive: true });
    const held = this.#sites.map(
      (site) => [site, new Set(kept(site).flatMap((one) => [...one.heldBy(place)]))] as const,
    );
    place.backup = { folder, held: new Map(held) };
    await this.#start(place);
  }

  /** Puts the disk of an end back. It is not told. */
  async #putBack(place: Place): Promise<void> {
    const { backup } = place;
    if (backup === undefined) return;
    await this.#kill(place);
    rmSync(place.end.folder, { recursive: true, force: true });
    cpSync(backup.folder, place.end.folder, { recursive: true });
    for (const [site, held] of backup.held)
      if (place === site || place === this.#cloud) for (const one of kept(site)) one.putBack(place, held);
    await this.#start(place);
  }

  /** A copy of the disk runs beside the site until one of the two is fenced. The other one goes on as the site. */
  async #copy(site: Site): Promise<void> {
    await this.#heal(site);
    await this.#kill(site);
    site.tasks.copied(site);
    site.tasks.ended(site);
    const copy = site.end.clone();
    this.#stack.use(copy);
    const clock = this.#stack.use(new WrongClock());
    await Promise.all([this.#start(site), this.#start({ ...site, clock, end: copy })]);
    const boxes = [site.end, copy];
    const states: (string | null)[] = [];
    const write = async (box: End) => {
      const n = ++this.#count;
      await box.client(site.project).call('equipment_create', { unit_number: `${site.name}-c${n}` });
    };
    await until(
      async () => {
        states.splice(0, 2, ...(await Promise.all(boxes.map(async (box) => (await box.status()).state))));
        for (const box of boxes) await write(box);
        return states.includes('fenced');
      },
      'one of two boxes is fenced',
      LOOK_MS,
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}: ${states.join(', ')}`);
    });
    const fenced = states.indexOf('fenced');
    assert.equal(states.filter((state) => state === 'fenced').length, 1, 'one of two boxes is fenced, not both');
    await boxes[fenced]?.kill();
    site.end = boxes[1 - fenced] as End;
    if (fenced === 0) site.clock = clock;
    // The earlier backups are of a box that may be fenced now.
    site.backup = undefined;
  }

  /** Opens the link of a site and waits until both ends have everything. */
  async #heal(site: Site): Promise<void> {
    site.proxy.harm = NO_HARM;
    site.proxy.open();
    site.model.answer();
    await this.#inStep(site);
  }

  /** Returns true if the site says that head office has everything that is on a disk; head office must then have it. */
  async #inStep(site: Site): Promise<boolean> {
    await site.end.inStep();
    const { data } = await site.end.client().call('sync_verify', {});
    const [receipt] = data;
    if (receipt === undefined) return false;
    const { verdict } = receipt;
    this.counts[verdict] = (this.counts[verdict] ?? 0) + 1;
    const isWhole = verdict === 'complete' || verdict === 'declared_gap' || site.truth.isOfPhotos(receipt);
    if (verdict === 'incomplete' && !isWhole) assert.fail(`${site.name}: ${JSON.stringify(receipt)}`);
    if (!isWhole) return false;
    for (const one of kept(site)) one.arrived(site, this.#cloud);
    const there = this.#client(site, true);
    const missing = [...(await site.truth.missingAt(there)), ...(await site.lists.missingAt(there))];
    const photos = await site.truth.photosMissingAt((id) => contentAt(this.#cloud.end, site.project, id));
    assert.deepEqual([...missing, ...photos], [], `${site.name} says ${verdict}, and head office lacks something`);
    return true;
  }

  async step(): Promise<void> {
    const random = this.#random;
    const site = random.pick(this.#sites);
    const place = random.chance(0.4) ? this.#cloud : site;
    const isWhole = this.#server !== undefined && place === this.#cloud;
    const done = nextStep(random);
    this.counts[done] = (this.counts[done] ?? 0) + 1;
    this.#say(
      `${done} ${done === 'jump' || done === 'kill' || done === 'keep' || done === 'put back' ? place.name : site.name}`,
    );
    if (done === 'write') for (let i = 0; i < 3; i++) await this.#write(site);
    else if (done === 'cut') site.proxy.cut();
    else if (done === 'open') site.proxy.open();
    else if (done === 'harm') site.proxy.harm = HARM;
    else if (done === 'clear') site.proxy.harm = NO_HARM;
    else if (done === 'heal') await this.#heal(site);
    else if (done === 'copy') await this.#copy(site);
    else if (done === 'keep' && !isWhole) await this.#keep(place);
    else if (done === 'put back' && !isWhole) await this.#putBack(place);
    else {
      await this.#kill(place);
      await this.#start(place);
    }
  }

  /** All faults end. Both ends must have the same, and nothing may be lost. */
  async end(): Promise<void> {
    const places: Place[] = [this.#cloud, ...this.#sites];
    for (const place of places) {
      await this.#kill(place);
      await place.end.start(place.version);
    }
    for (const site of this.#sites) {
      site.proxy.harm = NO_HARM;
      site.proxy.open();
    }
    for (const site of this.#sites) {
      await this.#measure(site);
      await this.#finish(site);
      await this.#checkOwners(site);
      for (const place of [site, this.#cloud])
        if ('TEST_VERSION' in place.version) await site.lists.giveUnknown(place.end.client(site.project));
      const [here, there] = [this.#client(site, false), this.#client(site, true)];
      let digests: string[] = [];
      await until(
        async () => {
          await site.end.inStep();
          digests = await Promise.all([here, there].map((client) => digestOf(client, site.machine)));
          return digests[0] === digests[1];
        },
        `both ends of ${site.name} have one state`,
        LOOK_MS,
      ).catch(async (error: unknown) => {
        throw new Error([String(error), ...(await this.#missingAt(site, here, there)), ...digests].join('\n'));
      });
      await until(() => this.#inStep(site), `${site.name} says that head office has everything`, LOOK_MS);
      assert.deepEqual(await this.#missingAt(site, here, there), [], `what an end of ${site.name} lacks`);
      for (const client of [here, there]) await this.#checkTasks(site, client);
      await this.#stays(site);
    }
  }

  /** What one of the ends of a site lacks. */
  async #missingAt({ truth, lists }: Site, ...clients: Client[]): Promise<string[]> {
    const missing: string[] = [];
    for (const client of clients) missing.push(...(await truth.missingAt(client)), ...(await lists.missingAt(client)));
    return missing;
  }

  /** The model and the worker of a site, and head office, carry out all that waits. */
  async #finish(site: Site): Promise<void> {
    const here = this.#client(site, false);
    site.model.open();
    await until(
      async () => {
        while (await site.tasks.work(site, here));
        return (await site.tasks.isQuiet(here)) && (await site.tasks.isQuiet(this.#client(site, true)));
      },
      `all tasks of ${site.name} have ended`,
      LOOK_MS,
    );
  }

  /** No end wrote a document of a task of the other one. */
  async #checkOwners(site: Site): Promise<void> {
    const [own, cloud] = [(await site.end.status()).gateway_id, (await this.#cloud.end.status()).gateway_id];
    const nodeOf = (box: Box): string => (box === this.#cloud ? cloud : own);
    for (const end of [site.end, this.#cloud.end])
      assert.deepEqual(site.tasks.strangers(await writtenAt(end, site.project), nodeOf), [], `owners in ${site.name}`);
  }

  async #checkTasks(site: Site, client: Client): Promise<void> {
    assert.deepEqual(await site.tasks.wrongAt(client, site), [], `tasks of ${site.name}`);
    this.counts.tasks = (this.counts.tasks ?? 0) + site.tasks.all.length;
    this.counts.entries = (this.counts.entries ?? 0) + site.lists.all.length;
    this.counts.unknown = (this.counts.unknown ?? 0) + site.lists.unknown;
  }

  /** Head office does not reach a machine. */
  async #stays(site: Site): Promise<void> {
    const there = this.#client(site, true);
    const refused = await there.call('devices_bus_requests', { id: site.device, armed: true }).then(
      () => 'taken',
      (error: { code?: string }) => error.code,
    );
    assert.equal(refused, 'operation_unavailable');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

const flags = process.argv.slice(2);
const numbers = flags.filter((flag) => !flag.startsWith('--')).map(Number);
const [seeds = 30, first = 1, steps = 30] = numbers;
await using server = flags.includes('--postgres') ? await startPostgres() : undefined;
let failed = 0;
for (let seed = first; seed < first + seeds; seed++) {
  const said: string[] = [];
  await using history = new History(seed, server, (text) => said.push(text));
  try {
    await history.begin();
    for (let i = 0; i < steps; i++) await history.step();
    await history.end();
    process.stdout.write(`seed ${seed}: one state. ${JSON.stringify(history.counts)}\n`);
  } catch (error) {
    failed++;
    process.stdout.write(`seed ${seed}: FAILED after ${said.join(', ')}\n${(error as Error).stack}\n`);
  }
}
process.stdout.write(`${seeds - failed} of ${seeds} histories end in one state with nothing lost\n`);
process.exitCode = failed === 0 ? 0 : 1;
