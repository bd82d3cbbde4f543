/** Who may approve the work of the agent, besides owners and admins. */
import { t } from '#ui/languages/texts.ts';
import { PickMany } from '#ui/office/base/picks.tsx';
import { may, type Session } from '#ui/office/base/session.ts';
import { usePolled } from '#ui/office/base/use.ts';

const EVERY_MS = 60_000;
/** Owners and admins approve anyway. Of the others, this role may start a run again. */
const APPROVES = 'supervisor';

/** Returns the names of the users and keys that can be approvers, by id. Null until they are read, and for who may not read them. */
export function useApprovers(session: Session): ReadonlyMap<string, string> | null {
  const { client } = session;
  const mayRead = may(session, 'users_list') && may(session, 'keys_list');
  const { data } = usePolled(
    async (signal) => {
      if (!mayRead) return null;
      const [users, keys] = await Promise.all([
        client.call('users_list', { limit: 200 }, { signal }),
        client.call('keys_list', { limit: 200 }, { signal }),
      ]);
      const people = users.data.filter(({ role, disabled_at }) => role === APPROVES && disabled_at === null);
      const programs = keys.data.filter(({ role, revoked_at }) => role === APPROVES && revoked_at === null);
      return new Map([...people, ...programs].map(({ id, name }) => [id, name]));
    },
    EVERY_MS,
    [session],
  );
  return data;
}

export const approversText = (ids: readonly string[], names: ReadonlyMap<string, string> | null): string =>
  ids.length === 0 ? t('Only owners and admins') : ids.map((id) => names?.get(id) ?? id).join(', ');

/** The choice of approvers. An approver that is no supervisor any more stays in the list until a person takes it out. */
export function Approvers(props: {
  session: Session;
  values: readonly string[];
  onValues(values: readonly string[]): void;
}) {
  const { session, values, onValues } = props;
  const names = useApprovers(session);
  if (names === null) return null;
  const others = values.filter((id) => !names.has(id)).map((id) => [id, id] as const);
  const options = [...names, ...others];
  if (options.length === 0)
    return (
      <p class="aside">{t('Owners and admins approve. A supervisor who shall approve too needs an account first.')}</p>
    );
  return (
    <PickMany
      label={t('Approvers')}
      values={values}
      options={options}
      onValues={onValues}
      hint={t('Owners and admins approve anyway. A key of an agent never does.')}
    />
  );
}
