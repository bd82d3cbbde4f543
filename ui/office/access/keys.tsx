/** The page of keys: programs and agents use them. A key is shown once; the list shows its role, scopes and last use. */
import { useState } from 'preact/hooks';
import type { Output } from '#contract/operations.ts';
import { KEY_ROLES } from '#contract/site/node.ts';
import { moment } from '#ui/format.ts';
import { Choice, Copy, Empty, Field, Form, Problem, TruncationNote } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { ROLE_WORDS } from '#ui/office/base/status-words.ts';
import { usePolled, useSend } from '#ui/office/base/use.ts';
import { TokenList } from './token-list.tsx';

type Key = Output<'keys_list'>['data'][number];
type KeyRole = Key['role'];

/** Largest number of keys that the page shows. */
const SHOWN = 200;

function AddKey({ session, onMade }: { session: Session; onMade(name: string, secret: string): void }) {
  const [name, setName] = useState('');
  const [role, setRole] = useState<KeyRole>('agent');
  const [scopes, setScopes] = useState('');
  const [days, setDays] = useState('');
  const { busy, problem, send } = useSend();
  const roles = KEY_ROLES.filter((one) => one !== 'owner' || session.me.role === 'owner');
  return (
    <section class="panel-box">
      <h2>Create a key</h2>
      <Form
        action="Create key"
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
        <Field label="Name" value={name} onValue={setName} required hint="The program or agent that uses the key." />
        <Choice
          label="Role"
          value={role}
          options={roles.map((one) => [one, ROLE_WORDS[one]] as const)}
          onValue={(value) => setRole(value as KeyRole)}
        />
        <Field
          label="Scopes (optional)"
          value={scopes}
          onValue={setScopes}
          mono
          maxLength={2_000}
          hint="Such as equipment:read devices:write. Empty: everything that the role permits."
        />
        <Field label="Days until it ends (optional)" value={days} onValue={setDays} maxLength={4} />
        <Problem text={problem} />
      </Form>
    </section>
  );
}

function stateOf(key: Key, now_ms: number, zone: string): string {
  if (key.revoked_at !== null) return 'Revoked';
  if (key.expires_at === null) return 'Valid';
  const at = Date.parse(key.expires_at);
  return at <= now_ms ? 'Expired' : `Valid until ${moment(at, now_ms, zone)}`;
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
        Replace
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
        {asking ? 'Revoke now' : 'Revoke'}
      </button>
      {session.me.project_ids === null && (
        <button type="button" class="quiet" aria-expanded={listing} onClick={() => setListing(!listing)}>
          Tokens
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
  const state = stateOf(one, now_ms, timezone);
  return (
    <tr>
      <th scope="row">
        {one.name} <small class="mono">{one.prefix}</small>
      </th>
      <td data-label="Role">{ROLE_WORDS[one.role]}</td>
      <td data-label="Scopes">{one.scopes === null ? 'All of the role' : one.scopes.join(', ')}</td>
      <td data-label="Last used">
        {one.last_used_at === null ? 'Never' : moment(Date.parse(one.last_used_at), now_ms, timezone)}
      </td>
      <td data-label="State">{state}</td>
      <td>
        {state.startsWith('Valid') && (
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
      <h1>Keys</h1>
      <p class="aside">Programs and agents use keys. People sign in with their own account.</p>
      <Problem text={keys.problem} />
      {made !== null && (
        <section class="panel-box" aria-label="New key">
          <h2>The key {made.name}</h2>
          <p>The gateway shows this key only once. Copy it into the program that uses it.</p>
          <Copy label="Key" text={made.secret} lines={2} />
          <button type="button" onClick={() => setMade(null)}>
            Done
          </button>
        </section>
      )}
      {keys.data !== null && keys.data.data.length === 0 ? (
        <Empty title="No keys">A program needs a key to call the gateway.</Empty>
      ) : (
        <div class="table stacks">
          <table>
            <thead>
              <tr>
                {['Name', 'Role', 'Scopes', 'Last used', 'State', ''].map((name) => (
                  <th scope="col" key={name}>
                    {name}
                  </th>
                ))}
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
      <TruncationNote shown={keys.data?.data.length ?? 0} more={keys.data?.has_more ?? false} what="keys" />
      <AddKey session={session} onMade={show} />
    </>
  );
}
