/** The page of users: people with an account. An admin adds a user, and shows the invitation as a QR code or a link. */
import { useState } from 'preact/hooks';
import type { Output } from '#contract/operations.ts';
import { PIN_ROLES, USER_ROLES } from '#contract/site/user.ts';
import { moment } from '#ui/format.ts';
import { t, type Word } from '#ui/languages/texts.ts';
import { Choice, Copy, Empty, Field, Form, LoopbackHint, Problem, TruncationNote } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { ROLE_WORDS } from '#ui/office/base/status-words.ts';
import { usePolled, useSend } from '#ui/office/base/use.ts';
import { localTime } from '#ui/office/language/local-time.ts';
import { PersonChoice } from './person-choice.tsx';
import { SessionList } from './session-list.tsx';
import { TokenList } from './token-list.tsx';

type User = Output<'users_get'>;
type Invitation = Output<'users_invite'>;
type OncePin = Output<'users_pin_reset'>;
type Role = User['role'];

/** Largest number of users that the page shows. */
const SHOWN = 200;

const PIN_WORDS: Readonly<Record<User['pin'], Word>> = { none: 'No PIN', one_time: 'One-time', set: 'Chosen' };

const COLUMNS = ['Name', 'Role', 'Sites', 'State', 'PIN'] as const satisfies readonly Word[];

/** The roles that this person may give. */
function rolesFor({ me }: Session) {
  return USER_ROLES.filter((role) => role !== 'owner' || me.role === 'owner').map(
    (role) => [role, t(ROLE_WORDS[role])] as const,
  );
}

function InvitationCard({ invitation, onClose }: { invitation: Invitation; onClose(): void }) {
  const { user, url, qr, expires_at } = invitation;
  return (
    <section class="panel-box" aria-label={t('Invitation')}>
      <h2>{t('Invitation for {name}', { name: user.name })}</h2>
      <p>
        {t(
          'Let {name} scan this code with a phone, or send the link. It is valid once, until {time}. With it the person chooses a passphrase.',
          { name: user.name, time: localTime(expires_at) },
        )}
      </p>
      {/* The gateway makes this SVG itself, so it cannot contain foreign content. */}
      {qr !== null && (
        <img class="qr" alt={t('QR code of the invitation')} src={`data:image/svg+xml,${encodeURIComponent(qr)}`} />
      )}
      <Copy label={t('Link of the invitation')} text={url} lines={2} />
      <LoopbackHint />
      <button type="button" onClick={onClose}>
        {t('Done')}
      </button>
    </section>
  );
}

function OncePinCard({ once, onClose }: { once: OncePin; onClose(): void }) {
  const { user, pin, expires_at } = once;
  return (
    <section class="panel-box" aria-label={t('One-time PIN')}>
      <h2>{t('One-time PIN for {name}', { name: user.name })}</h2>
      <p class="once-pin">
        {pin.slice(0, 3)} {pin.slice(3)}
      </p>
      <p>
        {t(
          'Tell {name} this PIN. It is valid once on a shared tablet, until {time}. The tablet then asks for an own PIN, which nobody else can read. The gateway does not show this PIN again.',
          { name: user.name, time: localTime(expires_at) },
        )}
      </p>
      <button type="button" onClick={onClose}>
        {t('Done')}
      </button>
    </section>
  );
}

function AddUser({ session, onMade }: { session: Session; onMade(invitation: Invitation): void }) {
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('operator');
  const [ends, setEnds] = useState('');
  const [own, setOwn] = useState(false);
  const { busy, problem, send } = useSend();
  return (
    <section class="panel-box">
      <h2>{t('Add a user')}</h2>
      <Form
        action={t('Add and invite')}
        busy={busy}
        onSend={() =>
          send(async () => {
            const user = await session.client.call('users_create', {
              name,
              role,
              ...(own ? { project_ids: [session.project.id] } : {}),
              ...(ends === '' ? {} : { ends_at: new Date(`${ends}T23:59:59`).toISOString() }),
            });
            setName('');
            onMade(await session.client.call('users_invite', { id: user.id }));
          })
        }
      >
        <Field
          label={t('Name')}
          value={name}
          onValue={setName}
          required
          hint={t('The person signs in with this name.')}
        />
        <Choice
          label={t('Role')}
          value={role}
          options={rolesFor(session)}
          onValue={(value) => setRole(value as Role)}
        />
        {role !== 'owner' && session.projects.length > 1 && (
          <label class="check">
            <input type="checkbox" checked={own} onChange={(event) => setOwn(event.currentTarget.checked)} />
            {t('Only the site {name}', { name: session.project.name })}
          </label>
        )}
        <div class="field">
          <label for="user-ends">{t('Access ends after (optional)')}</label>
          <input id="user-ends" type="date" value={ends} onChange={(event) => setEnds(event.currentTarget.value)} />
        </div>
        <Problem text={problem} />
      </Form>
    </section>
  );
}

function stateOf({ disabled_at, ends_at, has_passphrase }: User, now_ms: number, zone: string): string {
  if (disabled_at !== null) return t('Disabled');
  if (ends_at !== null && Date.parse(ends_at) <= now_ms) return t('Access has ended');
  if (!has_passphrase) return t('Invited');
  return ends_at === null ? t('Active') : t('Active until {time}', { time: moment(Date.parse(ends_at), now_ms, zone) });
}

function UserDetail(props: {
  session: Session;
  user: User;
  onChanged(): void;
  onInvited(invitation: Invitation): void;
  onPin(once: OncePin): void;
}) {
  const { session, user, onChanged, onInvited, onPin } = props;
  const { busy, problem, send } = useSend();
  const own = user.id === session.me.user?.id;
  const isOwners = user.role === 'owner' && session.me.role !== 'owner';
  const change = (input: { role?: Role; disabled?: boolean; person?: User['person'] }) =>
    send(async () => {
      await session.client.call('users_update', { id: user.id, ...input });
      onChanged();
    });
  if (isOwners) return <p class="aside">{t('Only an owner can change an owner.')}</p>;
  return (
    <div class="nested">
      <Choice
        label={t('Role')}
        value={user.role}
        options={rolesFor(session)}
        disabled={busy || own}
        onValue={(value) => change({ role: value as Role })}
      />
      <PersonChoice
        session={session}
        person={user.person}
        disabled={busy}
        onPerson={(person) => void change({ person })}
      />
      <div class="actions">
        <button
          type="button"
          disabled={busy || user.disabled_at !== null}
          onClick={() => send(async () => onInvited(await session.client.call('users_invite', { id: user.id })))}
        >
          {user.has_passphrase ? t('Reset the passphrase') : t('New invitation')}
        </button>
        {PIN_ROLES.some((role) => role === user.role) && (
          <button
            type="button"
            disabled={busy || user.disabled_at !== null}
            onClick={() => send(async () => onPin(await session.client.call('users_pin_reset', { id: user.id })))}
          >
            {user.pin === 'none' ? t('Give a PIN') : t('Reset the PIN')}
          </button>
        )}
        {!own && (
          <button type="button" disabled={busy} onClick={() => change({ disabled: user.disabled_at === null })}>
            {user.disabled_at === null ? t('Disable') : t('Enable')}
          </button>
        )}
      </div>
      <Problem text={problem} />
      <h3>{t('Signed in')}</h3>
      <SessionList session={session} user={user.id} />
      {session.me.project_ids === null && (
        <>
          <h3>{t('Personal tokens')}</h3>
          <TokenList session={session} holder={user.id} />
        </>
      )}
    </div>
  );
}

export function UsersPage({ session }: { session: Session }) {
  const [chosen, setChosen] = useState<string | null>(null);
  const [invitation, setInvitation] = useState<Invitation | null>(null);
  const [once, setOnce] = useState<OncePin | null>(null);
  const users = usePolled(() => session.client.call('users_list', { limit: SHOWN, order: 'asc' }), 10_000, [session]);
  const now_ms = session.now();
  const invited = (made: Invitation) => {
    setInvitation(made);
    users.reload();
  };
  return (
    <>
      <h1>{t('Users')}</h1>
      <p class="aside">
        {t(
          'Each person signs in with an own account. The role of a person decides what the person sees and may change.',
        )}
      </p>
      <Problem text={users.problem} />
      {invitation !== null && <InvitationCard invitation={invitation} onClose={() => setInvitation(null)} />}
      {once !== null && <OncePinCard once={once} onClose={() => setOnce(null)} />}
      {users.data !== null && users.data.data.length === 0 ? (
        <Empty title={t('No users yet')}>{t('Add yourself first, with the role owner.')}</Empty>
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
              </tr>
            </thead>
            <tbody>
              {(users.data?.data ?? []).map((user) => (
                <tr key={user.id} aria-selected={chosen === user.id}>
                  <th scope="row">
                    <button
                      type="button"
                      class="link"
                      aria-expanded={chosen === user.id}
                      onClick={() => setChosen(chosen === user.id ? null : user.id)}
                    >
                      {user.name}
                    </button>
                    {chosen === user.id && (
                      <UserDetail
                        session={session}
                        user={user}
                        onChanged={users.reload}
                        onInvited={invited}
                        onPin={(made) => {
                          setOnce(made);
                          users.reload();
                        }}
                      />
                    )}
                  </th>
                  <td data-label={t('Role')}>{t(ROLE_WORDS[user.role])}</td>
                  <td data-label={t('Sites')}>
                    {user.project_ids === null ? t('All sites') : user.project_ids.length}
                  </td>
                  <td data-label={t('State')}>{stateOf(user, now_ms, session.project.timezone)}</td>
                  <td data-label={t('PIN')}>{t(PIN_WORDS[user.pin])}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <TruncationNote shown={users.data?.data.length ?? 0} more={users.data?.has_more ?? false} what={t('users')} />
      <AddUser session={session} onMade={invited} />
    </>
  );
}
