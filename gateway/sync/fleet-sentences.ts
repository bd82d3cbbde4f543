/** Sentences of head office about its sites, for people. */

import { say, type Told, type ToldText } from '#contract/base/told.ts';
import type { SyncGateway } from '#contract/site/sync-gateway.ts';
import { durationOf, givenBackSentence, onlyNamesSentence } from './sentences.ts';

/** The time between two calls is told if it is longer. */
const USUAL_S = 60;

const BOXES =
  'Several boxes use the identity of this site, such as a computer and a copy of its disk. Head office takes the data of one of them.';

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
function linkWords({ link, contact_s }: Facts): Told {
  if (contact_s <= USUAL_S) return say('Connected.');
  const time = durationOf(contact_s * 1_000);
  if (link === 'used_up')
    return say(
      'Connected. The bytes of this month for the link are used up: the site sends only alerts, and it calls every {time}.',
      { time },
    );
  return say('Connected. The link costs money by the byte, so it calls every {time}. Alerts come at once.', { time });
}

/** The state of one site in one sentence or two. No connection is normal, and is not called an error. */
export function gatewaySentence(facts: Facts, now: number): ToldText {
  const { state, last_contact_at, connected, waiting, waiting_here, not_taken, only_names } = facts;
  if (state === 'revoked') return [say('Head office takes nothing from this gateway, because an admin revoked it.')];
  if (last_contact_at === null) return [say('This site has not sent anything yet.')];
  const silent = Math.max(0, now - Date.parse(last_contact_at));
  const parts: Told[] = [
    connected
      ? linkWords(facts)
      : say('No connection for {time}. The site works on alone, and head office shows what it knew then.', {
          time: durationOf(silent),
        }),
  ];
  if (facts.boxes.length > 0) parts.push(say(BOXES));
  if (facts.given_back !== null) parts.push(givenBackSentence(facts.given_back));
  if (waiting !== null && waiting > 0)
    parts.push(
      say('At the last contact, {n} change waited at the site.|At the last contact, {n} changes waited at the site.', {
        n: waiting,
      }),
    );
  if (waiting_here > 0)
    parts.push(say('{n} change waits here for the site.|{n} changes wait here for the site.', { n: waiting_here }));
  if (not_taken > 0)
    parts.push(
      say('Head office could not take {n} change of this site.|Head office could not take {n} changes of this site.', {
        n: not_taken,
      }),
    );
  if (only_names > 0) parts.push(onlyNamesSentence('office_of_site', only_names));
  if (parts.length === 1 && connected) parts.push(say('Nothing waits.'));
  return parts;
}

export function headOfficeSentence(gateways: readonly SyncGateway[]): Told {
  const enrolled = gateways.filter(({ state }) => state === 'enrolled');
  if (enrolled.length === 0) return say('No site is connected to this head office yet.');
  const heard = enrolled.filter(({ connected }) => connected).length;
  if (enrolled.length === 1)
    return heard === 1 ? say('The site is connected.') : say('The site has no connection now.');
  if (heard === enrolled.length) return say('All {count} sites are connected.', { count: enrolled.length });
  return say(
    '{n} of {count} sites is connected. The others work on alone.|{n} of {count} sites are connected. The others work on alone.',
    { n: heard, count: enrolled.length },
  );
}
