/** Names and values of ticket fields as text. */
import { moment } from '#ui/format.ts';
import { t, type Word } from '#ui/languages/texts.ts';
import type { Value } from '#ui/office/base/draft.ts';
import { useIdText, useList } from '#ui/office/base/lists.ts';
import type { Session } from '#ui/office/base/session.ts';
import type { TicketFacts } from './ticket-draft.ts';
import type { Choices } from './ticket-form.tsx';
import {
  codePartText,
  HOLD_WORDS,
  type HoldReason,
  PRIORITY_WORDS,
  STATUS_WORDS,
  type Ticket,
  TYPE_WORDS,
} from './ticket-text.ts';

/** The text that pages show for the name of each ticket field. */
export const FACT_WORDS: Readonly<Record<keyof TicketFacts, Word | 'SPN' | 'FMI'>> = {
  title: 'What is wrong',
  description: 'Description',
  location_id: 'Place',
  priority: 'Priority',
  safety_critical: 'Safety critical',
  type: 'Kind of work',
  component: 'Component',
  spn: 'SPN',
  fmi: 'FMI',
  cause: 'Cause',
  remedy: 'What was done',
  reported_by: 'Reported by',
  assigned_mechanic_ids: 'Assigned to',
  due_at: 'Due',
  status: 'Status',
  hold_reason: 'Waiting for',
  labor: 'Work',
  parts: 'Parts',
};

/** Returns the mechanics and locations that a person can select for a ticket, and functions that give names by id. */
export function useChoices(session: Session): Choices & { machine(id: string): string; mechanic(id: string): string } {
  const machines = useList(session, 'equipment_list');
  const mechanics = useList(session, 'mechanics_list');
  const operators = useList(session, 'operators_list');
  const locations = useList(session, 'locations_list');
  return {
    machine: useIdText(machines, (one) => one.unit_number),
    mechanic: useIdText(mechanics, (one) => one.name),
    mechanics:
      mechanics?.filter(({ status }) => status !== 'inactive').map(({ id, name }) => [id, name] as const) ?? null,
    locations: locations?.map(({ id, name }) => [id, name] as const) ?? null,
    person: (id) => [...(mechanics ?? []), ...(operators ?? [])].find((one) => one.id === id)?.name ?? null,
  };
}

export type Known = ReturnType<typeof useChoices>;

/** Returns the text that pages show for the value of a ticket field. */
export function factText(name: string, value: Value, known: Known, zone: string, now: number): string {
  if (typeof value === 'boolean') return value ? t('yes') : t('no');
  if (typeof value === 'object') return value.map(known.mechanic).join(', ');
  if (value === '') return '';
  if (name === 'spn' || name === 'fmi') return codePartText(name, value);
  if (name === 'status') return t(STATUS_WORDS[value as Ticket['status']]);
  if (name === 'priority') return t(PRIORITY_WORDS[value as Ticket['priority']]);
  if (name === 'type') return t(TYPE_WORDS[value as Ticket['type']]);
  if (name === 'hold_reason') return t(HOLD_WORDS[value as HoldReason]);
  if (name === 'due_at') return moment(Date.parse(value), now, zone);
  if (name === 'location_id')
    return known.locations === null ? '…' : (known.locations.find(([id]) => id === value)?.[1] ?? value);
  return value;
}
