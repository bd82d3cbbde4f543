/** The form fields of a repair ticket, and the request that updates the ticket. */
import type { Input } from '#contract/operations.ts';
import { t } from '#ui/languages/texts.ts';
import { parseInteger } from '#ui/office/base/numbers.ts';
import type { Ticket } from './ticket-text.ts';

/** The fields of the form of a repair ticket. Numbers are text as the person typed them. */
export type Fields = {
  readonly title: string;
  readonly description: string;
  readonly location_id: string;
  readonly priority: Ticket['priority'];
  readonly safety_critical: boolean;
  readonly type: Ticket['type'];
  readonly component: string;
  readonly spn: string;
  readonly fmi: string;
  readonly cause: string;
  readonly remedy: string;
  readonly reported_by: string;
  readonly assigned_mechanic_ids: readonly string[];
  /** Due time in ISO 8601; empty if the ticket has no due time. */
  readonly due_at: string;
};
export type FieldName = keyof Fields;

/**
 * The values of a ticket for which the page reports a change by another person. These are the fields of this form, and the values that
 * other forms of the page write.
 */
export type TicketFacts = Fields & {
  readonly status: Ticket['status'];
  readonly hold_reason: string;
  readonly labor: string;
  readonly parts: string;
};

const plain = (value: number | string | null) => (value === null ? '' : String(value));

/** Returns the values of a ticket for which the page reports a change by another person. */
export function factsOf(ticket: Ticket): TicketFacts {
  const { failure } = ticket;
  return {
    title: ticket.title,
    description: ticket.description,
    location_id: plain(ticket.location_id),
    priority: ticket.priority,
    safety_critical: ticket.safety_critical,
    type: ticket.type,
    component: plain(failure.component),
    spn: plain(failure.spn),
    fmi: plain(failure.fmi),
    cause: plain(failure.cause),
    remedy: plain(failure.remedy),
    reported_by: plain(ticket.reported_by),
    assigned_mechanic_ids: ticket.assigned_mechanic_ids,
    due_at: plain(ticket.due_at),
    status: ticket.status,
    hold_reason: plain(ticket.hold_reason),
    labor: ticket.labor.map(({ minutes, note }) => `${minutes} min${note === null ? '' : ` ${note}`}`).join(', '),
    parts: ticket.parts.map(({ name, quantity, status }) => `${quantity} × ${name} ${status}`).join(', '),
  };
}

const words = (value: string) => (value.trim() === '' ? null : value.trim());

/**
 * Returns the failure that a person entered in a form: component, SPN and FMI. If a number is invalid, throws an error with the name of its
 * field.
 */
export function failureOf({
  component,
  spn,
  fmi,
  cause,
  remedy,
}: Pick<Fields, 'component' | 'spn' | 'fmi' | 'cause' | 'remedy'>): Ticket['failure'] {
  return {
    component: words(component),
    spn: parseInteger(spn, 524_287, 'SPN'),
    fmi: parseInteger(fmi, 31, 'FMI'),
    cause: words(cause),
    remedy: words(remedy),
  };
}

const FAILURE: ReadonlySet<string> = new Set(['component', 'spn', 'fmi', 'cause', 'remedy']);
type Update = Omit<Input<'repair_tickets_update'>, 'id'>;

/**
 * Converts a draft to the update request, which contains only the edited fields. Component, SPN and FMI are one object (the failure), so if
 * one of them was edited, the request contains all three.
 */
export function updateOf(next: Fields, draft: Partial<Fields>): Update {
  const names = Object.keys(draft) as FieldName[];
  const has = (name: FieldName) => names.includes(name);
  if (has('title') && words(next.title) === null) throw new Error(t('Enter what is wrong: a ticket needs a title.'));
  return {
    ...(has('title') && { title: next.title.trim() }),
    ...(has('description') && { description: next.description.trim() }),
    ...(has('location_id') && { location_id: next.location_id || null }),
    ...(has('priority') && next.priority !== 'unknown' && { priority: next.priority }),
    ...(has('safety_critical') && { safety_critical: next.safety_critical }),
    ...(has('type') && next.type !== 'unknown' && { type: next.type }),
    ...(names.some((name) => FAILURE.has(name)) && { failure: failureOf(next) }),
    ...(has('reported_by') && words(next.reported_by) !== null && { reported_by: next.reported_by.trim() }),
    ...(has('assigned_mechanic_ids') && { assigned_mechanic_ids: [...next.assigned_mechanic_ids] }),
    ...(has('due_at') && { due_at: next.due_at || null }),
  };
}

/** Returns the edits of a draft that an update contains. */
export function sentEdits(draft: Partial<TicketFacts>, update: Update): Partial<TicketFacts> {
  const sent = Object.entries(draft).filter(([name]) => name in update || (FAILURE.has(name) && 'failure' in update));
  return Object.fromEntries(sent);
}
