/** Histories that random steps reach too seldom: the cloud lost commits while a site only pulled, or while pages were on their way. */
import type { AnswerPage } from '#domain/sync/courier.ts';
import { dropFacts, removableFacts } from '#domain/sync/ledger.ts';
import type { Request } from '#domain/sync/messages.ts';
import type { LocalWrite } from '#domain/sync/node.ts';
import { keyOf } from '#domain/sync/registers/documents.ts';
import type { Position } from '#domain/sync/store.ts';
import { Random } from '#test/sim/random.ts';
import { backUp, note } from './calm.ts';
import { cloneEnd } from './clone.ts';
import { COURIER, Courier } from './courier.ts';
import type { End } from './end.ts';
import { Violation } from './truth.ts';
import { type Bug, World } from './world.ts';

const machine = (id: string): LocalWrite => ({
  collection: 'records',
  id,
  object: 'location',
  data: { name: id, code: id, parent_id: null, active: true, labels: {} },
});

function start(bug: Bug): { world: World; a: End; b: End } {
  const world = new World(new Random(7), bug);
  world.faults = 0;
  const [a, b] = world.sites as [End, End];
  world.commit(a, [machine('loc_1')], false);
  world.contact(a, 100);
  world.contact(b, 100);
  world.contact(a, 100);
  return { world, a, b };
}

const lacks = (world: Pick<World, 'ends'>, ids: readonly string[]): string | undefined => {
  for (const end of world.ends)
    for (const id of ids) if (!end.twin.docs.has(`records/${id}`)) return `[Y22] ${end.name} lacks ${id}`;
  return undefined;
};

/** The cloud is put back, and has written as many commits as it lost when the site comes. */
export function sameNumber(bug: Bug): string | undefined {
  const { world, a, b } = start(bug);
  const restore = world.cloud.twin.backup();
  world.commit(world.cloud, [machine('loc_lost')], false);
  world.contact(a, 100);
  restore();
  world.commit(world.cloud, [machine('loc_new')], false);
  for (const site of [a, b, a]) world.contact(site, 100);
  return lacks(world, ['loc_lost', 'loc_new']);
}

/** As before, but the commit at the position of the site is the same one: site B gives it again, after another commit. */
export function sameCommit(bug: Bug): string | undefined {
  const { world, a, b } = start(bug);
  world.commit(b, [machine('loc_b')], false);
  const restore = world.cloud.twin.backup();
  const before = b.twin.backup();
  world.commit(world.cloud, [machine('loc_lost')], false);
  world.contact(b, 100);
  world.contact(a, 100);
  restore();
  before();
  world.commit(world.cloud, [machine('loc_new')], false);
  for (const site of [b, a, b]) world.contact(site, 100);
  return lacks(world, ['loc_lost', 'loc_new', 'loc_b']);
}

/** Two boxes have one identity, and a person at head office keeps the one that was fenced. */
export function keptBox(bug: Bug): string | undefined {
  const { world, a } = start(bug);
  const copy = cloneEnd(a);
  world.ends.push(copy);
  world.choices.copied(a, copy);
  world.commit(a, [machine('loc_a')], false);
  world.commit(copy, [machine('loc_copy')], false);
  for (const site of [a, copy, a, a]) world.contact(site, 100);
  if (!a.twin.tx.siteChannel().fenced) return '[Y25] no box is fenced';
  world.commit(a, [machine('loc_alone')], false);
  world.choices.keep(a.gateway, world.choices.markOf(a));
  for (const site of [a, copy, a, copy, copy, a, copy, copy]) world.contact(site, 100);
  const fenced = [a, copy].map(({ twin }) => twin.tx.siteChannel().fenced);
  if (fenced[0] || !fenced[1]) return `[Y215] fenced: the chosen box ${fenced[0]}, the other one ${fenced[1]}`;
  if (!world.cloud.twin.docs.has('records/loc_alone')) return '[Y215] the cloud lacks what the chosen box wrote alone';
  return undefined;
}

/** Requests of a site and their answers, one by one, in a connection that stays open. */
function talkerOf(world: World, site: End, bug: Bug): { ask(): Request; arrive(request: Request): void } {
  return {
    ask() {
      const request = world.run(site, (tx, env) => site.link.next(tx, env));
      if (request === undefined) throw new Error('the site asks nothing');
      return request;
    },
    arrive(request) {
      const answer = world.deliver(request);
      world.run(site, (tx, env) => site.link.take(tx, env, request, bug.take?.(tx, env, request, answer) ?? answer));
    },
  };
}

/** Two pages are on their way. The cloud confirms the second and is put back, and then takes the first in its place. */
export function samePlace(bug: Bug): string | undefined {
  const { world, a } = start(bug);
  const { ask, arrive } = talkerOf(world, a, bug);
  arrive(ask());
  world.commit(a, [machine('loc_first')], false);
  const first = ask();
  world.commit(a, [machine('loc_second')], false);
  const second = ask();
  const restore = world.cloud.twin.backup();
  arrive(second);
  restore();
  arrive(first);
  for (let i = 0; i < 2; i++) world.contact(a, 100);
  return world.cloud.twin.docs.has('records/loc_second') ? undefined : '[Y22] the cloud lacks loc_second';
}

/**
 * The cloud cannot take the changes of four places, and has room for two. Facts follow about one for which there is no room. The cloud makes
 * backups, the site removes old facts, and then the cloud is updated.
 */
export function fullQuarantine(bug: Bug): string | undefined {
  const rules = { ...bug.rules, quarantine: { commits: 2, keys: 1_000 } };
  const { world, a } = start({ ...bug, rules });
  const { cloud } = world;
  const bad = [1, 2, 3, 4].map((i) => `loc_bad_${i}`);
  const facts = ['events/evt_1', 'events/evt_2'];
  try {
    for (const id of bad) {
      const place = machine(id);
      const poison = { ...place, data: { ...place.data, name: 'poison' } };
      world.commit(a, id === 'loc_bad_4' ? [poison, note('evt_1', id)] : [poison], id === 'loc_bad_4');
    }
    world.contact(a, 200);
    world.commit(a, [note('evt_2', 'loc_bad_4')], false);
    world.commit(a, [machine('loc_good')], false);
    world.contact(a, 200);
    if (!cloud.twin.docs.has('records/loc_good')) return '[Y200] the exchange stops';
    if (cloud.twin.docs.has('events/evt_2')) return '[Y5] a fact is there without its record';
    const { verdict } = world.custody(a);
    if (verdict !== 'incomplete') return `[Y201] the verdict is ${verdict}`;
    backUp(cloud);
    world.contact(a, 200);
    const gone = a.twin.run((tx) => removableFacts(tx, world.env(a), facts));
    world.run(a, (tx, env) => dropFacts(tx, env, gone));
    world.poison = false;
    world.retry(cloud);
    for (let i = 0; i < 2; i++) world.contact(a, 200);
    const lost = facts.filter((key) => !cloud.twin.docs.has(key));
    if (lost.length > 0) return `[Y33] the site removed ${lost}, and head office never had it`;
    const after = world.custody(a);
    if (after.verdict !== 'complete') return `[Y202] the verdict is ${after.verdict} after the update`;
    return lacks({ ends: [cloud, a] }, [...bad, 'loc_good']);
  } catch (error) {
    if (error instanceof Violation) return error.message;
    throw error;
  }
}

/**
 * The cloud takes a bundle with a sample, is put back to a time before, and gets the next bundle. Then it makes two backups, and tells the site
 * in a bundle. May the site remove the sample?
 */
export function lostBundle(bug: Bug): string | undefined {
  const { world, a } = start(bug);
  const { cloud } = world;
  const courier = new Courier(world);
  const sample = (slot: string): string => {
    const write = world.people.rollup(slot, 1, []);
    world.commit(a, [write], false);
    return keyOf(write);
  };
  const removable = (...keys: string[]) => a.twin.run((tx) => removableFacts(tx, world.env(a), keys));
  const restore = cloud.twin.backup();
  const lost = sample('day 1');
  courier.journey(a);
  restore();
  const later = sample('day 2');
  courier.journey(a);
  backUp(cloud);
  courier.written(a)();
  const gone = removable(lost, later);
  if (gone.includes(lost)) return `[Y33] the site may remove ${lost}, and head office does not have it`;
  // What was confirmed before the loss is not confirmed any more; what a bundle brought since then is.
  courier.journey(a);
  world.now += 31 * 86_400_000;
  if (String(removable(lost, later)) !== later) return `[Y270] the site may remove ${removable(lost, later)}`;
  world.contact(a, 200);
  backUp(cloud);
  world.contact(a, 200);
  if (!cloud.twin.docs.has(lost)) return `[Y22] the cloud lacks ${lost}`;
  const { verdict } = world.custody(a);
  if (verdict !== 'complete') return `[Y22] the verdict is ${verdict}`;
  world.now -= 31 * 86_400_000;
  const next = sample('day 3');
  courier.journey(a);
  backUp(cloud);
  courier.journey(a);
  return removable(next).length === 1 ? undefined : '[Y270] after the repair the promise does not come back';
}

/** The cloud confirms a page and is put back, and then gets the next page in the same connection. */
export function lostBefore(bug: Bug): string | undefined {
  const { world, a } = start(bug);
  const { ask, arrive } = talkerOf(world, a, bug);
  arrive(ask());
  const restore = world.cloud.twin.backup();
  world.commit(a, [machine('loc_first')], false);
  arrive(ask());
  restore();
  world.commit(a, [machine('loc_second')], false);
  arrive(ask());
  for (let i = 0; i < 2; i++) world.contact(a, 100);
  const { docs } = world.cloud.twin;
  return docs.has('records/loc_first') && docs.has('records/loc_second')
    ? undefined
    : '[Y22] the cloud lacks loc_first';
}

/**
 * The cloud writes the first file of an export and is put back. Other people write there, and the cloud writes the second file. A site reads
 * both. Does it skip a change without knowing it?
 */
export function secondFile(bug: Bug): string | undefined {
  const { world, a } = start(bug);
  const { cloud } = world;
  const steps = { ...COURIER, ...bug.courier };
  const exportFile = (most: number, before?: Position) => {
    const head = world.run(cloud, (tx) => steps.openAnswer(tx, a.gateway, undefined, before));
    const pages: AnswerPage[] = [];
    for (let at = head?.after; at !== undefined && pages.length < most; at = pages.at(-1)?.to) {
      const from = at;
      const page = world.run(cloud, (tx, env) => steps.answerPage(tx, env, from, { page: 2, bytes: 100_000 }));
      if (page === undefined || page === 'gone') break;
      pages.push(page);
    }
    return head && { head, pages };
  };
  const write = (name: string): void => world.commit(cloud, [machine(name)], false);
  const restore = cloud.twin.backup();
  for (let i = 0; i < 6; i++) write(`loc_lost_${i}`);
  const first = exportFile(1);
  restore();
  world.now += 1_000;
  const later = Array.from({ length: 10 }, (_, i) => `loc_later_${i}`);
  later.forEach(write);
  const second = exportFile(100, first?.pages.at(-1)?.to);
  for (const file of [first, second]) {
    if (file === undefined || world.run(a, (tx) => steps.takeAnswer(tx, file.head)) !== 'taken') continue;
    for (const page of file.pages) world.run(a, (tx, env) => steps.takeAnswerPage(tx, env, file.head.cloud, page));
  }
  const isAtEnd = a.twin.tx.siteChannel().pulled.n >= cloud.twin.tx.head().n;
  return isAtEnd ? lacks({ ends: [a] }, later) : undefined;
}
