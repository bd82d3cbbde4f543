/**
 * Proves that the cloud has everything that a site made. The site compares digests of all scopes with the cloud, and its ledger with what it
 * holds. Sequence numbers are not part of the proof.
 */

import type { Part } from '#domain/sync/registers/documents.ts';
import { isOpen, waitingCounts } from './channels.ts';
import { nextRanges, startWalk, takeRanges, type Walk } from './digest.ts';
import { floorOf, scopesOf } from './digest-items.ts';
import { balanceOf } from './ledger.ts';
import type { Answer, Held, Request } from './messages.ts';
import { owedBy } from './owed.ts';
import type { SyncTx } from './store.ts';

/**
 * complete: the cloud has every item that this site made or holds. declared_gap: the same, but for what gap records name. incomplete: else.
 * not_settled: items still wait at one end, so nothing can be said yet.
 */
export interface Custody {
  readonly verdict: 'complete' | 'declared_gap' | 'incomplete' | 'not_settled';
  /** Documents that the cloud does not have as this site has them. */
  readonly missing: readonly string[];
  /** Keys of commits that the cloud could not take. */
  readonly quarantined: readonly string[];
  /** Lives whose ledger does not balance: something was lost without a gap record. */
  readonly unbalanced: readonly string[];
  /** Documents of which an end noted only the keys, because its quarantine is full: at the cloud, and here. */
  readonly owed: { readonly there: number; readonly here: number };
  /** Ids of gap records that still name something. */
  readonly gaps: readonly string[];
  /** Commits that wait to be sent, and documents that wait to be fetched. */
  readonly waiting: number;
  /** Both ends differ although nothing waits: the next contact must repair. */
  readonly differs: boolean;
  /** Keys of documents that differ or that one end lacks. */
  readonly different: readonly string[];
}

/** One check. Its requests change nothing at the cloud. */
export class CustodyCheck {
  readonly #cloud: string;
  readonly #scopes: string[];
  readonly #ours = new Set<string>();
  readonly #theirs = new Set<string>();
  readonly #both = new Set<string>();
  #walk: Walk | undefined;
  #asked: ReturnType<typeof nextRanges> = [];
  #held: Held | undefined;
  /** Requests, for tests of the cost. */
  rounds = 0;

  constructor(gateway: string, cloud: string) {
    this.#cloud = cloud;
    this.#scopes = scopesOf(gateway, cloud);
  }

  next(tx: SyncTx): Request | undefined {
    const { id: gateway, life } = tx.node();
    if (this.#held !== undefined) return undefined;
    if (this.#walk === undefined || this.#walk.open.length === 0) {
      const scope = this.#scopes.shift();
      if (scope === undefined) {
        const parts = [...this.#ours].flatMap((key): Part[] => {
          const doc = tx.get(key);
          return doc === undefined ? [] : [doc];
        });
        return { type: 'holds', gateway, life, parts: parts.map((part) => withoutForeign(part, gateway)) };
      }
      this.#walk = startWalk(tx, scope, floorOf(scope, tx.node().floors));
    }
    this.#asked = nextRanges(this.#walk);
    return { type: 'digest', gateway, life, scope: this.#walk.scope, ranges: this.#asked };
  }

  take(tx: SyncTx, answer: Answer): void {
    this.rounds++;
    if (answer.type === 'holds') this.#held = answer;
    if (answer.type !== 'digest' || this.#walk === undefined) return;
    takeRanges(tx, this.#walk, this.#asked, answer.answers);
    if (this.#walk.open.length > 0) return;
    for (const key of this.#walk.both) this.#both.add(key);
    for (const key of [...this.#walk.ours, ...this.#walk.both]) this.#ours.add(key);
    // A fact that was replaced here stays at the cloud until the newer one is there.
    for (const key of this.#walk.theirs) if (tx.removal(key)?.as !== 'replaced') this.#theirs.add(key);
  }

  /** The result, after the last answer. */
  result(tx: SyncTx): Custody {
    const { missing: lacking, quarantined, owed: there = 0, head } = this.#held as Held;
    // Nobody has a fact that was removed here by age, if the cloud lacks it.
    const isGone = (key: string): boolean => tx.removal(key)?.as === 'aged' && !this.#both.has(key);
    const missing = [...lacking, ...[...this.#ours].filter(isGone)];
    const channel = tx.siteChannel();
    const waiting = sum(waitingCounts(tx, channel)) + (head.n - channel.pulled.n);
    const gaps = tx.gaps().filter(({ reason, items }) => reason === 'restore' || Object.keys(items).length > 0);
    const unbalanced = balanceOf(tx);
    const different = [...this.#ours, ...this.#theirs];
    const owed = { there, here: owedBy(tx, this.#cloud) };
    const found = { owed, different, missing, quarantined, unbalanced, gaps: gaps.map(({ id }) => id), waiting };
    const differs = waiting === 0 && different.length > 0;
    const isPulled = channel.pulled.chain === head.chain && !channel.pending.some(isOpen);
    // The cloud has all values of a document that differs, so it has more of it than this site.
    const isBehind = this.#theirs.size > 0 || [...this.#ours].some((key) => !missing.includes(key));
    if (waiting !== 0 || !isPulled || isBehind || owed.here > 0) return { ...found, verdict: 'not_settled', differs };
    if (missing.length + quarantined.length + unbalanced.length + there > 0)
      return { ...found, verdict: 'incomplete', differs };
    return { ...found, verdict: gaps.length > 0 ? 'declared_gap' : 'complete', differs };
  }
}

const sum = (counts: readonly number[]): number => counts.reduce((a, b) => a + b, 0);

function withoutForeign(part: Part, gateway: string): Part {
  const registers = new Map(
    [...part.registers].filter(([path, [value]]) => path[0] !== '!' || value?.life.startsWith(`${gateway}.`) === true),
  );
  return { ...part, registers };
}
