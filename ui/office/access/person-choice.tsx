/** Links a user to the record of an operator or mechanic of the site, so that the two are known to be one person. */
import type { Output } from '#contract/operations.ts';
import { t } from '#ui/languages/texts.ts';
import { useList } from '#ui/office/base/lists.ts';
import { Choice } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';

type Person = Output<'users_get'>['person'];

const NOBODY = 'none';
const KINDS = ['operator', 'mechanic'] as const;

export function PersonChoice(props: {
  session: Session;
  person: Person;
  disabled: boolean;
  onPerson(person: Person): void;
}) {
  const { session, person, disabled, onPerson } = props;
  const operators = useList(session, 'operators_list');
  const mechanics = useList(session, 'mechanics_list');
  if (operators === null || mechanics === null) return null;
  const textOf = (object: string, id: string) => `${object} ${id}`;
  const options: (readonly [string, string])[] = [
    [NOBODY, t('Nobody')],
    ...operators.map(({ id, name }) => [textOf('operator', id), t('{name}, operator', { name })] as const),
    ...mechanics.map(({ id, name }) => [textOf('mechanic', id), t('{name}, mechanic', { name })] as const),
  ];
  const value = person === null ? NOBODY : textOf(person.object, person.id);
  // The record may belong to another site, or be one of very many.
  if (!options.some(([one]) => one === value)) options.push([value, t('A record of another site')]);
  return (
    <Choice
      label={t('Operator or mechanic')}
      value={value}
      options={options}
      disabled={disabled}
      onValue={(next) => {
        const [object = '', id = ''] = next.split(' ');
        const kind = KINDS.find((one) => one === object);
        if (next === NOBODY) onPerson(null);
        else if (kind !== undefined && next !== value) onPerson({ project_id: session.project.id, object: kind, id });
      }}
    />
  );
}
