/** The page of shared tablets: an admin creates a tablet, shows the QR code that enrols it, changes its people, and revokes it. */
import { useState } from 'preact/hooks';
import type { Output } from '#contract/operations.ts';
import { PIN_ROLES } from '#contract/site/user.ts';
import { moment } from '#ui/format.ts';
import { language, t, type Word } from '#ui/languages/texts.ts';
import { Copy, Empty, Field, Form, LoopbackHint, Problem, TruncationNote } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { ROLE_WORDS } from '#ui/office/base/status-words.ts';
import { usePolled, useSend } from '#ui/office/base/use.ts';

type Tablet = Output<'tablets_list'>['data'][number];
type Link = Output<'tablets_create'>;
type PinRole = Tablet['roles'][number];
type User = Output<'users_list'>['data'][number];

/** Largest number of tablets, and of users to choose from, that the page shows. */
const SHOWN = 200;

/** Who may use a tablet. */
interface People {
  readonly roles: readonly PinRole[];
  readonly user_ids: readonly string[];
}

const ROLES_MANY: Readonly<Record<PinRole, Word>> = {
  supervisor: 'All supervisors',
  mechanic: 'All mechanics',
  operator: 'All operators',
  viewer: 'All viewers',
};

const COLUMNS = ['Name', 'Who may use it', 'State', 'Last used'] as const satisfies readonly Word[];

const withOr = <T,>(list: readonly T[], one: T, on: boolean) => [
  ...list.filter((other) => other !== one),
  ...(on ? [one] : []),
];

function PeopleChoice(props: { users: readonly User[]; value: People; onValue(value: People): void }) {
  const { users, value, onValue } = props;
  return (
    <>
      <fieldset class="choices">
        <legend>{t('Who may use it')}</legend>
        {PIN_ROLES.map((role) => (
          <label class="check" key={role}>
            <input
              type="checkbox"
              checked={value.roles.includes(role)}
              onChange={(event) => onValue({ ...value, roles: withOr(value.roles, role, event.currentTarget.checked) })}
            />
            {t(ROLES_MANY[role])}
          </label>
        ))}
      </fieldset>
      {users.length > 0 && (
        <fieldset class="choices">
          <legend>{t('And these people')}</legend>
          {users.map(({ id, name, role }) => (
            <label class="check" key={id}>
              <input
                type="checkbox"
                checked={value.user_ids.includes(id)}
                onChange={(event) =>
                  onValue({ ...value, user_ids: withOr(value.user_ids, id, event.currentTarget.checked) })
                }
              />
              {name}, {t(ROLE_WORDS[role])}
            </label>
          ))}
        </fieldset>
      )}
      <p class="aside">
        {t(
          'Owners and admins cannot use a shared tablet: a PIN of 6 digits is too short for their rights. They sign in with their passphrase on another device.',
        )}
      </p>
    </>
  );
}

function LinkCard({ link, onClose }: { link: Link; onClose(): void }) {
  const { tablet, url, qr, expires_at } = link;
  return (
    <section class="panel-box" aria-label={t('Enrol the tablet')}>
      <h2>{t('Enrol {name}', { name: tablet.name })}</h2>
      <p>
        {t(
          'Scan this code with the camera of the tablet, or open the link on it. The code is valid once, until {time}.',
          {
            time: new Date(expires_at).toLocaleTimeString(language().tag, { hour: '2-digit', minute: '2-digit' }),
          },
        )}
      </p>
      {/* The gateway makes this SVG itself, so it cannot contain foreign content. */}
      {qr !== null && (
        <img
          class="qr"
          alt={t('QR code that enrols the tablet')}
          src={`data:image/svg+xml,${encodeURIComponent(qr)}`}
        />
      )}
      <Copy label={t('Link for the tablet')} text={url} lines={2} />
      <LoopbackHint />
      <button type="button" onClick={onClose}>
        {t('Done')}
      </button>
    </section>
  );
}

function AddTablet(props: { session: Session; users: readonly User[]; onMade(link: Link): void }) {
  const { session, users, onMade } = props;
  const [name, setName] = useState('');
  const [people, setPeople] = useState<People>({ roles: ['mechanic', 'operator'], user_ids: [] });
  const { busy, problem, send } = useSend();
  return (
    <section class="panel-box">
      <h2>{t('Add a tablet')}</h2>
      <Form
        action={t('Add and show the QR code')}
        busy={busy}
        onSend={() =>
          send(async () => {
            const { roles, user_ids } = people;
            const input = { name: name.trim(), roles: [...roles], user_ids: [...user_ids] };
            onMade(await session.client.call('tablets_create', input));
            setName('');
          })
        }
      >
        <Field
          label={t('Name')}
          value={name}
          onValue={setName}
          required
          hint={t('Such as the place of the tablet: Workshop.')}
        />
        <PeopleChoice users={users} value={people} onValue={setPeople} />
        <Problem text={problem} />
      </Form>
    </section>
  );
}

function EditTablet(props: {
  session: Session;
  tablet: Tablet;
  users: readonly User[];
  onChanged(): void;
  onLink(link: Link): void;
}) {
  const { session, tablet, users, onChanged, onLink } = props;
  const [people, setPeople] = useState<People>(tablet);
  const [asking, setAsking] = useState(false);
  const { busy, problem, send } = useSend();
  const { id } = tablet;
  return (
    <div class="nested">
      <Form
        action={t('Save the people')}
        busy={busy}
        onSend={() =>
          send(async () => {
            const { roles, user_ids } = people;
            await session.client.call('tablets_update', { id, roles: [...roles], user_ids: [...user_ids] });
            onChanged();
          })
        }
      >
        <PeopleChoice users={users} value={people} onValue={setPeople} />
        <Problem text={problem} />
      </Form>
      <div class="buttons">
        <button
          type="button"
          disabled={busy}
          onClick={() => send(async () => onLink(await session.client.call('tablets_link', { id })))}
        >
          {t('New QR code')}
        </button>
        <button
          type="button"
          disabled={busy}
          onClick={() => {
            if (!asking) return setAsking(true);
            return send(async () => {
              await session.client.call('tablets_revoke', { id });
              onChanged();
            });
          }}
        >
          {asking ? t('Revoke now') : t('Revoke')}
        </button>
      </div>
    </div>
  );
}

function peopleText({ roles, user_ids }: People, users: readonly User[]): string {
  const names = user_ids.map((id) => users.find((user) => user.id === id)?.name ?? t('a user without access'));
  return [...roles.map((role) => t(ROLES_MANY[role])), ...names].join(', ');
}

function stateText({ state, enrolled_at, revoked_at }: Tablet, time: (at: string) => string): string {
  if (state === 'waiting') return t('Not enrolled yet');
  return revoked_at === null
    ? t('Enrolled {time}', { time: time(enrolled_at ?? '') })
    : t('Revoked {time}', { time: time(revoked_at) });
}

export function TabletsPage({ session }: { session: Session }) {
  const [chosen, setChosen] = useState<string | null>(null);
  const [link, setLink] = useState<Link | null>(null);
  const tablets = usePolled(() => session.client.call('tablets_list', { limit: SHOWN, order: 'asc' }), 10_000, [
    session,
  ]);
  const all = usePolled(() => session.client.call('users_list', { limit: SHOWN, order: 'asc' }), 30_000, [session]);
  const { id: project } = session.project;
  const users = (all.data?.data ?? []).filter(
    ({ role, project_ids, disabled_at }) =>
      PIN_ROLES.some((one) => one === role) && disabled_at === null && (project_ids?.includes(project) ?? true),
  );
  const time = (at: string) => moment(Date.parse(at), session.now(), session.project.timezone);
  const linked = (made: Link) => {
    setLink(made);
    setChosen(null);
    tablets.reload();
  };
  return (
    <>
      <h1>{t('Tablets')}</h1>
      <p class="aside">
        {t(
          'People share a tablet, for example in the workshop. It shows their names, and each person signs in with a PIN.',
        )}
      </p>
      <Problem text={tablets.problem ?? all.problem} />
      {link !== null && <LinkCard link={link} onClose={() => setLink(null)} />}
      {tablets.data !== null && tablets.data.data.length === 0 ? (
        <Empty title={t('No tablets yet')}>
          {t('Add a tablet, scan its QR code with the tablet, and give each person a PIN.')}
        </Empty>
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
              {(tablets.data?.data ?? []).map((tablet) => (
                <tr key={tablet.id} aria-selected={chosen === tablet.id}>
                  <th scope="row">
                    {tablet.state === 'revoked' ? (
                      tablet.name
                    ) : (
                      <button
                        type="button"
                        class="link"
                        aria-expanded={chosen === tablet.id}
                        onClick={() => setChosen(chosen === tablet.id ? null : tablet.id)}
                      >
                        {tablet.name}
                      </button>
                    )}
                    {chosen === tablet.id && tablet.state !== 'revoked' && (
                      <EditTablet
                        session={session}
                        tablet={tablet}
                        users={users}
                        onChanged={tablets.reload}
                        onLink={linked}
                      />
                    )}
                  </th>
                  <td data-label={t('Who may use it')}>{peopleText(tablet, users)}</td>
                  <td data-label={t('State')}>{stateText(tablet, time)}</td>
                  <td data-label={t('Last used')}>
                    {tablet.last_used_at === null ? t('Never') : time(tablet.last_used_at)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <TruncationNote
        shown={tablets.data?.data.length ?? 0}
        more={tablets.data?.has_more ?? false}
        what={t('tablets')}
      />
      <AddTablet session={session} users={users} onMade={linked} />
    </>
  );
}
