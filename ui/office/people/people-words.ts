/** What the people pages say: rosters, states, certificates, events. Pure. */
import type { Event } from '#contract/base/event.ts';
import type { Output } from '#contract/operations.ts';

export type Operator = Output<'operators_get'>;
export type Mechanic = Output<'mechanics_get'>;
export type Person = Operator | Mechanic;
type Status = Person['status'];

/** The two lists of people, with their operations. */
export const ROSTERS = {
  operators: {
    one: 'operator',
    title: 'Operators',
    list: 'operators_list',
    create: 'operators_create',
    update: 'operators_update',
    events: 'operators_events',
    append: 'operators_append_event',
  },
  mechanics: {
    one: 'mechanic',
    title: 'Mechanics',
    list: 'mechanics_list',
    create: 'mechanics_create',
    update: 'mechanics_update',
    events: 'mechanics_events',
    append: 'mechanics_append_event',
  },
} as const;
export type Roster = keyof typeof ROSTERS;

export const STATUS_WORDS: Readonly<Record<Status, string>> = {
  active: 'Active',
  off_shift: 'Off shift',
  inactive: 'Inactive',
};

/** Days in which a certificate that ends is told. */
const SOON_DAYS = 30;

/** How a certificate stands on a day (as 2026-11-21): its words, and whether somebody must act. */
export function certificateWords(
  { code, expires_on }: Person['certifications'][number],
  today: string,
): { text: string; state: 'good' | 'soon' | 'expired' } {
  if (expires_on === null) return { text: code, state: 'good' };
  const days = Math.round((Date.parse(expires_on) - Date.parse(today)) / 86_400_000);
  if (days < 0) return { text: `${code}, expired ${expires_on}`, state: 'expired' };
  return { text: `${code}, until ${expires_on}`, state: days <= SOON_DAYS ? 'soon' : 'good' };
}

/** The day at a site, as 2026-11-21. */
export function dayAt(ms: number, timezone: string): string {
  const options = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  try {
    return new Intl.DateTimeFormat('en-CA', { ...options, timeZone: timezone }).format(ms);
  } catch {
    // A zone that this browser does not know.
    return new Date(ms).toISOString().slice(0, 10);
  }
}

const FIELDS: Readonly<Record<string, string>> = {
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

/** What a field of a person is called. */
export const fieldWord = (name: string): string => FIELDS[name] ?? name;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const statusWord = (value: unknown): string => STATUS_WORDS[text(value) as Status] ?? text(value);

const EVENTS: Readonly<Record<string, (data: Record<string, unknown>) => string>> = {
  created: () => 'Added',
  updated({ fields, status }) {
    const change = status as { from?: unknown; to?: unknown } | undefined;
    const names = (Array.isArray(fields) ? fields : [])
      .filter((one) => one !== 'status')
      .map((one) => fieldWord(text(one)));
    const moved = change === undefined ? [] : [`${statusWord(change.from)} to ${statusWord(change.to)}`];
    return [...moved, ...(names.length > 0 ? [`Changed ${names.join(', ')}`] : [])].join('. ');
  },
  signed_on: ({ text: said }) => `Signed on${text(said) === '' ? '' : `: ${text(said)}`}`,
  signed_off: ({ text: said }) => `Signed off${text(said) === '' ? '' : `: ${text(said)}`}`,
  certified: ({ text: said }) => `Certified${text(said) === '' ? '' : `: ${text(said)}`}`,
  note: ({ text: said, note }) => text(said) || text(note),
};

/** One line of a person's log; a kind of somebody's own is said by its name. */
export function sayEvent({ type, data }: Pick<Event, 'type' | 'data'>): string {
  return EVENTS[type]?.(data) || type;
}

/** By name, as people look them up. */
export function byName<P extends Person>(people: readonly P[]): P[] {
  return [...people].sort((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }));
}
