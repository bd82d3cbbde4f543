/** The form fields of a repair ticket. */
import { PRIORITY, TICKET_TYPE } from '#contract/work/repair-ticket.ts';
import { t } from '#ui/languages/texts.ts';
import { Choice, Field } from '#ui/office/base/parts.tsx';
import { NumberField, Pick, PickMany, TextArea, Toggle } from '#ui/office/base/picks.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { DueField } from './due-field.tsx';
import { PriorityMark } from './ticket-card.tsx';
import type { Fields } from './ticket-draft.ts';
import { failureHint, parameterHint, TYPE_WORDS } from './ticket-text.ts';

type Named = readonly (readonly [id: string, text: string])[];

/** The mechanics and locations that the fields of a ticket offer. */
export interface Choices {
  /** All mechanics; null until the gateway has sent the list. */
  readonly mechanics: Named | null;
  /** All locations; null until the gateway has sent the list. */
  readonly locations: Named | null;
  /** Returns the name of an operator or mechanic; null for any other text. */
  person(id: string): string | null;
}

export interface FieldsProps<F> {
  readonly fields: F;
  touch<N extends keyof F & string>(name: N, value: F[N]): void;
}

type Grave = { readonly priority: Fields['priority']; readonly safety_critical: boolean };

/** The fields for the priority, and for whether the problem endangers people. */
export function Urgency({ fields, touch }: FieldsProps<Grave>) {
  return (
    <>
      <Pick
        label={t('Priority')}
        value={fields.priority}
        options={PRIORITY.map((one) => [one, <PriorityMark key={one} priority={one} />] as const)}
        onValue={(priority) => touch('priority', priority)}
      />
      <Toggle
        label={t('Safety critical: people can get hurt')}
        value={fields.safety_critical}
        onValue={(value) => touch('safety_critical', value)}
      />
    </>
  );
}

/**
 * Returns the options, and adds the selected ids that are not among them. Before the page has read the list, such an id is shown as "…".
 */
function withSelected(named: Named | null, selected: readonly string[]): Named {
  const missing = selected.filter((id) => id !== '' && !named?.some(([known]) => known === id));
  return [...(named ?? []), ...missing.map((id) => [id, named === null ? '…' : id] as const)];
}

/** The assigned mechanics. */
export function Assigned({
  fields,
  touch,
  choices,
}: FieldsProps<{ readonly assigned_mechanic_ids: readonly string[] }> & {
  choices: { readonly mechanics: Choices['mechanics'] };
}) {
  const { assigned_mechanic_ids } = fields;
  if (choices.mechanics === null) return <p class="aside">{t('Loading the mechanics…')}</p>;
  if (choices.mechanics.length === 0 && assigned_mechanic_ids.length === 0)
    return <p class="aside">{t('There are no mechanics yet. Add them on the People page.')}</p>;
  return (
    <PickMany
      label={t('Assigned to')}
      values={assigned_mechanic_ids}
      options={withSelected(choices.mechanics, assigned_mechanic_ids)}
      onValues={(ids) => touch('assigned_mechanic_ids', ids)}
    />
  );
}

/** The fields for SPN and FMI of a trouble code, each with its meaning. */
export function TroubleCodeFields({ fields, touch }: FieldsProps<{ readonly spn: string; readonly fmi: string }>) {
  const spn = parameterHint(fields.spn);
  return (
    <>
      <NumberField
        label="SPN"
        value={fields.spn}
        onValue={(text) => touch('spn', text)}
        hint={
          <span lang={spn.lang} data-as-is={spn.lang}>
            {spn.text}
          </span>
        }
      />
      <NumberField
        label="FMI"
        value={fields.fmi}
        onValue={(text) => touch('fmi', text)}
        hint={failureHint(fields.fmi)}
      />
    </>
  );
}

export function TicketForm(props: FieldsProps<Fields> & { session: Session; choices: Choices }) {
  const { fields, touch, session, choices } = props;
  const reporter = choices.person(fields.reported_by);
  return (
    <>
      <Field
        label={t('What is wrong')}
        value={fields.title}
        onValue={(text) => touch('title', text)}
        maxLength={200}
        required
      />
      <TextArea
        label={t('Description')}
        value={fields.description}
        onValue={(text) => touch('description', text)}
        maxLength={10_000}
      />
      <Urgency fields={fields} touch={touch} />
      <Assigned fields={fields} touch={touch} choices={choices} />
      <DueField
        value={fields.due_at}
        timezone={session.project.timezone}
        now={session.now}
        onValue={(at) => touch('due_at', at)}
      />
      <Pick
        label={t('Type of work')}
        value={fields.type}
        options={TICKET_TYPE.map((one) => [one, t(TYPE_WORDS[one])] as const)}
        onValue={(type) => touch('type', type)}
      />
      <h3>{t('What failed')}</h3>
      <div class="pair">
        <Field
          label={t('Component')}
          value={fields.component}
          onValue={(text) => touch('component', text)}
          maxLength={120}
        />
        <div class="pair small">
          <TroubleCodeFields fields={fields} touch={touch} />
        </div>
      </div>
      <TextArea
        label={t('Cause')}
        value={fields.cause}
        onValue={(text) => touch('cause', text)}
        rows={2}
        maxLength={500}
      />
      <TextArea
        label={t('What was done')}
        value={fields.remedy}
        onValue={(text) => touch('remedy', text)}
        rows={2}
        maxLength={500}
      />
      <div class="pair">
        <Choice
          label={t('Place')}
          value={fields.location_id}
          options={[['', t('None')], ...withSelected(choices.locations, [fields.location_id])]}
          onValue={(id) => touch('location_id', id)}
        />
        <Field
          label={t('Reported by')}
          value={fields.reported_by}
          onValue={(text) => touch('reported_by', text)}
          maxLength={120}
          {...(reporter !== null && { hint: reporter })}
        />
      </div>
    </>
  );
}
