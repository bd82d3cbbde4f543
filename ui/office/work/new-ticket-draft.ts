/** The form of a new ticket, and the request that it makes. Pure. */
import type { Input, Output } from '#contract/operations.ts';
import { parseNumber } from '#ui/office/base/numbers.ts';
import { type Alert, crossed } from './alert-text.ts';
import { failureOf } from './ticket-draft.ts';
import { PRIORITY_OF, type Priority } from './ticket-text.ts';

type Machine = Output<'equipment_list'>['data'][number];

/** The fields of the form; numbers as text. */
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
  /** The id of the source alert; empty for none. */
  readonly alert: string;
};
export type Create = Input<'repair_tickets_create'>;
/** The form as the tab stores it. The key makes repeated requests, also after a reload, create one ticket. */
export interface NewTicketState {
  /** The Idempotency-Key of the ticket. */
  readonly key: string;
  readonly fields: NewFields;
  /** Requests that were sent with the key without an answer: each may have created the ticket. */
  readonly sent: readonly Create[];
}
/** At most this many requests are remembered. */
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

function titleOf(alert: Alert): string {
  const what = crossed(alert);
  return (what.startsWith(alert.rule_name) ? what : `${alert.rule_name}: ${what}`).slice(0, 200);
}

/** The fields from an alert: title, severity and machine, and the trouble code that it names, or the only one of the machine. */
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

/** The request of a form; throws an error that names a missing field. */
export function createOf(fields: NewFields): Create {
  if (fields.equipment_id === '') throw new Error('Select the machine.');
  if (fields.title.trim() === '') throw new Error('Enter what is wrong.');
  const failure = failureOf({ ...fields, cause: '', remedy: '' });
  const named = failure.component !== null || failure.spn !== null || failure.fmi !== null;
  const hours = parseNumber(fields.meter_hours, 'The engine hours');
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
