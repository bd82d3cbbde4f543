/** Sentences of head office about its sites, for people. */
import type { SyncGateway } from '#contract/site/sync.ts';
import { changes, durationOf } from './sentences.ts';

/** A site that was not heard for longer is shown as not heard. Its next contact comes after a minute at most while there is a connection. */
const HEARD_MS = 3 * 60_000;

const wait = (n: number): string => `${changes(n)} wait${n === 1 ? 's' : ''}`;

type Facts = Pick<SyncGateway, 'state' | 'last_contact_at' | 'waiting' | 'waiting_here' | 'not_taken'>;

/** How long ago a site was heard, in milliseconds; null if it never was. */
const silence = ({ last_contact_at }: Pick<Facts, 'last_contact_at'>, now: number): number | null =>
  last_contact_at === null ? null : Math.max(0, now - Date.parse(last_contact_at));

/** The state of one site in one sentence or two. No connection is normal, and is not called an error. */
export function gatewaySentence(facts: Facts, now: number): string {
  const { state, waiting, waiting_here, not_taken } = facts;
  if (state === 'revoked') return 'Head office takes nothing from this gateway, because an admin revoked it.';
  const silent = silence(facts, now);
  if (silent === null) return 'This site has not sent anything yet.';
  const parts = [
    silent <= HEARD_MS
      ? 'Connected.'
      : `No connection for ${durationOf(silent)}. The site works on alone, and head office shows what it knew then.`,
  ];
  if (waiting !== null && waiting > 0) parts.push(`At the last contact, ${changes(waiting)} waited at the site.`);
  if (waiting_here > 0) parts.push(`${wait(waiting_here)} here for the site.`);
  if (not_taken > 0) parts.push(`Head office could not take ${changes(not_taken)} of this site.`);
  if (parts.length === 1 && silent <= HEARD_MS) parts.push('Nothing waits.');
  return parts.join(' ');
}

export function headOfficeSentence(gateways: readonly SyncGateway[], now: number): string {
  const enrolled = gateways.filter(({ state }) => state === 'enrolled');
  if (enrolled.length === 0) return 'No site is connected to this head office yet.';
  const heard = enrolled.filter((gateway) => (silence(gateway, now) ?? Number.POSITIVE_INFINITY) <= HEARD_MS).length;
  if (enrolled.length === 1) return heard === 1 ? 'The site is connected.' : 'The site has no connection now.';
  if (heard === enrolled.length) return `All ${enrolled.length} sites are connected.`;
  return `${heard} of ${enrolled.length} sites ${heard === 1 ? 'is' : 'are'} connected. The others work on alone.`;
}
