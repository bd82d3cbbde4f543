/** Texts of the people pages: the two lists of people, statuses, certificates and log entries. */

import type { Event } from '#contract/base/event.ts';
import type { Output } from '#contract/operations.ts';
import { t, translated, type Word } from '#ui/languages/texts.ts';

export type Operator = Output<'operators_get'>;
export type Mechanic = Output<'mechanics_get'>;
export type Person = Operator | Mechanic;
type Status = Person['status'];

/** The two lists of people (rosters), operators and mechanics, with the API operations of each. */
export const ROSTERS = {
  operators: {
    one: 'operator',
    save: 'Save operator',
    add: 'Add an operator',
    made: 'New operator',
    several: 'Add several operators',
    none: 'No operators yet',
    count: '{n} operator|{n} operators',
    title: 'Operators',
    list: 'operators_list',
    create: 'operators_create',
    update: 'operators_update',
    events: 'operators_events',
    append: 'operators_append_event',
  },
  mechanics: {
    one: 'mechanic',
    save: 'Save mechanic',
    add: 'Add a mechanic',
    made: 'New mechanic',
    several: 'Add several mechanics',
    none: 'No mechanics yet',
    count: '{n} mechanic|{n} mechanics',
    title: 'Mechanics',
    list: 'mechanics_list',
    create: 'mechanics_create',
    update: 'mechanics_update',
    events: 'mechanics_events',
    append: 'mechanics_append_event',
  },
} as const;
export type Roster = keyof typeof ROSTERS;

/** The statuses that people choose. */
export const STATUS_CHOICES = {
  active: 'Active',
  off_shift: 'Off shift',
  inactive: 'Inactive',
} as const satisfies Record<string, Word>;
export const STATUS_WORDS: Readonly<Record<Status, Word>> = { ...STATUS_CHOICES, unknown: 'Unknown' };

/** The page marks a certificate that expires within this number of days. */
const SOON_DAYS = 30;

/** Returns the text of a certificate, and whether it is valid, expires soon or has expired on a day such as 2026-11-21. */
export function certificateWords(
  { code, expires_on }: Person['certifications'][number],
  today: string,
): { text: string; state: 'good' | 'soon' | 'expired' } {
  if (expires_on === null) return { text: code, state: 'good' };
  const days = Math.round((Date.parse(expires_on) - Date.parse(today)) / 86_400_000);
  if (days < 0) return { text: t('{code}, expired {date}', { code, date: expires_on }), state: 'expired' };
  return { text: t('{code}, until {date}', { code, date: expires_on }), state: days <= SOON_DAYS ? 'soon' : 'good' };
}

/** Returns the local day of a time in a time zone, in the form 2026-11-21. */
export function dayAt(ms: number, timezone: string): string {
  const options = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  try {
    return new Intl.DateTimeFormat('en-CA', { ...options, timeZone: timezone }).format(ms);
  } catch {
    // This browser does not know the time zone. Use UTC instead.
    return new Date(ms).toISOString().slice(0, 10);
  }
}

const FIELDS: Readonly<Partial<Record<string, Word>>> = {
  name: 'name',
  employee_number: 'number',
  badge_id: 'badge',
  phone: 'phone',
  status: 'status',
  crew: 'crew',
  certifications: 'certificates',
  location_id: 'place',
  language: 'language',
  trades: 'trades',
  labels: 'labels',
};

/** Returns the text that pages show for the name of a person's field. */
export const fieldWord = (name: string): string => translated(FIELDS[name] ?? name);

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const statusWord = (value: unknown): string => translated(STATUS_WORDS[text(value) as Status] ?? text(value));

const withNote = (word: string, note: unknown): string => (text(note) === '' ? word : `${word}: ${text(note)}`);

const EVENTS: Readonly<Record<string, (data: Record<string, unknown>) => string>> = {
  created: () => t('Added'),
  updated({ fields, status }) {
    const change = status as { from?: unknown; to?: unknown } | undefined;
    const names = (Array.isArray(fields) ? fields : [])
      .filter((one) => one !== 'status')
      .map((one) => fieldWord(text(one)));
    const moved =
      change === undefined ? [] : [t('{from} to {to}', { from: statusWord(change.from), to: statusWord(change.to) })];
    return [...moved, ...(names.length > 0 ? [t('Changed {fields}', { fields: names.join(', ') })] : [])].join('. ');
  },
  signed_on: ({ text: note }) => withNote(t('Signed on'), note),
  signed_off: ({ text: note }) => withNote(t('Signed off'), note),
  certified: ({ text: note }) => withNote(t('Certified'), note),
  note: ({ text: own, note }) => text(own) || text(note),
};

/** Returns the text of a log entry; for an unknown event type, the name of the type. */
export function eventText({ type, data }: Pick<Event, 'type' | 'data'>): string {
  return EVENTS[type]?.(data) || type;
}

/** Sorts people by name. */
export function byName<P extends Person>(people: readonly P[]): P[] {
  return [...people].sort((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }));
}
