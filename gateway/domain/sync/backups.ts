/**
 * Backups of the cloud: a site removes old facts when backups of the cloud have them.
 *
 *   mark the last token of a channel ─▶ the backup is made and checked ─▶ note the mark ─▶ hello tells the site
 *
 * The cloud promises what the older one of its last two backups has, because either of them may be restored.
 */

import type { Placed } from './messages.ts';
import type { BackedUp, CloudChannel, Confirmed, Covered, Life, SiteChannel, SyncTx, Taken, Token } from './store.ts';

/** Backups that may be restored. */
const KEPT = 2;
/** Older tokens that a site keeps besides the last 40. */
const MOST_OLDER = 32;
const NO_TOKEN: Placed = { token: '', place: 0 };

/** Up to where a channel is in a backup that begins now. */
export interface BackupMark {
  /** The life of the cloud. */
  readonly life: Life;
  readonly last: BackedUp;
}

export function markBackup(tx: SyncTx, gateway: string): BackupMark {
  const { tokens, count = 0, taken: bundles = 0 } = tx.cloudChannel(gateway);
  const token = tokens.at(-1);
  return { life: tx.node().life, last: { ...(token === undefined ? NO_TOKEN : { token, place: count }), bundles } };
}

/**
 * Notes that a backup is made and checked, which began at a mark. Returns false if the cloud was put back since. `alone`: the older backups
 * may lack something.
 */
export function noteBackup(tx: SyncTx, gateway: string, { life, last }: BackupMark, alone = false): boolean {
  if (tx.node().life.token !== life.token) return false;
  const channel = tx.cloudChannel(gateway);
  const before = alone ? [] : (channel.backups ?? []);
  tx.setCloudChannel(gateway, { ...channel, backups: [...before, last].slice(-KEPT) });
  return true;
}

/** The backups may lack something: the cloud promises nothing until the next two. */
export function withdrawBackups(tx: SyncTx, gateway: string): void {
  const channel = tx.cloudChannel(gateway);
  if (channel.backups !== undefined) tx.setCloudChannel(gateway, { ...channel, backups: undefined });
}

/** The last token that all backups of the cloud have. */
export const backedUp = ({ backups = [] }: CloudChannel): BackedUp | undefined =>
  backups.length < KEPT ? undefined : backups[0];

/** What the backups of the cloud have, as this site knows it: at least what the cloud had at the newest token that is not after this one. */
export function coveredBy(channel: SiteChannel, told: BackedUp | undefined): Covered | undefined {
  // What the site has sent and the cloud has lost may be in no backup that is made now.
  if (told === undefined || channel.lost !== undefined) return undefined;
  const { tokens, older = [], covered, courier } = channel;
  const { place: last, bundles = 0 } = told;
  const token = `${told.token} ${bundles}`;
  if (covered?.token === token) return covered;
  // Tokens before the last repair have no place: the repair may have brought facts that earlier backups lack.
  const page = [...older, ...tokens].findLast(({ place }) => place !== undefined && place <= last);
  const bundle = courier?.confirmed?.findLast((one) => (one.place ?? 0) <= bundles && one.tokens <= last);
  const found = [page, bundle].flatMap((one) => (one === undefined ? [] : [one.sent]));
  if (found.length === 0) return undefined;
  // The backup has both, so it has of each lane what the later one has.
  return { token, sent: (found[0] ?? []).map((_, lane) => Math.max(...found.map((sent) => sent[lane] ?? 0))) };
}

/** Notes what the cloud had at a bundle that it confirmed. */
export function withConfirmed(channel: SiteChannel, { id, place }: Taken): readonly Confirmed[] {
  const known = channel.courier?.confirmed ?? [];
  if (known.some((one) => (one.place ?? 0) >= place)) return known;
  const tokens = Math.max(0, ...channel.tokens.map((one) => one.place ?? 0));
  // Nobody knows when the cloud got the rows of pages from before the last repair.
  if (tokens === 0) return known;
  const next: Confirmed = { token: id, sent: channel.sent, place, tokens };
  return withOlder(known, [next]);
}

/**
 * Keeps some of the older tokens with a place, so that a backup of any time is found among them: the older they are, the farther are they
 * apart.
 */
export function withOlder<T extends Token>(older: readonly T[], dropped: readonly T[]): T[] {
  const kept = [...older, ...dropped.filter(({ place }) => place !== undefined)];
  const place = (i: number): number => kept[i]?.place ?? 0;
  while (kept.length > MOST_OLDER) {
    const newest = place(kept.length - 1);
    let least = 1;
    let smallest = Number.POSITIVE_INFINITY;
    for (let i = 1; i < kept.length - 1; i++) {
      const gap = (place(i + 1) - place(i - 1)) / (newest - place(i - 1));
      if (gap < smallest) [least, smallest] = [i, gap];
    }
    kept.splice(least, 1);
  }
  return kept;
}
