/** Sentences of head office about its sites, for people. */
import type { SyncGateway } from '#contract/site/sync-gateway.ts';
import { changes, durationOf, givenBackSentence, onlyNamesSentence } from './sentences.ts';

/** The time between two calls is told if it is longer. */
const USUAL_S = 60;

const BOXES =
  'Several boxes use the identity of this site, such as a computer and a copy of its disk. Head office takes the data of one of them.';

const wait = (n: number): string => `${changes(n)} wait${n === 1 ? 's' : ''}`;

type Facts = Pick<
  SyncGateway,
  | 'state'
  | 'last_contact_at'
  | 'connected'
  | 'link'
  | 'contact_s'
  | 'waiting'
  | 'waiting_here'
  | 'not_taken'
  | 'given_back'
  | 'boxes'
> & {
  /** Records of which head office has only the names, because its quarantine is full. */
  readonly only_names: number;
};

/** What a connection means if the site does not call every minute. */
function linkWords({ link, contact_s }: Facts): string {
  if (contact_s <= USUAL_S) return 'Connected.';
  const every = `it calls every ${durationOf(contact_s * 1_000)}`;
  if (link === 'used_up')
    return `Connected. The bytes of this month for the link are used up: the site sends only alerts, and ${every}.`;
  return `Connected. The link costs money by the byte, so ${every}. Alerts come at once.`;
}

/** The state of one site in one sentence or two. No connection is normal, and is not called an error. */
export function gatewaySentence(facts: Facts, now: number): string {
  const { state, last_contact_at, connected, waiting, waiting_here, not_taken, only_names } = facts;
  if (state === 'revoked') return 'Head office takes nothing from this gateway, because an admin revoked it.';
  if (last_contact_at === null) return 'This site has not sent anything yet.';
  const silent = Math.max(0, now - Date.parse(last_contact_at));
  const parts = [
    connected
      ? linkWords(facts)
      : `No connection for ${durationOf(silent)}. The site works on alone, and head office shows what it knew then.`,
  ];
  if (facts.boxes.length > 0) parts.push(BOXES);
  if (facts.given_back !== null) parts.push(givenBackSentence(facts.given_back));
  if (waiting !== null && waiting > 0) parts.push(`At the last contact, ${changes(waiting)} waited at the site.`);
  if (waiting_here > 0) parts.push(`${wait(waiting_here)} here for the site.`);
  if (not_taken > 0) parts.push(`Head office could not take ${changes(not_taken)} of this site.`);
  if (only_names > 0) parts.push(onlyNamesSentence('Head office', 'the site', only_names));
  if (parts.length === 1 && connected) parts.push('Nothing waits.');
  return parts.join(' ');
}

export function headOfficeSentence(gateways: readonly SyncGateway[]): string {
  const enrolled = gateways.filter(({ state }) => state === 'enrolled');
  if (enrolled.length === 0) return 'No site is connected to this head office yet.';
  const heard = enrolled.filter(({ connected }) => connected).length;
  if (enrolled.length === 1) return heard === 1 ? 'The site is connected.' : 'The site has no connection now.';
  if (heard === enrolled.length) return `All ${enrolled.length} sites are connected.`;
  return `${heard} of ${enrolled.length} sites ${heard === 1 ? 'is' : 'are'} connected. The others work on alone.`;
}
