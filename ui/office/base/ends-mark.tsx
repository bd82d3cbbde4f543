/** What the header of every page says about the other end: at a site, what head office knows; at head office, when the site was last heard. */
import type { SyncStatus } from '#contract/site/sync.ts';
import { duration, moment } from '#ui/format.ts';
import { language, said, t } from '#ui/languages/texts.ts';
import { Live, Lost, Unknown } from '#ui/tiles/marks.tsx';
import { gatewayOf, useEnds } from './ends.ts';
import type { Session } from './session.ts';
import { useNow } from './use.ts';

/** The states that a person must look at. No connection is none of them. */
const TO_SEE: ReadonlySet<string> = new Set(['fenced', 'revoked', 'refused']);

function siteWords({ state, in_step_at, projects, budget }: SyncStatus, now: number, timezone: string): string | null {
  const waiting = projects.reduce((sum, project) => sum + project.waiting, 0);
  const time = in_step_at === null ? null : moment(Date.parse(in_step_at), now, timezone);
  switch (state) {
    case null:
    case 'off':
      return null;
    case 'in_step':
      return t('Head office: up to date');
    case 'connecting':
      return t('Head office: connecting');
    case 'catching_up':
      if (budget?.state === 'used_up')
        return t('Head office: only alerts until next month, {waiting} wait', { waiting });
      return waiting === 0 ? t('Head office: exchanging data') : t('Head office: sending {waiting}', { waiting });
    case 'offline':
      return time === null
        ? t('Head office: no connection, has not everything yet')
        : t('Head office: no connection, knew all at {time}', { time });
    default:
      return time === null
        ? t('Head office: look at this, has not everything yet')
        : t('Head office: look at this, knew all at {time}', { time });
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
        ? t('Never heard')
        : heard
          ? t('Heard {age} ago', { age: duration(now - Date.parse(at)) })
          : t('Not heard since {time}', { time: moment(Date.parse(at), now, session.project.timezone) })}
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
    <p class="waiting old-news" lang={language().tag} role="status">
      {said('{since} The site works on. This page shows what head office knew then, {age} ago.', {
        since: (
          <b>
            {t(
              gateway.state === 'revoked'
                ? 'Head office takes nothing from {name} since {time}.'
                : 'No connection to {name} since {time}.',
              { name: gateway.name, time: moment(at, now, session.project.timezone) },
            )}
          </b>
        ),
        age: duration(now - at),
      })}
    </p>
  );
}

/** Beside "Conflicts" in the navigation: how many records wait for a decision. */
export const ConflictBadge = ({ count }: { count: number }) => (
  <span class="count">
    {count}
    <span class="hidden"> {t('to decide')}</span>
  </span>
);
