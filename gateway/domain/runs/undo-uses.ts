/** What uses an object: the records that name it, and the entries that others than the run have added about it. */
import type { EventData } from '#contract/base/event.ts';
import type { CollectionName, Condition, Stored, View } from '#contract/base/view.ts';

type Reader = Pick<View, 'get' | 'find'>;

/** A kind of records that names objects of another kind. */
interface Use {
  readonly object: string;
  readonly collection?: CollectionName;
  /** Path of the field that names one object. */
  readonly field?: string;
  /** For records that name several objects: returns true if the record names this one. All records of the kind are read. */
  readonly names?: (data: Readonly<Record<string, unknown>>, id: string) => boolean;
}

const has = (list: unknown, id: string): boolean => Array.isArray(list) && list.includes(id);
const scopeHas = (data: Readonly<Record<string, unknown>>, list: string, id: string): boolean =>
  has((data.scope as Readonly<Record<string, unknown>> | undefined)?.[list], id);

const USES: Readonly<Record<string, readonly Use[]>> = {
  equipment: [
    ...['device', 'repair_ticket', 'maintenance_plan', 'maintenance_record', 'inspection', 'expected_interval'].map(
      (object) => ({ object, field: 'equipment_id' }),
    ),
    { object: 'alert_rule', names: (data, id) => scopeHas(data, 'equipment_ids', id) },
  ],
  location: [
    ...['equipment', 'device', 'operator', 'mechanic', 'repair_ticket', 'shift_report'].map((object) => ({
      object,
      field: 'location_id',
    })),
    { object: 'location', field: 'parent_id' },
    { object: 'alert_rule', names: (data, id) => scopeHas(data, 'location_ids', id) },
  ],
  operator: [{ object: 'equipment', field: 'operator_id' }],
  mechanic: [{ object: 'repair_ticket', names: (data, id) => has(data.assigned_mechanic_ids, id) }],
  dashboard: [
    {
      object: 'playlist',
      names: ({ items }, id) => Array.isArray(items) && items.some((item) => item?.dashboard_id === id),
    },
    { object: 'display_share', collection: 'local', field: 'object_id' },
  ],
  playlist: [{ object: 'display_share', collection: 'local', field: 'object_id' }],
  alert_rule: [{ object: 'alert', collection: 'live', field: 'rule_id' }],
  maintenance_plan: [{ object: 'maintenance_record', field: 'plan_id' }],
  inspection_checklist: [{ object: 'inspection', field: 'checklist_id' }],
};

const PAGE = 500;

async function* walk<T>(
  view: Reader,
  collection: CollectionName,
  query: { readonly object: string; readonly where?: Readonly<Record<string, Condition>> },
): AsyncGenerator<Stored<T>> {
  for (let last: Stored<T> | undefined; ; ) {
    const after = last && { after: { created_at: last.created_at, id: last.id } };
    const page: Stored<T>[] = await view.find<T>(collection, { ...query, order: 'asc', limit: PAGE, ...after });
    yield* page;
    last = page.at(-1);
    if (page.length < PAGE) return;
  }
}

/** Returns a record that uses the object. `isSpared(id, field)`: true for a record that does not use it any more when its turn comes. */
export async function userOf(
  view: Reader,
  object: string,
  id: string,
  isSpared: (id: string, field: string | undefined) => boolean,
): Promise<string | undefined> {
  for (const { object: kind, collection = 'records', field, names } of USES[object] ?? []) {
    const where = field === undefined ? {} : { where: { [`data.${field}`]: id } };
    for await (const { id: user, data } of walk<Record<string, unknown>>(view, collection, {
      object: kind,
      ...where,
    })) {
      if ((names !== undefined && !names(data, id)) || isSpared(user, field)) continue;
      const name = [data.unit_number, data.number, data.name, data.title].find((one) => typeof one === 'string');
      return [kind.replaceAll('_', ' '), name].filter(Boolean).join(' ');
    }
  }
  return undefined;
}

/** The entries that the gateway writes about a change of an object. */
const CHANGES: Condition = [
  'updated',
  'deleted',
  'status_changed',
  'assigned',
  'assigned_operator',
  'unassigned_operator',
  'assigned_location',
];

/**
 * Returns true if somebody else than the task has added an entry to the log or the audit of an object since a time. Entries of the gateway
 * itself do not count. `only_changes`: only entries about changes count.
 */
export async function hasForeignEntry(
  view: Reader,
  { id, task_id, since, only_changes }: { id: string; task_id: string; since: string; only_changes: boolean },
): Promise<boolean> {
  const type = only_changes ? { 'data.type': CHANGES } : {};
  const where = { 'data.subject.id': id, created_at: { gte: since }, ...type };
  for (const object of ['event', 'audit'])
    for await (const { data } of walk<Pick<EventData, 'actor'>>(view, 'events', { object, where }))
      if (data.actor.id !== null && data.actor.id !== task_id) return true;
  return false;
}

/** Returns the ids of the machines whose operator a task took away by putting the operator on another machine. */
export async function machinesLeft(view: Reader, task_id: string, since: string): Promise<string[]> {
  const where = { 'data.type': 'unassigned_operator', created_at: { gte: since } };
  const ids = new Set<string>();
  for await (const { data } of walk<EventData>(view, 'events', { object: 'event', where }))
    if (data.actor.id === task_id) ids.add(data.subject.id);
  return [...ids];
}
