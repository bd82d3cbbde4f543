/**
 * The digest items of a document: a hash over its id, its time and its content, and the leaf (a span of 70 minutes) that it is counted in.
 * The values of machinery are an item of their own, because only their home and the cloud have them.
 */
import { canonicalJson } from '#contract/base/canonical-json.ts';
import type { Doc, Part } from '#domain/sync/registers/documents.ts';
import { nodeOf, shortHash } from '#domain/sync/registers/registers.ts';
import { kindOf, type SyncEnv } from './env.ts';
import type { Item, SyncTx } from './store.ts';

/** A leaf has 2^22 ms. */
const LEAF_MS = 2 ** 22;
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** The leaf of a hybrid time. */
export const leafOfTime = (hlc: string): number => Math.floor(Number.parseInt(hlc.slice(0, 12), 16) / LEAF_MS);

/** The first millisecond of a leaf. */
export const leafStart = (leaf: number): number => leaf * LEAF_MS;

/** The leaf of an id: by the time in a UUIDv7, else by a hash. */
function leafOfId(id: string): number {
  const text = /_([0-9a-hjkmnp-tv-z]{26})/.exec(id)?.[1];
  // The first ten characters are the 48 bits of the time, the next begins with the version.
  if (text !== undefined && ALPHABET.indexOf(text[10] as string) >> 1 === 7) {
    let ms = 0;
    for (let i = 0; i < 10; i++) ms = ms * 32 + ALPHABET.indexOf(text[i] as string);
    return Math.floor(ms / LEAF_MS);
  }
  return Number.parseInt(shortHash(id).slice(0, 3), 16);
}

/** The scope of the machinery of a node. */
export const machineryScope = (node: string): string => `!${node}`;

/** The scope of facts that only their home and the cloud have. */
const homeScope = (collection: string, node: string): string => `${collection}!${node}`;

/** The scopes that a site and the cloud compare, in the order of a repair: records come before the facts about them. */
export function scopesOf(gateway: string, cloud: string): string[] {
  return ['records', 'live', machineryScope(gateway), machineryScope(cloud), homeScope('telemetry', gateway), 'events'];
}

/** Facts below the floor of either end are not compared. */
export const floorOf = (scope: string, ...floors: readonly Readonly<Record<string, number>>[]): number =>
  Math.max(0, ...floors.map((of) => of[scope.replace(/!.*/, '')] ?? 0));

/** About how many documents of the site of a gateway this node has. Values of machinery are counted with their document. */
export function countOf(tx: SyncTx, gateway: string): number {
  const scopes = ['records', 'live', homeScope('telemetry', gateway), 'events'];
  return scopes.reduce((all, scope) => tx.leaves(scope, 0).reduce((n, [, sum]) => n + sum.n, all), 0);
}

/** True for a fact that is counted in the leaf of its time. */
const isTimed = ({ collection, registers }: Part): boolean => collection !== 'records' && registers.has('=');

/** The leaf in which a document is counted. */
export function leafOf(part: Part): number {
  const [fact] = part.registers.get('=') ?? [];
  return fact !== undefined && isTimed(part) ? leafOfTime(fact.hlc) : leafOfId(part.id);
}

/** The scope in which a document is counted, besides its values of machinery. */
export function scopeOf(env: SyncEnv, { collection, object, registers }: Part): string {
  const fact = registers.get('=')?.[0];
  const isUp = fact !== undefined && kindOf(env, collection, object).whole?.direction === 'up';
  return isUp ? homeScope(collection, nodeOf(fact.life)) : collection;
}

/** Returns the items of a document. `old` are its items before. */
export function itemsOf(env: SyncEnv, key: string, doc: Doc, old: readonly Item[]): readonly Item[] {
  const items: Item[] = [];
  // The leaf of an id never changes. A fact that two boxes made has the time of the earlier one at all ends.
  const leaf = isTimed(doc) ? leafOf(doc) : (old[0]?.leaf ?? leafOf(doc));
  if (doc.vid !== '') items.push({ scope: scopeOf(env, doc), leaf, hash: env.rules.item(key, doc.hlc, doc.vid) });
  if (doc.machine !== '')
    items.push({ scope: machineryScope(doc.home), leaf, hash: env.rules.item(key, '', doc.machine) });
  return items;
}

/** The content that a test compares between nodes: all shown values and conflicts. */
export const contentOf = (doc: Doc): string =>
  canonicalJson([...doc.registers].filter(([path]) => path[0] !== '!').sort(([a], [b]) => (a < b ? -1 : 1)));
