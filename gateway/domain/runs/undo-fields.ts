/** Decides which fields of a changed object can get their earlier values back, by the rules of the operation that changes them. */
import type { Stored, View } from '#contract/base/view.ts';
import { type OperationName, operations } from '#contract/operations.ts';
import { nextStatuses, type TicketStatus } from '#contract/work/repair-ticket.ts';
import type { Json } from './undo-writes.ts';

type Reader = Pick<View, 'get' | 'find'>;

/** An object that runs changed. `old`: the earlier values by field; undefined if a value is not known. */
export interface Changed {
  readonly tool: string;
  readonly object: string;
  readonly name: string;
  readonly current: Stored;
  readonly old: ReadonlyMap<string, unknown>;
  /** Fields that an earlier undo took back. */
  readonly done: ReadonlySet<string>;
}

/** Fields that one call restores, or that are left for one reason. */
export interface Group {
  readonly values: Json;
  readonly fields: readonly string[];
  readonly why: string | null;
}

type UserOf = (object: string, id: string) => Promise<string | undefined>;

const BY_HAND = 'Set it by hand.';
/** What stands in an answer of a tool for a text with the form of a key. */
const MASK = '[secret]';
/** Fields whose values only one object may have. */
const UNIQUE: ReadonlySet<string> = new Set(['unit_number', 'employee_number', 'badge_id', 'code', 'serial']);
/** Fields that name locations. */
const LOCATIONS: ReadonlySet<string> = new Set(['location_id', 'parent_id']);
/** Fields whose values name other objects, which may not exist any more. */
const NAMING: ReadonlySet<string> = new Set(['widgets', 'service', 'geofence', 'scope']);
/** Fields that are not restored: other names of a machine may belong to another one, and a signature belongs to its time. */
const NEVER: ReadonlySet<string> = new Set(['aliases', 'signature']);

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Returns the groups of fields of a changed object. A refused group does not hold up the others, because each is a call of its own. */
export async function groupsOf(view: Reader, changed: Changed, userOf: UserOf): Promise<Group[]> {
  const { tool, current, old } = changed;
  const left: Group[] = [];
  const together: Record<string, unknown> = {};
  const alone: Group[] = [];
  for (const [field, value] of old) {
    if (changed.done.has(field)) continue;
    if (value !== undefined && isSame(value, current.data[field])) continue;
    if (field === 'hold_reason' && old.has('status')) continue;
    const why = (await whyNot(view, changed, field, userOf)) ?? refusalOf(tool, current.id, valuesOf(changed, field));
    const values = valuesOf(changed, field);
    if (why !== null) left.push({ values: {}, fields: [field], why });
    else if (isAlone(changed, field)) alone.push({ values, fields: Object.keys(values), why: null });
    else Object.assign(together, values);
  }
  const fields = Object.keys(together);
  if (fields.length === 0) return [...alone, ...left];
  // A rule about several fields together is not about one of them: then none of them goes back.
  const why = refusalOf(tool, current.id, together);
  return [...(why === null ? [{ values: together, fields, why }] : [{ values: {}, fields, why }]), ...alone, ...left];
}

/** Returns true for a field that has a call of its own, because the operation may refuse it for a reason that is not about the others. */
function isAlone({ object, old }: Changed, field: string): boolean {
  // The signal of a rule and its kind of condition belong together.
  if (object === 'alert_rule' && (field === 'service' || field === 'geofence')) return !old.has('signal');
  return field === 'status' || field === 'active' || [UNIQUE, LOCATIONS, NAMING].some((set) => set.has(field));
}

/** The values that go back together with a field: a ticket that is on hold again also needs the reason of the hold. */
function valuesOf({ object, old }: Changed, field: string): Json {
  const value = old.get(field);
  const isHold = object === 'repair_ticket' && field === 'status' && value === 'on_hold';
  return { [field]: value, ...(isHold ? { hold_reason: old.get('hold_reason') } : {}) };
}

/** Returns why the operation would refuse these values; null if it accepts them. */
function refusalOf(tool: string, id: string, values: Json): string | null {
  const { input } = operations[tool as OperationName];
  const { success, error } = input.safeParse({ id, ...values });
  if (success) return null;
  return `The earlier value cannot be written: ${error.issues[0]?.message ?? 'it is not allowed'}. ${BY_HAND}`;
}

async function whyNot(view: Reader, changed: Changed, field: string, userOf: UserOf): Promise<string | null> {
  const { object, name, current, old } = changed;
  const value = old.get(field);
  if (field === 'context') return 'The gateway does not know all photos and files that it had. Look at them.';
  if (value === undefined) return `The gateway does not know the earlier value. ${BY_HAND}`;
  if (JSON.stringify(value).includes(MASK)) return `The earlier value contains a key, which is not stored. ${BY_HAND}`;
  if (field === 'operator_id') return `The operator of ${name}: set it by hand.`;
  if (NEVER.has(field)) return BY_HAND;
  if (LOCATIONS.has(field)) return locationRefusal(view, value);
  if (/_ids?$/.test(field) && !UNIQUE.has(field)) return BY_HAND;
  if (UNIQUE.has(field)) return takenRefusal(view, changed, field, value);
  if (object === 'repair_ticket') return ticketRefusal(changed, field, value);
  if (object === 'equipment' && field === 'status' && [value, current.data.status].includes('decommissioned'))
    return 'Only an owner or admin brings a decommissioned machine back. Change the status by hand.';
  if (field === 'items' && object === 'playlist') return playlistRefusal(view, value);
  if (value !== 'inactive' && !(field === 'active' && value === false)) return null;
  const user = await userOf(object, current.id);
  return user === undefined ? null : `It is in use by ${user}. ${BY_HAND}`;
}

async function locationRefusal(view: Reader, value: unknown): Promise<string | null> {
  if (value === null) return null;
  const location = await view.get('records', String(value));
  if (location?.object === 'location' && location.data.active !== false) return null;
  return `The earlier location is not in use any more. ${BY_HAND}`;
}

async function takenRefusal(
  view: Reader,
  { object, current }: Changed,
  field: string,
  value: unknown,
): Promise<string | null> {
  if (typeof value !== 'string') return null;
  const holders = await view.find('records', { object, where: { [`data.${field}`]: value }, limit: 2 });
  return holders.some(({ id }) => id !== current.id) ? `Another one has the ${field} ${value} now. ${BY_HAND}` : null;
}

async function playlistRefusal(view: Reader, value: unknown): Promise<string | null> {
  for (const { dashboard_id } of Array.isArray(value) ? (value as { dashboard_id?: string }[]) : [])
    if (dashboard_id !== undefined && (await view.get('records', dashboard_id)) === undefined)
      return `A dashboard of the earlier playlist was deleted. ${BY_HAND}`;
  return null;
}

function ticketRefusal({ current, old }: Changed, field: string, value: unknown): string | null {
  const now = current.data.status as TicketStatus;
  const next = nextStatuses(now);
  if (next.length === 0) return `A ticket with the status ${now} cannot be changed.`;
  if (field === 'status') {
    if (value === 'fixed') return `The time of the repair would become now. ${BY_HAND}`;
    if (!next.includes(value as TicketStatus))
      return `The status of a ticket cannot change from ${now} to ${String(value)}.`;
    return value === 'on_hold' && typeof old.get('hold_reason') !== 'string'
      ? `The gateway does not know the reason of the hold. ${BY_HAND}`
      : null;
  }
  if (field !== 'hold_reason') return null;
  return now === 'on_hold' && typeof value === 'string' ? null : `Only a ticket on hold has a reason of the hold.`;
}
