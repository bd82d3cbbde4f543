/**
 * Records that contradict each other, because two ends made or changed them without seeing each other: one name given twice, a circle of
 * locations, an operator on two machines, a playlist with a board that was deleted, two reports of one shift. It is a view of the records,
 * so both ends show the same. Each remedy is a write of one field of one record.
 */
import { foldText } from '#contract/base/names.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import type { EquipmentData } from '#contract/fleet/equipment.ts';
import type { LocationData } from '#contract/fleet/location.ts';
import type { PlaylistData } from '#contract/site/board.ts';
import type { SyncChoiceData } from '#contract/site/sync-conflicts.ts';
import type { OperatorData } from '#contract/work/people.ts';
import type { ShiftReportData } from '#contract/work/shift-report.ts';

type Context = HandlerContext<'sync'>;

/** What a person can do: give a field of a record this value. */
export interface Remedy {
  /** Id of the record, and what is done with it. */
  readonly id: string;
  readonly record_id: string;
  readonly path: string;
  readonly value: unknown;
  /** The value of the field now. */
  readonly was: unknown;
  readonly text: string;
}

export interface Related {
  readonly record_id: string;
  readonly path: string;
  readonly label: string;
  readonly remedies: readonly Remedy[];
}

/** The path of a choice that says which report of a shift is the second one. It is no field. */
export const SECOND_REPORT = 'second_report';
/** Records of a kind that are compared: the first ones that were made. */
const MOST_RECORDS = 1_000;
/** Length of a unit number. */
const LONGEST_NAME = 40;

interface NamedField {
  readonly object: string;
  readonly field: string;
  readonly label: string;
  /** Another number is given where the field cannot be empty. */
  readonly renamed?: true;
}

const NAMED: readonly NamedField[] = [
  { object: 'equipment', field: 'unit_number', label: 'Unit number', renamed: true },
  { object: 'equipment', field: 'serial_number', label: 'Serial number' },
  { object: 'location', field: 'code', label: 'Code' },
  { object: 'operator', field: 'employee_number', label: 'Employee number' },
  { object: 'operator', field: 'badge_id', label: 'Badge' },
  { object: 'mechanic', field: 'employee_number', label: 'Employee number' },
  { object: 'mechanic', field: 'badge_id', label: 'Badge' },
];

type Record = Stored<{ [field: string]: unknown }>;
type Records = ReadonlyMap<string, readonly Record[]>;

const titleOf = ({ id, data }: Record): string => {
  const { unit_number, name } = data;
  return [unit_number, name].find((one) => typeof one === 'string' && one !== '')?.toString() ?? id;
};

/** Groups of at least two. */
function groups<T>(list: readonly T[], keyOf: (one: T) => string | null): T[][] {
  const found = new Map<string, T[]>();
  for (const one of list) {
    const key = keyOf(one);
    if (key === null) continue;
    const group = found.get(key);
    if (group === undefined) found.set(key, [one]);
    else group.push(one);
  }
  return [...found.values()].filter((group) => group.length > 1);
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  for (let n = 2; ; n++) {
    const end = ` (${n})`;
    const free = `${name.slice(0, LONGEST_NAME - end.length)}${end}`;
    if (!taken.has(foldText(free))) return free;
  }
}

function* sameNames(records: Records): Generator<Related> {
  for (const { object, field, label, renamed } of NAMED) {
    const all = records.get(object) ?? [];
    const nameOf = ({ data }: Record) => {
      const name = data[field];
      return typeof name === 'string' && name !== '' ? name : null;
    };
    const taken = new Set(all.flatMap((one) => [nameOf(one) ?? [], aliasesOf(one)].flat()).map(foldText));
    for (const group of groups(all, (one) => foldText(nameOf(one) ?? '') || null)) {
      const [first] = group;
      const remedies = group.map((one): Remedy => {
        const was = nameOf(one) ?? '';
        const value = renamed ? freeName(was, taken) : null;
        const other = String(one.data.name ?? one.id);
        const text = renamed ? `Call ${other} ${value}` : `Take ${was} from ${titleOf(one)}`;
        return { id: one.id, record_id: one.id, path: field, value, was, text };
      });
      if (first !== undefined)
        yield {
          record_id: first.id,
          path: field,
          label: `${label} ${nameOf(first)} is given ${group.length} times`,
          remedies,
        };
    }
  }
}

const aliasesOf = ({ data }: Record): string[] => (Array.isArray(data.aliases) ? (data.aliases as string[]) : []);

function* circles(records: Records): Generator<Related> {
  const locations = new Map(
    (records.get('location') as Stored<LocationData>[] | undefined)?.map((one) => [one.id, one]),
  );
  const done = new Set<string>();
  for (const start of locations.keys()) {
    const path: string[] = [];
    let at: string | null = start;
    while (at !== null && locations.has(at) && !done.has(at) && !path.includes(at)) {
      path.push(at);
      at = locations.get(at)?.data.parent_id ?? null;
    }
    for (const id of path) done.add(id);
    const circle = at === null ? [] : path.slice(path.indexOf(at) < 0 ? path.length : path.indexOf(at)).sort();
    const [first] = circle;
    if (first === undefined) continue;
    const nameOf = (id: string | null | undefined) => locations.get(id ?? '')?.data.name ?? '';
    const remedies = circle.map((id): Remedy => {
      const was = locations.get(id)?.data.parent_id ?? null;
      return {
        id,
        record_id: id,
        path: 'parent_id',
        value: null,
        was,
        text: `Take ${nameOf(id)} out of ${nameOf(was)}`,
      };
    });
    yield { record_id: first, path: 'parent_id', label: 'Locations lie in each other', remedies };
  }
}

function* operators(records: Records): Generator<Related> {
  const names = new Map(
    (records.get('operator') as Stored<OperatorData>[] | undefined)?.map(({ id, data }) => [id, data.name]),
  );
  const machines = (records.get('equipment') ?? []) as unknown as Stored<EquipmentData>[];
  for (const group of groups(machines, ({ data }) => data.operator_id)) {
    const [first] = group;
    const name = names.get(first?.data.operator_id ?? '') ?? 'The operator';
    const remedies = group.map(({ id, data }): Remedy => {
      const { operator_id, operator_since, unit_number } = data;
      const value = { operator_id: null, operator_since: null };
      return {
        id,
        record_id: id,
        path: 'operator',
        value,
        was: { operator_id, operator_since },
        text: `Take ${name} off ${unit_number}`,
      };
    });
    if (first !== undefined)
      yield { record_id: first.id, path: 'operator', label: `${name} is on ${group.length} machines`, remedies };
  }
}

async function lostBoards({ view }: Context, records: Records): Promise<Related[]> {
  const playlists = (records.get('playlist') ?? []) as unknown as Stored<PlaylistData>[];
  const entries = playlists.flatMap(({ id, data }) =>
    data.items.map((item) => ({ playlist: id, name: data.name, item })),
  );
  const named = [...new Set(entries.flatMap(({ item }) => item.dashboard_id ?? []))];
  const there = new Set((await view.getMany('records', named)).map(({ id }) => id));
  return entries.flatMap(({ playlist, name, item }): Related[] => {
    const { dashboard_id, id } = item as { dashboard_id?: string; id?: string };
    if (dashboard_id === undefined || id === undefined || there.has(dashboard_id)) return [];
    const path = `items/${id}`;
    const out: Remedy = {
      id: 'take_out',
      record_id: playlist,
      path,
      value: null,
      was: item,
      text: `Take it out of ${name}`,
    };
    return [{ record_id: playlist, path, label: `${name} plays a board that was deleted`, remedies: [out] }];
  });
}

async function secondReports({ view }: Context, records: Records): Promise<Related[]> {
  const reports = (records.get('shift_report') ?? []) as unknown as Stored<ShiftReportData>[];
  const same = groups(reports, ({ data: { location_id, shift } }) =>
    foldText(`${location_id} ${shift.date} ${shift.name}`),
  );
  if (same.length === 0) return [];
  const choices = await view.find<SyncChoiceData>('events', { object: 'sync_choice', limit: MOST_RECORDS });
  const undone = new Set(choices.flatMap(({ data }) => data.undoes ?? []));
  const second = new Set(
    choices.flatMap(({ id, data }) =>
      data.path === SECOND_REPORT && data.undoes === null && !undone.has(id) ? [data.record.id] : [],
    ),
  );
  return same.flatMap((group): Related[] => {
    const open = group.filter(({ id }) => !second.has(id));
    const [first] = open;
    if (first === undefined || open.length < 2) return [];
    const { name, date } = first.data.shift;
    const remedies = open.map(({ id, created_at }): Remedy => {
      const text = `The report of ${created_at.slice(0, 16).replace('T', ' ')} is the second one`;
      return { id, record_id: id, path: SECOND_REPORT, value: 'second', was: null, text };
    });
    return [
      {
        record_id: first.id,
        path: SECOND_REPORT,
        label: `Shift ${name} of ${date} has ${open.length} reports`,
        remedies,
      },
    ];
  });
}

/** Returns what contradicts in a project, and the remedies of each. */
export async function relatedRecords(context: Context): Promise<Related[]> {
  const kinds = ['equipment', 'location', 'operator', 'mechanic', 'playlist', 'shift_report'] as const;
  const records = new Map<string, Record[]>();
  for (const object of kinds) {
    const order = object === 'shift_report' ? 'desc' : 'asc';
    records.set(object, await context.view.find('records', { object, order, limit: MOST_RECORDS }));
  }
  return [
    ...sameNames(records),
    ...circles(records),
    ...operators(records),
    ...(await lostBoards(context, records)),
    ...(await secondReports(context, records)),
  ];
}
