/** The page of keys: programs and agents use them. A key is shown once; the list shows its role, scopes and last use. */
import { useState } from 'preact/hooks';
import type { Output } from '#contract/operations.ts';
import { KEY_ROLES } from '#contract/site/node.ts';
import { moment } from '#ui/format.ts';
import { t, type Word } from '#ui/languages/texts.ts';
import { Choice, Copy, Empty, Field, Form, Problem, TruncationNote } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { ROLE_WORDS } from '#ui/office/base/status-words.ts';
import { usePolled, useSend } from '#ui/office/base/use.ts';
import { TokenList } from './token-list.tsx';

type Key = Output<'keys_list'>['data'][number];
type KeyRole = Key['role'];

/** Largest number of keys that the page shows. */
const SHOWN = 200;

const COLUMNS = ['Name', 'Role', 'Scopes', 'Last used', 'State'] as const satisfies readonly Word[];

function AddKey({ session, onMade }: { session: Session; onMade(name: string, secret: string): void }) {
  const [name, setName] = useState('');
  const [role, setRole] = useState<KeyRole>('agent');
  const [scopes, setScopes] = useState('');
  const [days, setDays] = useState('');
  const { busy, problem, send } = useSend();
  const roles = KEY_ROLES.filter((one) => one !== 'owner' || session.me.role === 'owner');
  return (
    <section class="panel-box">
      <h2>{t('Create a key')}</h2>
      <Form
        action={t('Create key')}
        busy={busy}
        onSend={() =>
          send(async () => {
            const list = scopes.split(/[\s,]+/).filter((one) => one !== '');
            const made = await session.client.call('keys_create', {
              name: name.trim(),
              role,
              ...(list.length === 0 ? {} : { scopes: list }),
              ...(days === '' ? {} : { expires_in_days: Number(days) }),
            });
            onMade(made.key.name, made.secret);
            setName('');
          })
        }
      >
        <Field
          label={t('Name')}
          value={name}
          onValue={setName}
          required
          hint={t('The program or agent that uses the key.')}
        />
        <Choice
          label={t('Role')}
          value={role}
          options={roles.map((one) => [one, t(ROLE_WORDS[one])] as const)}
          onValue={(value) => setRole(value as KeyRole)}
        />
        <Field
          label={t('Scopes (optional)')}
          value={scopes}
          onValue={setScopes}
          mono
          maxLength={2_000}
          hint={t('Such as {scopes}. Empty: everything that the role permits.', {
            scopes: 'equipment:read devices:write',
          })}
        />
        <Field label={t('Days until it ends (optional)')} value={days} onValue={setDays} maxLength={4} />
        <Problem text={problem} />
      </Form>
    </section>
  );
}

const isValid = ({ revoked_at, expires_at }: Key, now_ms: number): boolean =>
  revoked_at === null && (expires_at === null || Date.parse(expires_at) > now_ms);

function stateOf(key: Key, now_ms: number, zone: string): string {
  if (key.revoked_at !== null) return t('Revoked');
  if (!isValid(key, now_ms)) return t('Has ended');
  if (key.expires_at === null) return t('Valid');
  return t('Valid until {time}', { time: moment(Date.parse(key.expires_at), now_ms, zone) });
}

function KeyActions(props: { session: Session; id: string; onRolled(secret: string): void; onChanged(): void }) {
  const { session, id, onRolled, onChanged } = props;
  const [asking, setAsking] = useState(false);
  const [listing, setListing] = useState(false);
  const { busy, problem, send } = useSend();
  return (
    <>
      <button
        type="button"
        class="quiet"
        disabled={busy}
        onClick={() => send(async () => onRolled((await session.client.call('keys_roll', { id })).secret))}
      >
        {t('Replace')}
      </button>
      <button
        type="button"
        class="quiet"
        disabled={busy}
        onClick={() => {
          if (!asking) return setAsking(true);
          return send(async () => {
            await session.client.call('keys_revoke', { id });
            onChanged();
          });
        }}
      >
        {asking ? t('Revoke now') : t('Revoke')}
      </button>
      {session.me.project_ids === null && (
        <button type="button" class="quiet" aria-expanded={listing} onClick={() => setListing(!listing)}>
          {t('Tokens')}
        </button>
      )}
      {listing && <TokenList session={session} holder={id} />}
      <Problem text={problem} />
    </>
  );
}

function KeyRow({
  session,
  one,
  onMade,
  onChanged,
}: {
  session: Session;
  one: Key;
  onMade(name: string, secret: string): void;
  onChanged(): void;
}) {
  const now_ms = session.now();
  const { timezone } = session.project;
  return (
    <tr>
      <th scope="row">
        {one.name} <small class="mono">{one.prefix}</small>
      </th>
      <td data-label={t('Role')}>{t(ROLE_WORDS[one.role])}</td>
      <td data-label={t('Scopes')}>
        {one.scopes === null ? t('All of the role') : <code>{one.scopes.join(', ')}</code>}
      </td>
      <td data-label={t('Last used')}>
        {one.last_used_at === null ? t('Never') : moment(Date.parse(one.last_used_at), now_ms, timezone)}
      </td>
      <td data-label={t('State')}>{stateOf(one, now_ms, timezone)}</td>
      <td>
        {isValid(one, now_ms) && (
          <KeyActions
            session={session}
            id={one.id}
            onRolled={(secret) => onMade(one.name, secret)}
            onChanged={onChanged}
          />
        )}
      </td>
    </tr>
  );
}

export function KeysPage({ session }: { session: Session }) {
  const [made, setMade] = useState<{ name: string; secret: string } | null>(null);
  const keys = usePolled(() => session.client.call('keys_list', { limit: SHOWN }), 10_000, [session]);
  const show = (name: string, secret: string) => {
    setMade({ name, secret });
    keys.reload();
  };
  return (
    <>
      <h1>{t('Keys')}</h1>
      <p class="aside">{t('Programs and agents use keys. People sign in with their own account.')}</p>
      <Problem text={keys.problem} />
      {made !== null && (
        <section class="panel-box" aria-label={t('New key')}>
          <h2>{t('The key {name}', { name: made.name })}</h2>
          <p>{t('The gateway shows this key only once. Copy it into the program that uses it.')}</p>
          <Copy label={t('Key')} text={made.secret} lines={2} />
          <button type="button" onClick={() => setMade(null)}>
            {t('Done')}
          </button>
        </section>
      )}
      {keys.data !== null && keys.data.data.length === 0 ? (
        <Empty title={t('No keys')}>{t('A program needs a key to call the gateway.')}</Empty>
      ) : (
        <div class="table stacks">
          <table>
            <thead>
              <tr>
                {COLUMNS.map((name) => (
                  <th scope="col" key={name}>
                    {t(name)}
                  </th>
                ))}
                <td />
              </tr>
            </thead>
            <tbody>
              {(keys.data?.data ?? []).map((one) => (
                <KeyRow key={one.id} session={session} one={one} onMade={show} onChanged={keys.reload} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      <TruncationNote shown={keys.data?.data.length ?? 0} more={keys.data?.has_more ?? false} what={t('keys')} />
      <AddKey session={session} onMade={show} />
    </>
  );
}
