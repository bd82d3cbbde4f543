/** The personal tokens of a user or key: programs read transcripts of runs with them, and nothing else. */
import { useState } from 'preact/hooks';
import { moment } from '#ui/format.ts';
import { said, t } from '#ui/languages/texts.ts';
import { Copy, Field, Form, Problem } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { usePolled, useSend } from '#ui/office/base/use.ts';

/** Lists the tokens of a holder, each with its last use and a button that revokes it. */
export function TokenList({ session, holder, made = 0 }: { session: Session; holder: string; made?: number }) {
  const list = usePolled(() => session.client.call('personal_tokens_list', { key_id: holder, limit: 50 }), 30_000, [
    session,
    holder,
    made,
  ]);
  const { busy, problem, send } = useSend();
  const now_ms = session.now();
  const time = (text: string) => moment(Date.parse(text), now_ms, session.project.timezone);
  if (list.data === null) return <Problem text={list.problem} />;
  const valid = list.data.data.filter(
    ({ revoked_at, expires_at }) => revoked_at === null && (expires_at === null || Date.parse(expires_at) > now_ms),
  );
  if (valid.length === 0) return <p class="aside">{t('No personal tokens.')}</p>;
  return (
    <>
      <Problem text={problem} />
      <ul class="file-state">
        {valid.map((one) => (
          <li key={one.id}>
            <b>{one.name}</b> <small class="mono">{one.prefix}</small>, <code>{one.scopes.join(', ')}</code>,{' '}
            {one.last_used_at === null ? t('never used') : t('used {time}', { time: time(one.last_used_at) })}
            {one.expires_at !== null && `, ${t('ends {time}', { time: time(one.expires_at) })}`}{' '}
            <button
              type="button"
              class="quiet"
              disabled={busy}
              onClick={() =>
                send(async () => {
                  await session.client.call('personal_tokens_revoke', { id: one.id });
                  list.reload();
                })
              }
            >
              {t('Revoke the token')}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The own tokens of a person, with a form that makes one. */
export function OwnTokens({ session, user }: { session: Session; user: string }) {
  const [name, setName] = useState('');
  const [shown, setShown] = useState<{ name: string; secret: string } | null>(null);
  const [made, setMade] = useState(0);
  const { busy, problem, send } = useSend();
  return (
    <section class="panel-box">
      <h2>{t('Personal tokens')}</h2>
      <p class="aside">
        {t(
          'A program that has a token reads the transcripts of runs that you may read, and nothing else. A token ends after 30 days, and when your access ends.',
        )}
      </p>
      <TokenList session={session} holder={user} made={made} />
      {shown !== null && (
        <>
          <p>
            {said('The gateway shows the token {name} only once. Copy it into the program that uses it.', {
              name: <b>{shown.name}</b>,
            })}
          </p>
          <Copy label={t('Token')} text={shown.secret} lines={2} />
        </>
      )}
      <Form
        action={t('Create a token')}
        busy={busy}
        onSend={() =>
          send(async () => {
            const { token, secret } = await session.client.call('personal_tokens_create', { name: name.trim() });
            setShown({ name: token.name, secret });
            setMade((before) => before + 1);
            setName('');
          })
        }
      >
        <Field
          label={t('Name of the token')}
          value={name}
          onValue={setName}
          required
          hint={t('The program that uses it.')}
        />
        <Problem text={problem} />
      </Form>
    </section>
  );
}
