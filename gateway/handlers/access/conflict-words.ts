/** Conflicts in words: the field, the values with names instead of ids, who gave a value, and where. */
import { AUDIT_OBJECT } from '#contract/base/audit-entry.ts';
import type { EventData } from '#contract/base/event.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import type { AuditData } from '#contract/site/audit.ts';
import type { EnrolmentData } from '#contract/site/sync.ts';
import type { ConflictValue, SyncConflict } from '#contract/site/sync-conflicts.ts';
import type { GivenValue } from '#contract/sync-services.ts';

type Context = HandlerContext<'sync'>;
export type RecordName = SyncConflict['record'];

/** Entries of the log of a record that are searched for the authors of values. */
const MOST_EVENTS = 500;
const LONGEST = 300;
const ID = /^(eq|loc|op|mec|dash|pl|dev|mpl|rul|act|chk|rt|art)_[0-9a-z]{10,}$/;

const ROOTS: Readonly<Record<string, string>> = {
  _deleted: 'Deletion',
  steps: 'Status',
  operator: 'Operator on the machine',
  threshold: 'Limit of the rule',
  scope: 'Machines',
  removal: 'Removal',
  last: 'Last service',
  due: 'Due',
  labor: 'Work done',
  parts: 'Part',
  widgets: 'Tile',
  items: 'Entry',
  widgets_order: 'Order of the tiles',
  items_order: 'Order of the entries',
  labels: 'Label',
  certifications: 'Certificate',
  location_id: 'Location',
  parent_id: 'Lies in',
};

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1).replaceAll('_', ' ');

/** The field of a path, in words. */
export function labelOf(path: string): string {
  const [root = '', key] = path.split('/');
  const name = root.replace(/^[!=^]/, '').replace('#', '_');
  const words = ROOTS[name] ?? capital(name.replace(/_id$/, ''));
  // A key that people gave says something to people; an id does not.
  return key === undefined || name === 'steps' || /[0-9a-z]{20}/.test(key) ? words : `${words} ${key}`;
}

/** The name by which people know a record. */
function nameOf({ id, data }: Pick<Stored, 'id' | 'data'>): string {
  const { unit_number, number, title, name, label } = data as Record<string, unknown>;
  const ticket = typeof number === 'string' && typeof title === 'string' ? `${number} ${title}` : undefined;
  const found = [unit_number, ticket, name, label, title, number].find((one) => typeof one === 'string' && one !== '');
  return typeof found === 'string' ? found : id;
}

export async function recordName({ view, node }: Context, id: string, object = ''): Promise<RecordName> {
  const found = (await view.get('records', id)) ?? (id.startsWith('prj_') ? await node.get('records', id) : undefined);
  return found === undefined
    ? { object, id, name: id }
    : { object: found.object, id, name: nameOf(found as Stored<Record<string, unknown>>) };
}

async function textOf(context: Context, value: unknown): Promise<string> {
  if (value === null || value === undefined || value === '') return 'empty';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string') return ID.test(value) ? (await recordName(context, value)).name : value;
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) {
    const texts = await Promise.all(value.slice(0, 20).map((one) => textOf(context, one)));
    return texts.length === 0 ? 'empty' : texts.join(', ');
  }
  const parts: string[] = [];
  for (const [name, member] of Object.entries(value)) {
    if (member === null || name === 'id' || name === 'ctx' || name === 'set' || name === 'from') continue;
    const text = await textOf(context, member);
    parts.push(name === 'to' ? text : `${capital(name.replace(/_id$/, ''))}: ${text}`);
  }
  return parts.length === 0 ? 'empty' : parts.join(', ');
}

/** Who wrote in the log of a record, by the hybrid time of the commit. */
async function authorsOf({ view }: Context, record_id: string): Promise<ReadonlyMap<string, string>> {
  const where = { 'data.subject.id': record_id };
  const authors = new Map<string, string>();
  for (const object of ['event', AUDIT_OBJECT]) {
    const found = await view.find<EventData | AuditData>('events', { object, where, limit: MOST_EVENTS });
    for (const { hlc, data } of found) if (data.actor.name !== null) authors.set(hlc.slice(0, 16), data.actor.name);
  }
  return authors;
}

/** Says where a node is: here, at head office, or at the site with this name. */
export async function placesOf(context: Context): Promise<(node: string) => string> {
  const isSite = context.sync.role === 'site';
  const names = new Map<string, string>();
  if (!isSite) {
    const found = await context.node.find<EnrolmentData>('local', { object: 'enrolment', limit: 1_000 });
    for (const { data } of found) if (data.gateway_id !== null) names.set(data.gateway_id, data.name);
  }
  return (node) => {
    if (node === context.nodeId) return isSite ? 'this site' : 'head office';
    return isSite ? 'head office' : (names.get(node) ?? 'a site');
  };
}

/** The values of a conflict in words. */
export async function valuesInWords(
  context: Context,
  record_id: string,
  path: string,
  values: readonly GivenValue[],
  placeOf: (node: string) => string,
): Promise<ConflictValue[]> {
  const authors = await authorsOf(context, record_id);
  return Promise.all(
    values.map(async ({ id, value, node, at, hlc }) => ({
      id,
      value,
      text: path === '_deleted' ? 'Delete it' : (await textOf(context, value)).slice(0, LONGEST),
      by: authors.get(hlc) ?? null,
      node,
      place: placeOf(node),
      at,
    })),
  );
}
