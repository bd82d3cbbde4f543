/** The fields of the new-ticket form, and the request that creates the ticket from them. */
import type { Input, Output } from '#contract/operations.ts';
import { inEnglish, t } from '#ui/languages/texts.ts';
import { parseNumber } from '#ui/office/base/numbers.ts';
import { type Alert, crossed } from './alert-text.ts';
import { failureOf } from './ticket-draft.ts';
import { PRIORITY_OF, type Priority } from './ticket-text.ts';

type Machine = Output<'equipment_list'>['data'][number];

/** The fields of the new-ticket form. Numbers are text as the person typed them. */
export type NewFields = {
  readonly equipment_id: string;
  readonly title: string;
  readonly description: string;
  readonly priority: Priority;
  readonly safety_critical: boolean;
  readonly component: string;
  readonly spn: string;
  readonly fmi: string;
  readonly meter_hours: string;
  readonly reported_by: string;
  readonly due_at: string;
  readonly assigned_mechanic_ids: readonly string[];
  /** Id of the alert from which the person creates the ticket; empty if there is no alert. */
  readonly alert: string;
};
export type Create = Input<'repair_tickets_create'>;
/**
 * The form as the tab stores it. Because the tab also stores the key, a request that is repeated after a reload has the same key and
 * creates no second ticket.
 */
export interface NewTicketState {
  /** The Idempotency-Key of each request that creates this ticket. */
  readonly key: string;
  readonly fields: NewFields;
  /** Requests that the page sent with the key and that got no answer. Each of them may have created the ticket. */
  readonly sent: readonly Create[];
}
/** Largest number of requests without an answer that the tab stores. */
export const MOST_SENT = 5;

export const EMPTY: NewFields = {
  equipment_id: '',
  title: '',
  description: '',
  priority: 'medium',
  safety_critical: false,
  component: '',
  spn: '',
  fmi: '',
  meter_hours: '',
  reported_by: '',
  due_at: '',
  assigned_mechanic_ids: [],
  alert: '',
};

/** Returns the title of a ticket from an alert. The gateway stores it, so it is in English with metric units in every language of the page. */
function titleOf(alert: Alert): string {
  const what = inEnglish(() => crossed(alert));
  return (what.startsWith(alert.rule_name) ? what : `${alert.rule_name}: ${what}`).slice(0, 200);
}

/**
 * Returns the fields of a ticket from an alert: title, severity, machine and trouble code. The trouble code is the code that the alert
 * names. An alert about a lamp or about the number of codes names no code; if the machine then has exactly one active code, the field gets
 * this code.
 */
export function fieldsFrom(alert: Alert, machine: Machine | null): NewFields {
  const codes = machine?.dtcs ?? [];
  const only = alert.signal_name.startsWith('dtc.') && codes.length === 1 ? codes[0] : undefined;
  const code = alert.code ?? only;
  return {
    ...EMPTY,
    equipment_id: alert.machine_id ?? '',
    title: titleOf(alert),
    priority: PRIORITY_OF[alert.severity],
    spn: code?.spn == null ? '' : String(code.spn),
    fmi: code === undefined ? '' : String(code.fmi),
    alert: alert.id,
  };
}

/** Converts the form to the request that creates the ticket. Throws an error that names a missing field. */
export function createOf(fields: NewFields): Create {
  if (fields.equipment_id === '') throw new Error(t('Select the machine.'));
  if (fields.title.trim() === '') throw new Error(t('Enter what is wrong.'));
  const failure = failureOf({ ...fields, cause: '', remedy: '' });
  const named = failure.component !== null || failure.spn !== null || failure.fmi !== null;
  const hours = parseNumber(fields.meter_hours, t('The engine hours'));
  return {
    equipment_id: fields.equipment_id,
    title: fields.title.trim(),
    description: fields.description.trim(),
    priority: fields.priority,
    safety_critical: fields.safety_critical,
    ...(named && { failure }),
    ...(fields.alert !== '' && { source: { kind: 'alert' as const, ref: fields.alert } }),
    ...(hours !== null && { meter_hours: hours }),
    ...(fields.reported_by.trim() !== '' && { reported_by: fields.reported_by.trim() }),
    ...(fields.due_at !== '' && { due_at: fields.due_at }),
    ...(fields.assigned_mechanic_ids.length > 0 && { assigned_mechanic_ids: [...fields.assigned_mechanic_ids] }),
  };
}
