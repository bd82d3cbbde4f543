/** What uses an object: the records that name it, and the entries that others than the run have added about it. */
import type { EventData } from '#contract/base/event.ts';
import type { CollectionName, Condition, Stored, View } from '#contract/base/view.ts';
import type { Json } from './undo-writes.ts';

type Reader = Pick<View, 'get' | 'find'>;

/** A kind of records that names objects of another kind. */
interface Use {
  readonly object: string;
  readonly collection?: CollectionName;
  /** Path of the field that names one object, with conditions on other fields. */
  readonly field?: string;
  readonly where?: Readonly<Record<string, Condition>>;
  /** For records that name several objects, or name one inside a list or a condition: returns the ids. All records of the kind are read. */
  readonly named?: (data: Json) => readonly unknown[];
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const part = (value: unknown, key: string): unknown => (value as Json | null | undefined)?.[key];

const USES: Readonly<Record<string, readonly Use[]>> = {
  equipment: [
    ...['device', 'repair_ticket', 'maintenance_plan', 'maintenance_record', 'inspection', 'expected_interval'].map(
      (object) => ({ object, field: 'equipment_id' }),
    ),
    {
      object: 'alert_rule',
      named: ({ scope, mute }) => [
        ...list(part(scope, 'equipment_ids')),
        ...list(mute).map((one) => part(one, 'equipment_id')),
      ],
    },
  ],
  location: [
    ...['equipment', 'device', 'operator', 'mechanic', 'repair_ticket', 'shift_report'].map((object) => ({
      object,
      field: 'location_id',
    })),
    { object: 'location', field: 'parent_id' },
    {
      object: 'alert_rule',
      named: ({ scope, geofence }) => [...list(part(scope, 'location_ids')), part(geofence, 'location_id')],
    },
  ],
  operator: [{ object: 'equipment', field: 'operator_id' }],
  mechanic: [{ object: 'repair_ticket', named: (data) => list(data.assigned_mechanic_ids) }],
  dashboard: [
    { object: 'playlist', named: ({ items }) => list(items).map((item) => part(item, 'dashboard_id')) },
    { object: 'display_share', collection: 'local', field: 'object_id' },
    { object: 'display', collection: 'local', field: 'object_id' },
  ],
  playlist: [
    { object: 'display_share', collection: 'local', field: 'object_id' },
    { object: 'display', collection: 'local', field: 'object_id' },
  ],
  alert_rule: [{ object: 'alert', collection: 'live', field: 'rule_id' }],
  maintenance_plan: [
    { object: 'maintenance_record', field: 'plan_id' },
    { object: 'repair_ticket', field: 'source.ref', where: { 'data.source.kind': 'pm' } },
    { object: 'alert_rule', named: ({ service }) => [part(service, 'plan_id')] },
  ],
  inspection_checklist: [{ object: 'inspection', field: 'checklist_id' }],
};

/** The values that stand for a delete of a record where the interface has none. */
export const OUT = {
  equipment: { status: 'decommissioned' },
  repair_ticket: { status: 'canceled' },
  operator: { status: 'inactive' },
  mechanic: { status: 'inactive' },
  location: { active: false },
  alert_rule: { enabled: false },
} as const satisfies Readonly<Record<string, Json>>;

/** Returns true if a record has the values that stand for a delete. */
export function isOut(object: string, data: Json): boolean {
  const fields = (OUT as Readonly<Record<string, Json>>)[object];
  return fields !== undefined && Object.entries(fields).every(([key, value]) => data[key] === value);
}

/** A record that names an object. */
export interface User {
  readonly object: string;
  readonly id: string;
  readonly isOut: boolean;
  /** Its kind and its name. */
  readonly words: string;
}

/** Returns true for a record that does not count. `field`: the field that names the object, if it names only one. */
type IsSpared = (user: User, field: string | undefined) => boolean;

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

function userFrom(object: string, { id, data }: Stored<Json>): User {
  const name = [data.unit_number, data.number, data.name, data.title].find((one) => typeof one === 'string');
  return {
    object,
    id,
    isOut: isOut(object, data),
    words: [object.replaceAll('_', ' '), name].filter(Boolean).join(' '),
  };
}

/** Finds what uses objects. A kind of records of which all are read is read once: make a new one to see later changes. */
export class Uses {
  readonly #view: Reader;
  readonly #isSpared: IsSpared;
  readonly #lists = new Map<Use, Promise<ReadonlyMap<unknown, readonly User[]>>>();

  constructor(view: Reader, isSpared: IsSpared) {
    this.#view = view;
    this.#isSpared = isSpared;
  }

  /** Returns the kind and name of a record that uses the object. */
  async userOf(object: string, id: string): Promise<string | undefined> {
    for (const use of USES[object] ?? [])
      for await (const user of this.#usersBy(use, id)) if (!this.#isSpared(user, use.field)) return user.words;
    return undefined;
  }

  async *#usersBy(use: Use, id: string): AsyncGenerator<User> {
    const { object, collection = 'records', field, where, named } = use;
    if (named !== undefined) {
      const known = this.#lists.get(use) ?? this.#read(object, named);
      this.#lists.set(use, known);
      yield* (await known).get(id) ?? [];
      return;
    }
    const wanted = { [`data.${field}`]: id, ...where };
    for await (const record of walk<Json>(this.#view, collection, { object, where: wanted }))
      yield userFrom(object, record);
  }

  async #read(
    object: string,
    named: (data: Json) => readonly unknown[],
  ): Promise<ReadonlyMap<unknown, readonly User[]>> {
    const users = new Map<unknown, User[]>();
    for await (const record of walk<Json>(this.#view, 'records', { object }))
      for (const id of new Set(named(record.data))) {
        const known = users.get(id) ?? [];
        users.set(id, known);
        known.push(userFrom(object, record));
      }
    return users;
  }
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
 * Returns true if somebody else than the task and its undos has added an entry to the log or the audit of an object since a time. Entries
 * of the gateway itself do not count. `own`: the ids of the task and its undos. `only_changes`: only entries about changes count.
 */
export async function hasForeignEntry(
  view: Reader,
  { id, own, since, only_changes }: { id: string; own: ReadonlySet<string>; since: string; only_changes: boolean },
): Promise<boolean> {
  const type = only_changes ? { 'data.type': CHANGES } : {};
  const where = { 'data.subject.id': id, created_at: { gte: since }, ...type };
  for (const object of ['event', 'audit'])
    for await (const { data } of walk<Pick<EventData, 'actor'>>(view, 'events', { object, where }))
      if (data.actor.id !== null && !own.has(data.actor.id)) return true;
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
