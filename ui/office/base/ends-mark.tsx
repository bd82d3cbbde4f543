/** What the header of every page says about the other end: at a site, what head office knows; at head office, when the site was last heard. */
import type { SyncStatus } from '#contract/site/sync.ts';
import { duration, moment } from '#ui/format.ts';
import { Live, Lost, Unknown } from '#ui/tiles/marks.tsx';
import { gatewayOf, useEnds } from './ends.ts';
import type { Session } from './session.ts';
import { useNow } from './use.ts';

/** The states that a person must look at. No connection is none of them. */
const TO_SEE: ReadonlySet<string> = new Set(['fenced', 'revoked', 'refused']);

function siteWords({ state, in_step_at, projects, budget }: SyncStatus, now: number, timezone: string): string | null {
  const waiting = projects.reduce((sum, project) => sum + project.waiting, 0);
  const knew =
    in_step_at === null ? 'has not everything yet' : `knew all at ${moment(Date.parse(in_step_at), now, timezone)}`;
  switch (state) {
    case null:
    case 'off':
      return null;
    case 'in_step':
      return 'Head office: up to date';
    case 'connecting':
      return 'Head office: connecting';
    case 'catching_up':
      if (budget?.state === 'used_up') return `Head office: only alerts until next month, ${waiting} wait`;
      return waiting === 0 ? 'Head office: exchanging data' : `Head office: sending ${waiting}`;
    case 'offline':
      return `Head office: no connection, ${knew}`;
    default:
      return `Head office: look at this, ${knew}`;
  }
}

/** At a site that is connected to head office, or was: one line with a link to the page. */
function SiteMark({ status, session }: { status: SyncStatus; session: Session }) {
  const now = useNow(session.now);
  const words = siteWords(status, now, session.project.timezone);
  if (words === null) return null;
  const toSee = TO_SEE.has(status.state ?? '');
  return (
    <a class={toSee ? 'ends to-see' : 'ends'} href="#head-office">
      {toSee ? <Unknown /> : status.state === 'offline' ? <Lost /> : <Live />}
      {words}
    </a>
  );
}

/** At head office: when the site of this project was last heard. */
function SiteHeard({ status, session }: { status: SyncStatus; session: Session }) {
  const now = useNow(session.now);
  const gateway = gatewayOf(status, session.project.id);
  if (gateway === undefined) return null;
  const { last_contact_at: at } = gateway;
  const heard = gateway.connected;
  return (
    <a class="ends" href="#head-office">
      {heard ? <Live /> : <Lost />}
      {at === null
        ? 'Never heard'
        : heard
          ? `Heard ${duration(now - Date.parse(at))} ago`
          : `Not heard since ${moment(Date.parse(at), now, session.project.timezone)}`}
    </a>
  );
}

export function EndsMark({ session }: { session: Session }) {
  const { data } = useEnds();
  if (data === null) return null;
  return data.role === 'site' ? (
    <SiteMark status={data} session={session} />
  ) : (
    <SiteHeard status={data} session={session} />
  );
}

/** At head office, above every page of a site without a connection: from when everything on the page is. */
export function OldNews({ session }: { session: Session }) {
  const { data } = useEnds();
  const now = useNow(session.now);
  const gateway = gatewayOf(data, session.project.id);
  if (gateway === undefined || gateway.last_contact_at === null || gateway.connected) return null;
  const at = Date.parse(gateway.last_contact_at);
  return (
    <p class="waiting old-news" role="status">
      <b>
        {gateway.state === 'revoked' ? 'Head office takes nothing from' : 'No connection to'} {gateway.name} since{' '}
        {moment(at, now, session.project.timezone)}.
      </b>{' '}
      The site works on. This page shows what head office knew then, {duration(now - at)} ago.
    </p>
  );
}

/** Beside "Conflicts" in the navigation: how many records wait for a decision. */
export const ConflictBadge = ({ count }: { count: number }) => (
  <span class="count">
    {count}
    <span class="hidden"> to decide</span>
  </span>
);
