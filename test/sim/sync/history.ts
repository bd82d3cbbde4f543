/** One random history: steps with faults, then healing, then the checks that all ends have the same state. */

import { markBackup, noteBackup } from '#domain/sync/backups.ts';
import { contentOf } from '#domain/sync/digest-items.ts';
import { kindOf } from '#domain/sync/env.ts';
import { digGraves } from '#domain/sync/graves.ts';
import { dropFacts, removableFacts } from '#domain/sync/ledger.ts';
import { beginLife } from '#domain/sync/lives.ts';
import type { LocalWrite } from '#domain/sync/node.ts';
import { type Doc, keyOf } from '#domain/sync/registers/documents.ts';
import { assemble } from '#domain/sync/registers/paths.ts';
import { hasConflict, isPeoples, nodeOf } from '#domain/sync/registers/registers.ts';
import { parseTime } from '#store/base/hlc.ts';
import { Random } from '#test/sim/random.ts';
import { checkConverged, checkCustody, checkPromise, differing } from './checks.ts';
import { cloneEnd } from './clone.ts';
import { Courier } from './courier.ts';
import type { End } from './end.ts';
import { SqliteFiles } from './sqlite-twin.ts';
import { Violation } from './truth.ts';
import { type Bug, type Counts, isThereRoom, type MakeTwin, World } from './world.ts';

const DAY = 86_400_000;
const MINUTE = 60_000;

export interface Outcome {
  readonly seed: number;
  readonly violation: string | undefined;
  readonly counts: Counts;
  readonly hash: string;
}

export interface HistoryOptions {
  /** Bundles are made and carried ten times as often. */
  readonly couriers?: boolean;
  readonly make?: MakeTwin;
}

/** Runs a history of a seed. */
export function runHistory(
  seed: number,
  steps: number,
  bug: Bug = {},
  { couriers = false, make }: HistoryOptions = {},
): Outcome {
  const world = new World(new Random(seed), bug, make);
  let violation: string | undefined;
  let hash = '';
  try {
    const history = new History(world, couriers);
    for (let i = 0; i < steps; i++) history.step();
    hash = history.heal();
  } catch (error) {
    violation = error instanceof Violation ? error.message : `the simulator itself: ${(error as Error).stack}`;
  }
  return { seed, violation, counts: world.counts, hash };
}

/** The same on real SQLite files. */
export async function runOnSqlite(
  seed: number,
  steps: number,
  bug: Bug = {},
  options: Omit<HistoryOptions, 'make'> = {},
): Promise<Outcome> {
  await using files = new SqliteFiles();
  return runHistory(seed, steps, bug, { ...options, make: files.make });
}

class History {
  readonly #world: World;
  readonly #couriers: Courier;
  /** Couriers come ten times as often. */
  readonly #busy: boolean;
  #clones = 0;
  #depth = 0;

  constructor(world: World, busy: boolean) {
    this.#world = world;
    this.#busy = busy;
    this.#couriers = new Courier(world, busy);
    world.meanwhile = (site) => this.#meanwhile(site);
    for (const end of world.ends) this.#backup(end);
    for (let i = 0; i < 4; i++) this.#write(world.random.pick(world.ends));
  }

  step(): void {
    const world = this.#world;
    const { random } = world;
    world.now += random.between(0, 20 * MINUTE);
    const end = random.pick(world.ends);
    const site = random.pick(world.sites);
    if (this.#busy && random.chance(0.3)) this.#courier(site);
    // Either end is put back while files are on their way.
    if (this.#busy && random.chance(0.015)) this.#restore(random.pick([site, world.cloud]));
    const roll = random.next();
    if (roll < 0.42) this.#write(end);
    else if (roll < 0.54) this.#machinery(site);
    else if (roll < 0.76) world.contact(site, random.int(110));
    else if (roll < 0.8) this.#backup(end);
    else if (roll < 0.818) this.#restore(end);
    else if (roll < 0.826) this.#clone(site);
    else if (roll < 0.85)
      end.skew = random.pick([0, 0, random.between(-300_000, 0), random.between(0, 200_000), 1_200_000]);
    else if (roll < 0.87) this.#purge(site);
    else if (roll < 0.88) this.#drop(site);
    else if (roll < 0.91) this.#late();
    else if (roll < 0.93) checkCustody(world, site);
    else if (roll < 0.94) this.#inject();
    else if (roll < 0.97) this.#courier(site);
    else if (roll < 0.975) this.#upgrade(end);
    else if (roll < 0.977) world.now += 401 * DAY;
    else if (roll < 0.981) this.#replace(site);
    else this.#dig();
    this.#decide(site);
  }

  /** Old deletions become graves, at all ends. */
  #dig(): void {
    const world = this.#world;
    for (const end of world.ends) {
      world.counts.graves += world.run(end, (tx, env) => digGraves(tx, env).graves);
      for (const [key, { grave }] of end.twin.docs) if (grave) world.graves.add(key);
    }
  }

  /** While requests of a contact are on their way, people and machinery write, and rarely the cloud is put back. */
  #meanwhile(site: End): void {
    const { random, cloud } = this.#world;
    // A stick arrives while there is a connection.
    if (this.#busy && this.#depth === 0 && random.chance(0.15)) {
      this.#depth++;
      this.#courier(site);
      this.#depth--;
      return;
    }
    const roll = random.next();
    if (roll < 0.5) this.#write(site);
    else if (roll < 0.8) this.#machinery(site);
    else if (roll < 0.9) this.#write(cloud);
    else if (roll < 0.94) this.#backup(cloud);
    else if (roll < 0.97) this.#restore(cloud);
    else this.#late();
  }

  /** A person at this end makes or edits a document, sometimes with a fact about it. */
  #write(end: End): void {
    const world = this.#world;
    const { random, people } = world;
    const env = world.env(end);
    const docs = [...end.twin.docs.values()].filter(({ collection, grave }) => collection === 'records' && !grave);
    const isNew = docs.length < 5 || (docs.length < 22 && random.chance(0.15));
    const idsOf = (object: string) => docs.filter((doc) => doc.object === object).map(({ id }) => id);
    let write: LocalWrite | undefined;
    if (isNew) write = people.create(env.now, idsOf('equipment'), end.newer);
    else {
      const doc = random.pick(docs);
      write = people.edit(env, doc, env.now, end.newer, idsOf(doc.object === 'device' ? 'equipment' : doc.object));
    }
    if (write === undefined) return;
    if (random.chance(0.012) && write.data !== undefined && 'name' in write.data)
      write = { ...write, data: { ...write.data, name: `poison${people.text()}` } };
    const event = random.chance(0.5) ? [people.event(env.now, write.id)] : [];
    world.commit(end, [write, ...event], true);
  }

  /** Machinery of a site: live state of machines, reports of devices, facts without a record. */
  #machinery(site: End): void {
    const world = this.#world;
    const { random, people } = world;
    const { gateway } = site;
    const docs = [...site.twin.docs.values()];
    const isFree = ({ home }: Doc) => home === '' || home === gateway;
    const machines = docs.filter(({ object, collection }) => object === 'equipment' && collection === 'records');
    const roll = random.next();
    if (roll < 0.4 && machines.length > 0) {
      const { id } = random.pick(machines);
      // The machine works at one site: the last character of its id decides.
      if (this.#siteOf(id) !== gateway) return;
      world.commit(site, [{ collection: 'live', id, object: 'equipment', data: { n: people.text() } }], false);
    } else if (roll < 0.7) {
      const devices = docs.filter((doc) => doc.object === 'device' && doc.collection === 'records' && isFree(doc));
      const device = devices.find(({ id }) => this.#siteOf(id) === gateway);
      if (device === undefined) return;
      const data = { ...assembleOf(world, site, device), serial: people.text(), bus_requests: people.text() };
      const config = { collection: 'live', id: device.id, object: 'device_config', data: { n: people.text() } };
      world.commit(site, [{ collection: 'records', id: device.id, object: 'device', data }, config], false);
    } else if (roll < 0.8) world.commit(site, [people.event(world.env(site).now, 'nothing')], false);
    else if (roll < 0.85) this.#import(random.chance(0.8) ? site : world.cloud);
    else this.#rollUp(site);
  }

  /** History of a day, which replaces the one of the same day that was stored before. */
  #rollUp(site: End): void {
    const world = this.#world;
    const slot = `${site.gateway}/${world.random.int(3)}`;
    const days = [...site.twin.docs.values()].flatMap(({ collection, id, registers }) => {
      const { v, life = '' } = registers.get('=')?.[0] ?? {};
      const day = v as { slot: string; rows: number; seal: { replaces: string[] } };
      return collection === 'telemetry' && nodeOf(life) === site.gateway && day.slot === slot ? [{ id, ...day }] : [];
    });
    const replaces = days.flatMap(({ id, seal }) => [...seal.replaces, id]);
    const rows = Math.max(0, ...days.map((day) => day.rows)) + world.random.between(1, 2);
    world.commit(site, [world.people.rollup(slot, rows, [...new Set(replaces)])], false);
  }

  /** Another system sends a fact, perhaps for the second time. A box that has the fact does not make it again. */
  #import(end: End): void {
    const world = this.#world;
    const write = world.people.imported(`row ${world.random.int(8)}`);
    const key = keyOf(write);
    if (!end.twin.docs.has(key)) world.commit(end, [write], false);
  }

  #siteOf(id: string): string {
    return id.charCodeAt(id.length - 1) % 2 === 0 ? 'gw_A' : 'gw_B';
  }

  #backup(end: End): void {
    const { twin, made } = end;
    const marks = twin.run((tx) =>
      [...twin.channels.keys()].map((gateway) => [gateway, markBackup(tx, gateway)] as const),
    );
    end.backups = [...end.backups.slice(-1), { restore: twin.backup(), made: new Set(made) }];
    if (end.role === 'cloud') for (const [gateway, mark] of marks) twin.run((tx) => noteBackup(tx, gateway, mark));
  }

  /** Puts an end back from a backup. A told restore begins a new life; a silent one is found out by the other end. */
  #restore(end: End): void {
    const world = this.#world;
    const { random } = world;
    const backup = random.pick(end.backups);
    const { clock } = end.twin.tx.node();
    backup.restore();
    for (const key of end.made) if (!backup.made.has(key)) end.lost.add(key);
    end.made = new Set(backup.made);
    const isGone = (key: string): boolean => end.made.has(key) && !end.twin.docs.has(key);
    end.purged = new Set([...end.purged].filter((key) => end.twin.tx.removal(key) !== undefined || isGone(key)));
    end.checked.clear();
    end.link.close();
    world.counts.restores++;
    if (end.role === 'cloud') world.choices.forget();
    if (end.role === 'cloud') end.backups = end.backups.filter((each) => each === backup || random.chance(0.5));
    if (random.chance(0.5))
      end.twin.run((tx) =>
        beginLife(tx, world.env(end), tx.node().life.number + 1, end.role === 'site' ? clock : undefined),
      );
  }

  /** Makes a first backup of the new box, because a later step of the history may put the box back from a backup of its own. */
  #replace(site: End): void {
    this.#world.replace(site);
    this.#backup(site);
  }

  #clone(site: End): void {
    const world = this.#world;
    if (this.#clones >= 1) return;
    this.#clones++;
    world.counts.clones++;
    const copy = cloneEnd(site);
    world.ends.push(copy);
    world.choices.copied(site, copy);
    this.#backup(copy);
  }

  /** The sweep of the site removes facts by age. */
  #purge(site: End): void {
    const world = this.#world;
    const { now } = world.env(site);
    const old = [...site.twin.docs].filter(([key, { hlc }]) => isFact(key) && parseTime(hlc).ms < now - 6 * 3_600_000);
    const keys = site.twin.run((tx) =>
      removableFacts(
        tx,
        world.env(site),
        old.map(([key]) => key),
      ),
    );
    for (const key of keys) if (parseTime(site.twin.docs.get(key)?.hlc ?? '').ms < now - 29 * DAY) site.forced.add(key);
    this.#remove(site, keys);
    for (const key of keys) checkPromise(world, site, key);
  }

  #remove(site: End, keys: readonly string[]): void {
    const world = this.#world;
    world.run(site, (tx, env) => dropFacts(tx, env, keys));
    const givenUp = new Set(site.twin.tx.gaps().flatMap(({ items }) => Object.keys(items)));
    for (const key of keys) {
      // Below the floor a site forgets at once that it removed a fact.
      if (site.twin.tx.removal(key) === undefined && (site.twin.docs.has(key) || givenUp.has(key))) continue;
      site.purged.add(key);
      world.counts.purges++;
    }
  }

  /** A full disk removes facts whether the cloud has them or not, or a fact vanishes. */
  #drop(site: End): void {
    const world = this.#world;
    const own = [...site.made].filter((key) => site.twin.docs.has(key));
    if (own.length === 0) return;
    const key = world.random.pick(own);
    if (world.random.chance(0.6) || key.startsWith('telemetry/') || world.people.given.has(key)) {
      site.forced.add(key);
      this.#remove(site, [key]);
    } else {
      site.twin.run((tx) => tx.remove(key));
      site.vanished.add(key);
    }
  }

  #late(): void {
    const { late, random } = this.#world;
    if (late.length === 0) return;
    const [request] = late.splice(random.int(late.length), 1);
    if (request !== undefined) isThereRoom(() => void this.#world.deliver(request));
  }

  /** Somebody at the cloud writes what only the machinery of a site may write. */
  #inject(): void {
    const world = this.#world;
    const { cloud, people, random } = world;
    const docs = [...cloud.twin.docs.values()].filter(({ home }) => home !== '' && home !== 'cloud');
    if (docs.length === 0) return;
    world.injected(random.pick(docs), people.text());
  }

  #courier(site: End): void {
    const world = this.#world;
    world.counts.bundles++;
    this.#couriers.step(site);
  }

  #upgrade(end: End): void {
    end.newer = true;
    this.#world.retry(end);
  }

  /** A person decides about a box that was fenced. */
  #decide(site: End): void {
    const world = this.#world;
    if (!site.twin.tx.siteChannel().fenced || world.random.chance(0.7)) return;
    if (!world.choices.decides(site)) world.decide(site);
  }

  /** Ends all faults, lets people decide about boxes that are fenced, and lets all ends talk until nothing waits. */
  heal(): string {
    const world = this.#world;
    world.faults = 0;
    world.poison = false;
    for (const end of world.ends) end.skew = 0;
    world.now += 30 * MINUTE;
    const held = world.ends.flatMap((end) => [...end.twin.docs.values()]);
    for (let round = 0; round < 12; round++) {
      for (const end of world.ends) world.retry(end);
      for (const site of world.sites) {
        if (site.twin.tx.siteChannel().fenced) world.decide(site, 1);
        world.contact(site, 2_000);
      }
      let settled = true;
      for (const site of world.sites) settled = checkCustody(world, site) && settled;
      if (settled) return checkConverged(world, held);
    }
    throw new Violation(`[Y1] the ends do not settle: ${world.sites.map((site) => describe(world, site)).join('; ')}`);
  }
}

const isFact = (key: string): boolean => key.startsWith('events/') || key.startsWith('telemetry/');

const assembleOf = (world: World, end: End, doc: Doc) =>
  assemble(kindOf(world.env(end), doc.collection, doc.object), doc.registers);

export const conflictsOf = (docs: Iterable<Doc>): number =>
  [...docs].reduce(
    (sum, { registers }) => sum + [...registers].filter(([path, each]) => isPeoples(path) && hasConflict(each)).length,
    0,
  );

function describe(world: World, site: End): string {
  const { fenced, pulled, asked } = site.twin.tx.siteChannel();
  const custody = fenced ? undefined : world.custody(site);
  const docs = (custody?.different ?? []).map((key) => {
    const [ours, theirs] = [site.twin.docs.get(key), world.cloud.twin.docs.get(key)];
    return `${key} ${ours && theirs ? differing(contentOf(theirs), contentOf(ours)) : 'at one end only'}`;
  });
  return `${site.name} ${site.twin.life} ${JSON.stringify({ pulled: pulled.n, asked, custody })} ${docs}`;
}
