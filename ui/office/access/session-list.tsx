/** The browsers in which a user is signed in, each with a button that ends the session. */
import { moment } from '#ui/format.ts';
import { said, t } from '#ui/languages/texts.ts';
import { Problem } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { usePolled, useSend } from '#ui/office/base/use.ts';
import { renewPass } from '#ui/office/outbox/later.ts';

export function SessionList({ session, user }: { session: Session; user: string }) {
  const list = usePolled(() => session.client.call('sessions_list', { user_id: user, limit: 50 }), 30_000, [
    session,
    user,
  ]);
  const { busy, problem, send } = useSend();
  const now_ms = session.now();
  const time = (text: string) => moment(Date.parse(text), now_ms, session.project.timezone);
  if (list.data === null) return <Problem text={list.problem} />;
  if (list.data.data.length === 0) return <p class="aside">{t('Not signed in anywhere.')}</p>;
  return (
    <>
      <Problem text={problem} />
      <ul class="file-state">
        {list.data.data.map((one) => (
          <li key={one.id}>
            {said(
              one.tablet_id === null
                ? '{where}, used {time}, ends {end}'
                : '{where} (shared tablet), used {time}, ends {end}',
              {
                where: one.current ? <b>{t('This browser')}</b> : one.address,
                time: time(one.last_used_at),
                end: time(one.ends_at),
              },
            )}{' '}
            {!one.current && (
              <button
                type="button"
                class="quiet"
                disabled={busy}
                onClick={() =>
                  send(async () => {
                    await session.client.call('sessions_revoke', { id: one.id });
                    renewPass(session);
                    list.reload();
                  })
                }
              >
                {t('End')}
              </button>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
