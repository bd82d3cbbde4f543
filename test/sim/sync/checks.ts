/** The checks of a history: custody while it runs, and one state at its end. */
import { canonicalJson } from '#contract/base/canonical-json.ts';
import { OWNERSHIP } from '#contract/ownership/table.ts';
import { askRepair } from '#domain/sync/apply.ts';
import { claimsOf } from '#domain/sync/claims.ts';
import { contentOf } from '#domain/sync/digest-items.ts';
import { replacedKeys } from '#domain/sync/ledger.ts';
import { isOwed } from '#domain/sync/owed.ts';
import { type Doc, keyOf } from '#domain/sync/registers/documents.ts';
import { isPeoples, nodeOf, shortHash } from '#domain/sync/registers/registers.ts';
import type { End } from './end.ts';
import { Violation } from './truth.ts';
import type { World } from './world.ts';

/** Compares the verdict of a site with the truth. Returns false while something waits or differs. */
export function checkCustody(world: World, site: End): boolean {
  if (site.twin.tx.siteChannel().fenced) return false;
  const custody = world.custody(site);
  const verdict = world.bug.custody?.(custody) ?? custody.verdict;
  world.counts.verdicts[verdict] = (world.counts.verdicts[verdict] ?? 0) + 1;
  checkHoles(world, site, custody.differs ? custody.different : []);
  if (custody.differs) site.twin.run(askRepair);
  if (verdict === 'not_settled') return false;
  const expected = expectedVerdict(world, site, custody.quarantined.length + custody.owed.there);
  if (verdict !== expected)
    throw new Violation(
      `[Y30] the custody of ${site.name} is ${verdict}, but in truth ${expected}: ${JSON.stringify(custody)} ${missingOf(world, site)}`,
    );
  return !custody.differs;
}

/**
 * Nothing waits at either end, so both must be equal. Only a fact that vanished, a fact of a gap record, what is in quarantine, a document
 * that was a grave, and history of a lost life that a late bundle brought to the cloud are found by the digests alone.
 */
function checkHoles(world: World, site: End, different: readonly string[]): void {
  const declared = new Set(site.twin.tx.gaps().flatMap(({ items }) => Object.keys(items)));
  for (const { twin } of [site, world.cloud])
    for (const { commit } of twin.tx.quarantined()) for (const part of commit.docs) declared.add(keyOf(part));
  for (const [end, from] of [
    [world.cloud, site.gateway],
    [site, world.cloud.gateway],
  ] as const)
    for (const key of different) if (isOwed(end.twin.tx, from, key)) declared.add(key);
  const holes = different.filter((key) => {
    const docs = [site, world.cloud].map(({ twin }) => twin.docs.get(key));
    const isMachinery = docs.some((doc) => doc !== undefined && doc.home !== '');
    const wasDeleted = docs.some((doc) => doc?.registers.has('_deleted'));
    const isReplacedThere = world.cloud.twin.tx.removal(key)?.as === 'replaced';
    const isOnlyThere = !site.twin.docs.has(key) && world.cloud.twin.docs.has(key);
    const isLate = key.startsWith('telemetry/') && (isOnlyThere || isReplacedThere);
    return !isMachinery && !wasDeleted && !declared.has(key) && !site.vanished.has(key) && !isLate;
  });
  if (world.faults === 0 && holes.length > 0)
    throw new Violation(`[Y22] nothing waits, but ${holes} differ between the cloud and ${site.name}`);
}

/** A site removed a fact by age because of a promise: the cloud has it now, too, because it may be put back only to its backups. */
export function checkPromise(world: World, site: End, key: string): void {
  const { cloud } = world;
  const isPromised = isAged(site, key) && site.made.has(key) && !site.forced.has(key);
  const isHere = cloud.twin.docs.has(key) || isReplaced(cloud, key);
  if (isPromised && !isHere && !cloud.twin.tx.quarantined().some(({ commit }) => commit.docs.map(keyOf).includes(key)))
    throw new Violation(`[Y33] ${site.name} removed ${key} because of a promise, and the cloud lacks it`);
}

function expectedVerdict(world: World, site: End, quarantined: number): string {
  const { cloud } = world;
  const gaps = site.twin.tx.gaps();
  const declared = new Set(gaps.flatMap(({ items }) => Object.keys(items)));
  const isMissing = (key: string) => !cloud.twin.docs.has(key) && !isForgotten(site, key);
  const isReplaced = (key: string) => site.twin.tx.removal(key)?.as === 'replaced';
  const undeclared = [...site.made].filter((key) => isMissing(key) && !declared.has(key) && !isReplaced(key));
  if (undeclared.length > 0 || quarantined > 0) return 'incomplete';
  for (const [key, doc] of site.twin.docs) if (!isHeld(world, site, key, doc)) return 'incomplete';
  const hasSpan = gaps.some(({ reason }) => reason === 'restore');
  return hasSpan || declared.size > 0 ? 'declared_gap' : 'complete';
}

/** Checks that all ends have one state. Returns its hash. */
export function checkConverged(world: World, held: readonly Doc[]): string {
  const { cloud, truth } = world;
  const hashes = world.ends.map((end) => [end.name, stateOf(end, world)] as const);
  const [, first] = hashes[0] as readonly [string, Map<string, string>];
  for (const [name, state] of hashes) {
    for (const [key, text] of first) {
      const other = state.get(key);
      if (other === undefined && isPurged(world, name, key)) continue;
      if (other !== text)
        throw new Violation(`[Y1] ${key} differs between the cloud and ${name}: ${differing(text, other)}`);
    }
    for (const key of state.keys()) if (!first.has(key)) throw new Violation(`[Y1] only ${name} has ${key}`);
  }
  for (const site of world.sites) checkLists(world, site);
  for (const doc of held)
    for (const [path, register] of doc.registers)
      if (isPeoples(path))
        for (const { id } of register)
          if (!truth.holds(cloud.twin.docs.get(keyOf(doc)), path, id))
            throw new Violation(`[Y23] a value of ${keyOf(doc)} ${path} is gone: ${JSON.stringify(register)}`);
  for (const end of world.ends) {
    checkClaims(world, end);
    for (const key of end.purged) {
      if (!isReplaced(end, key) && end.made.has(key) && !end.forced.has(key) && !cloud.twin.docs.has(key))
        throw new Violation(`[Y33] ${end.name} made ${key} and removed it, and the cloud lacks it`);
      if (end.twin.docs.has(key) && end.twin.tx.removal(key) !== undefined)
        throw new Violation(`[Y33] ${end.name} removed ${key}, and has it again`);
    }
  }
  checkMachinery(world);
  checkDeleted(world);
  for (const site of world.sites) checkHistory(world, site);
  return shortHash(
    [...first]
      .map((pair) => pair.join(' '))
      .sort()
      .join('\n'),
  );
}

/** Both ends show the entries of each list in one order. */
function checkLists(world: World, site: End): void {
  const { cloud } = world;
  for (const [key, doc] of cloud.twin.docs) {
    const other = site.twin.docs.get(key);
    if (doc.collection !== 'records' || doc.dead || other === undefined) continue;
    const theirs = cloud.twin.shown(world.env(cloud), doc);
    const ours = site.twin.shown(world.env(site), other);
    for (const field of Object.keys(OWNERSHIP.kind(doc.collection, doc.object)?.fields ?? {})) {
      const [a, b] = [theirs[field], ours[field]];
      if (Array.isArray(a) && canonicalJson(a) !== canonicalJson(b))
        throw new Violation(
          `[Y240] ${key} has the ${field} ${canonicalJson(a)} at the cloud and ${canonicalJson(b)} at ${site.name}`,
        );
    }
  }
}

/** True if the cloud has all values that a site has of a document, or values whose authors saw them. */
function isHeld({ cloud, truth }: World, site: End, key: string, doc: Doc): boolean {
  const theirs = cloud.twin.docs.get(key);
  if (doc.home === site.gateway && theirs?.machine !== doc.machine) return false;
  if (doc.registers.has('=')) return theirs !== undefined || (isHistory(key, doc) && !isOf(doc, site));
  for (const [path, register] of doc.registers)
    if (isPeoples(path) && !register.every(({ id }) => truth.has(theirs, path, id))) return false;
  return true;
}

/** Facts that a box made and that neither end has, with what happened to them. */
function missingOf(world: World, site: End): string {
  const keys = [...site.made, ...site.lost].filter(
    (key) => !world.cloud.twin.docs.has(key) || !site.twin.docs.has(key),
  );
  return keys
    .map((key) => {
      const has = site.twin.docs.has(key) ? 'held' : 'not held';
      const fate = [site.purged, site.vanished, site.lost].map((set) => set.has(key)).join();
      return `${key} ${has} row ${site.twin.tx.rowOfFact(key)} purged,vanished,lost ${fate}`;
    })
    .join('; ');
}

function isPurged(world: World, name: string, key: string): boolean {
  if (!key.startsWith('events/')) return false;
  const site = world.ends.find((end) => end.name === name) as End;
  return isAged(site, key);
}

function stateOf(end: End, world: World): Map<string, string> {
  const state = new Map<string, string>();
  for (const [key, doc] of end.twin.docs) {
    if (doc.vid === '') continue;
    if (world.env(end).ownership.kind(doc.collection, doc.object)?.whole?.direction === 'up') continue;
    state.set(key, doc.dead ? `dead ${doc.vid}` : contentOf(doc));
  }
  return state;
}

function checkClaims(world: World, end: End): void {
  const expected = new Map<string, string[]>();
  for (const doc of end.twin.docs.values())
    for (const [name, hlc] of claimsOf(world.env(end), doc)) {
      const list = expected.get(name) ?? [];
      list.push(`${hlc} ${doc.id}`);
      expected.set(name, list);
    }
  const stored = [...end.twin.allClaims].map(
    ([name, list]) => [name, list.map(({ hlc, id }) => `${hlc} ${id}`)] as const,
  );
  for (const [name, list] of stored)
    if (String(list) !== String(expected.get(name)?.sort()))
      throw new Violation(`[Y17] the claims of ${name} at ${end.name}: ${list}, expected ${expected.get(name)}`);
  if (stored.length !== expected.size) throw new Violation(`[Y17] ${end.name} lacks names`);
}

/** The cloud shows the machinery of each site exactly, and no site has values of machinery of another. */
function checkMachinery(world: World): void {
  for (const site of world.sites) {
    for (const [key, doc] of site.twin.docs) {
      if (doc.home === '') continue;
      if (doc.home !== site.gateway && doc.home !== 'cloud')
        throw new Violation(`[Y9] ${site.name} has ${key} of ${doc.home}`);
      if (world.cloud.twin.docs.get(key)?.machine !== doc.machine)
        throw new Violation(`[Y8] the cloud shows ${key} otherwise than ${site.name}`);
    }
    for (const [key, doc] of world.cloud.twin.docs)
      if (doc.home === site.gateway && site.twin.docs.get(key)?.machine !== doc.machine)
        throw new Violation(`[Y8] the cloud shows ${key}, and ${site.name} does not have it so`);
  }
}

/** The content of a deleted document without the orders of its lists, which a site may lack until the document is there again ([Y293]). */
const deletedContent = (doc: Doc): string =>
  contentOf({ ...doc, registers: new Map([...doc.registers].filter(([path]) => !/^\^.*#order$/.test(path))) });

/** Until a deleted document is a grave at one of the ends, all of them have all its values. */
function checkDeleted({ cloud, sites, graves }: World): void {
  for (const site of sites)
    for (const [key, doc] of cloud.twin.docs) {
      const other = site.twin.docs.get(key);
      if (!doc.dead || other === undefined || graves.has(key)) continue;
      const [theirs, ours] = [deletedContent(doc), deletedContent(other)];
      if (theirs !== ours)
        throw new Violation(
          `[Y54] deleted ${key} differs between the cloud and ${site.name}: ${differing(theirs, ours)}`,
        );
    }
}

/** The cloud has the history of each site, and of two facts of which one replaces the other no end has both. */
function checkHistory({ cloud }: World, site: End): void {
  for (const [key, doc] of cloud.twin.docs)
    if (
      isHistory(key, doc) &&
      isOf(doc, site) &&
      !site.twin.docs.has(key) &&
      site.twin.tx.removal(key) === undefined &&
      !isBelowFloor(site, cloud, key)
    )
      throw new Violation(`[Y35] the cloud has ${key}, and ${site.name} does not`);
  for (const [key, doc] of site.twin.docs)
    if (isHistory(key, doc) && isOf(doc, site) && !cloud.twin.docs.has(key))
      throw new Violation(`[Y35] the cloud lacks ${key} of ${site.name}`);
  for (const { twin } of [cloud, site])
    for (const [key, doc] of twin.docs)
      for (const old of replacedKeys({ ...doc, data: doc.registers.get('=')?.[0]?.v }))
        if (twin.docs.has(old)) throw new Violation(`[Y35] ${key} replaces ${old}, which is still there`);
}

const isAged = ({ twin }: End, key: string): boolean => twin.tx.removal(key)?.as === 'aged';
const isReplaced = ({ twin }: End, key: string): boolean => twin.tx.removal(key)?.as === 'replaced';
/** True for history that is so old that it is not compared any more. */
const isForgotten = (end: End, key: string): boolean =>
  key.startsWith('telemetry/') &&
  (isAged(end, key) ? isBelowFloor(end, end, key) : end.purged.has(key) && end.twin.tx.removal(key) === undefined);
const isBelowFloor = ({ twin }: End, { twin: holder }: End, key: string): boolean =>
  (holder.tx.items(key)[0]?.leaf ?? 0) < (twin.tx.node().floors.telemetry ?? 0);

const isHistory = (key: string, { registers }: Doc): boolean => key.startsWith('telemetry/') && registers.has('=');
const isOf = ({ registers }: Doc, { gateway }: End): boolean => nodeOf(registers.get('=')?.[0]?.life ?? '') === gateway;

/** The registers that differ. */
export function differing(a: string, b = ''): string {
  if (!a.startsWith('[') || !b.startsWith('[')) return `${a.slice(0, 80)} and ${b.slice(0, 80)}`;
  const [x, y] = [a, b].map((text) => new Map(JSON.parse(text) as [string, unknown][])) as [
    Map<string, unknown>,
    Map<string, unknown>,
  ];
  const paths = [...new Set([...x.keys(), ...y.keys()])];
  return paths
    .map((path) => [path, JSON.stringify(x.get(path)), JSON.stringify(y.get(path))])
    .filter(([, left, right]) => left !== right)
    .join('; ');
}
