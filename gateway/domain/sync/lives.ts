/** Lives: a node begins a new one when it learns that it lost commits. */
import { keyOf, makeDoc, type Part } from '#domain/sync/registers/documents.ts';
import type { Edited } from '#domain/sync/registers/edit.ts';
import { isNeverDown } from '#domain/sync/registers/paths.ts';
import {
  isMachinerys,
  lifeText,
  makeValue,
  nodeOf,
  numberOf,
  type Register,
} from '#domain/sync/registers/registers.ts';
import { kindOf, type SyncEnv } from './env.ts';
import { appendRow, lifeOf, storeDoc } from './node.ts';
import type { Life, SiteChannel, SyncTx } from './store.ts';

/** The largest number of documents of a commit. */
const MOST_DOCS = 1_000;

export const isSameLife = (a: Life | undefined, b: Life | undefined): boolean =>
  a?.number === b?.number && a?.token === b?.token;

/**
 * Stands for the giver of commits from a bundle of a life that the cloud has not confirmed. The box may have been put back since it wrote the
 * bundle, and nothing tells the cloud. So no box counts as the giver, and the site gets these commits back. Real lives begin at 1.
 */
export const unknownLife = (gateway: string): string => lifeText(gateway, 0, '');

/** True if a box gave commits in a life that the cloud had not confirmed. */
export const isUnknownLife = (life: string): boolean => numberOf(life) === 0;

/**
 * Begins a new life with a number of at least `least`. All values of the own machinery are written again, because the other end may have
 * later ones of the lost life. `lost` is the time of the last commit before; what was made after it and not sent is gone with the disk.
 */
export function beginLife(tx: SyncTx, env: SyncEnv, least: number, lost?: string): void {
  const node = tx.node();
  const old = lifeOf(tx);
  const life = { number: Math.max(node.life.number + 1, least), token: env.token() };
  tx.setNode({ ...node, life, fresh: true });
  if (lost !== undefined && env.role === 'site') {
    const gap = {
      id: `gap_${life.token}`,
      life: old,
      reason: 'restore',
      from: lost,
      to: node.clock,
      items: {},
    } as const;
    tx.setGap(gap);
  }
  rewriteMachinery(tx, env);
}

function rewriteMachinery(tx: SyncTx, env: SyncEnv): void {
  const self = tx.node().id;
  const edits: Written[] = [];
  for (const key of tx.keysOf(self)) {
    const doc = tx.get(key);
    if (doc === undefined) continue;
    const values = [...doc.registers].flatMap(([path, [value]]) =>
      isMachinerys(path) ? [[path, value?.v] as const] : [],
    );
    edits.push({ doc, values });
  }
  writeMachinery(tx, env, edits);
}

interface Written {
  readonly doc: Omit<Part, 'whole' | 'vid'>;
  readonly values: readonly (readonly [path: string, v: unknown])[];
}

function writeMachinery(tx: SyncTx, env: SyncEnv, writes: readonly Written[], seen: readonly string[] = []): void {
  if (writes.length === 0) return;
  const node = tx.node();
  const stamp = { life: lifeOf(tx), hlc: env.rules.nextHlc(node.clock, env.now, seen) };
  tx.setNode({ ...node, clock: env.rules.receive(env.rules.nextHlc(node.clock, env.now, []), env.now, stamp.hlc) });
  const edits = writes.map(({ doc, values }): Edited => {
    const registers = new Map<string, Register>(doc.registers);
    for (const [path, v] of values) registers.set(path, [makeValue(path, v, stamp)]);
    return { doc: makeDoc(doc, registers, doc.rev), paths: values.map(([path]) => path) };
  });
  for (const { doc } of edits) storeDoc(tx, env, doc);
  for (let i = 0; i < edits.length; i += MOST_DOCS)
    appendRow(tx, env, { ...stamp, from: node.id, lane: 3 }, edits.slice(i, i + MOST_DOCS));
}

/**
 * A repair shows which values of the own machinery the other end has. The home is right: where the other end has another value, the home
 * writes its own value again. Where the home has none, because it was put back, it took the value that came, but not one that must never
 * come from above: that becomes null at both ends, and a person sets it again.
 */
export function assertMachinery(tx: SyncTx, env: SyncEnv, parts: readonly Part[]): void {
  const self = tx.node().id;
  const writes: Written[] = [];
  const seen: string[] = [];
  for (const part of parts) {
    const kind = kindOf(env, part.collection, part.object);
    const doc = tx.get(keyOf(part));
    const values: [string, unknown][] = [];
    for (const [path, [theirs]] of part.registers) {
      if (!isMachinerys(path) || theirs === undefined || nodeOf(theirs.life) !== self) continue;
      const ours = doc?.registers.get(path)?.[0];
      if (ours?.id === theirs.id || (ours === undefined && !isNeverDown(kind, path))) continue;
      values.push([path, ours === undefined ? null : ours.v]);
      seen.push(theirs.hlc, ours?.hlc ?? '');
    }
    if (values.length > 0) writes.push({ doc: doc ?? { ...part, registers: new Map() }, values });
  }
  writeMachinery(tx, env, writes, seen);
}

/** Removes the values of machinery of a node: they are not those of this box any more. */
function forgetMachinery(tx: SyncTx, env: SyncEnv, home: string): void {
  for (const key of tx.keysOf(home)) {
    const doc = tx.get(key);
    if (doc === undefined) continue;
    const registers = new Map([...doc.registers].filter(([path]) => !isMachinerys(path)));
    if (registers.size === 0) tx.remove(keyOf(doc));
    else storeDoc(tx, env, makeDoc(doc, registers, doc.rev));
  }
}

/**
 * A person decided that this box is the one that counts. It begins a new life, so every other box with its identity has an earlier one, and
 * is fenced.
 */
export function chooseBox(tx: SyncTx, env: SyncEnv): void {
  beginLife(tx, env, tx.node().life.number + 1);
  tx.setSiteChannel({ ...tx.siteChannel(), fenced: false });
}

/** Makes a box that was fenced a gateway of its own: a new id, the first life, and a channel that begins with a repair. */
export function becomeGateway(tx: SyncTx, env: SyncEnv, id: string, channel: SiteChannel): void {
  const node = tx.node();
  forgetMachinery(tx, env, node.id);
  // Commits that waited here were for the earlier identity. The repair brings what is missing.
  for (const { key } of tx.quarantined()) tx.dropQuarantined(key);
  tx.setNode({ ...node, id, life: { number: 1, token: env.token() }, fresh: true });
  tx.setSiteChannel(channel);
}
