/**
 * Names instead of ids in the arguments of a tool. People know a machine by its unit number and a device by its serial, and an agent gets
 * these from people. So wherever a tool wants an id, it also takes an unambiguous name. `id` may also be written with its kind, as in
 * `equipment_id`. REST takes ids only.
 */
import { OperationError } from '#contract/base/errors.ts';
import { PREFIXES } from '#contract/base/ids.ts';
import type { OperationName } from '#contract/operations.ts';
import { type JsonSchema, operationRow, schemaOf } from '#servers/invoke/json-schemas.ts';
import type { Tell } from './log-levels.ts';
import { type Definitions, resolve, withoutNull } from './shapes.ts';

/** The kinds of objects that have names: the operation that lists them, and the fields with names. */
const NAMED = {
  project: { list: 'projects_list', fields: ['name'] },
  equipment: { list: 'equipment_list', fields: ['unit_number', 'aliases', 'name', 'serial_number', 'pin'] },
  device: { list: 'devices_list', fields: ['serial', 'device_id', 'name'] },
  location: { list: 'locations_list', fields: ['code', 'name'] },
  operator: { list: 'operators_list', fields: ['badge_id', 'employee_number', 'name'] },
  mechanic: { list: 'mechanics_list', fields: ['badge_id', 'employee_number', 'name'] },
  repair_ticket: { list: 'repair_tickets_list', fields: ['number'] },
  dashboard: { list: 'dashboards_list', fields: ['name'] },
  playlist: { list: 'playlists_list', fields: ['name'] },
  alert_rule: { list: 'alert_rules_list', fields: ['name'] },
  custom_action: { list: 'custom_actions_list', fields: ['label'] },
  maintenance_plan: { list: 'maintenance_plans_list', fields: ['name'] },
  inspection_checklist: { list: 'inspection_checklists_list', fields: ['name'] },
} as const satisfies Record<string, { list: OperationName; fields: readonly string[] }>;
type Kind = keyof typeof NAMED;

/** Parameters whose name is not `{kind}_id` or `{kind}_ids`, each with the kind of its id. */
const OTHERS: Readonly<Record<string, Kind>> = {
  machine_id: 'equipment',
  from_location_id: 'location',
  to_location_id: 'location',
  parent_id: 'location',
  assigned_mechanic_ids: 'mechanic',
  ticket_id: 'repair_ticket',
  related_to: 'repair_ticket',
  rule_id: 'alert_rule',
  plan_id: 'maintenance_plan',
  checklist_id: 'inspection_checklist',
  replaced_by: 'device',
};
/** Tools in which `device_id` is the name that the hardware uses, not the id of a record. */
const HARDWARE = /^(devices_create|devices_new|devices_list|devices_provision_info|telemetry_devices_match)$/;

/** Largest number of different names in one call. Each name costs a search, and counts as a call for the rate limit. */
const MOST_NAMES = 25;
/** Largest number of pages that a search for one name reads. A page of a search has at most 2,000 documents. */
const MOST_PAGES = 3;
/** Largest number of candidates that an error lists. */
const MOST_CANDIDATES = 10;

/** Calls a list operation for the caller, and returns its answer; undefined if the caller may not read the list. */
export type ReadList = (
  name: OperationName,
  input: Record<string, unknown>,
) => Promise<Record<string, unknown> | undefined>;

/** A text that can be the name of an object. The operation itself refuses other texts. */
const CAN_BE_NAME = /^[^\p{Cc}\p{Cs}]{1,80}$/u;

type Args = Record<string, unknown>;
type Item = Readonly<Record<string, unknown>>;

/** Returns the kind of object that the path of an operation begins with, such as `repair_ticket`. */
function kindOfPath(name: OperationName): string {
  const [segment = ''] = operationRow(name).path.split('/').slice(3);
  return segment.replace(/s$/, '').replaceAll('-', '_');
}

function kindOfKey(key: string, name: OperationName): Kind | undefined {
  if (key === 'id') return namedKind(kindOfPath(name));
  if (key === 'project_id') return undefined;
  if (/^device_ids?$/.test(key) && HARDWARE.test(name)) return undefined;
  return OTHERS[key] ?? namedKind(key.replace(/_ids?$/, ''));
}

const namedKind = (kind: string): Kind | undefined => (Object.hasOwn(NAMED, kind) ? (kind as Kind) : undefined);

/** Returns the names of an object that a list returned. They may stand in the place of its id. */
export function namesOf(list: OperationName, item: Item): string[] {
  const fields = Object.values(NAMED).find((one) => one.list === list)?.fields ?? [];
  return fields.flatMap((field) => item[field] ?? []).map(String);
}

/** Renames `equipment_id` to `id` where the tool wants `id`, and `id` to `task_id` where the tool wants that. */
export function withPlainId(name: OperationName, args: Args): Args {
  const { properties } = schemaOf(name, 'input');
  const [, inPath] = /\{(\w+)\}/.exec(operationRow(name).path) ?? [];
  const wanted = 'id' in properties ? 'id' : inPath;
  if (wanted === undefined || wanted === 'project_id') return args;
  const also = wanted === 'id' ? `${kindOfPath(name)}_id` : 'id';
  if (also in properties || !(also in args) || (wanted in args && args[wanted] !== args[also])) return args;
  const { [also]: value, ...rest } = args;
  return { ...rest, [wanted]: value };
}

/**
 * Replaces the names in the arguments of a tool by ids. Throws `not_found` or `parameter_invalid` with candidates if no object or several
 * objects have a name. Leaves everything unchanged that has the form of an id.
 */
export async function withIds(name: OperationName, args: Args, read: ReadList, tell: Tell = () => {}): Promise<Args> {
  const { $defs = {}, properties } = schemaOf(name, 'input');
  const found = new Map<string, Promise<string>>();

  async function idOf(key: string, kind: Kind, text: unknown): Promise<unknown> {
    if (
      typeof text !== 'string' ||
      !CAN_BE_NAME.test(text) ||
      text.trim() === '' ||
      text.startsWith(`${PREFIXES[kind]}_`)
    )
      return text;
    const known = `${kind} ${text}`;
    if (!found.has(known) && found.size >= MOST_NAMES)
      throw new OperationError('parameter_invalid', `One call takes at most ${MOST_NAMES} names. Send ids instead.`, {
        param: key,
      });
    const wanted = found.get(known) ?? searchName(kind, text, key, read);
    found.set(known, wanted);
    const id = await wanted;
    tell('info', `\`${key}\`: ${quoted(text)} is ${id}.`);
    return id;
  }

  async function walk(value: unknown, schema: JsonSchema, defs: Definitions): Promise<unknown> {
    const whole = resolve(withoutNull(schema).node, defs);
    if (Array.isArray(value)) {
      const items: unknown[] = [];
      for (const item of value) items.push(await walk(item, (whole.items ?? {}) as JsonSchema, defs));
      return items;
    }
    if (typeof value !== 'object' || value === null || whole.properties === undefined) return value;
    return fields(value as Args, whole.properties as Definitions, defs, true);
  }

  /** `id` names the object of the tool only in the arguments themselves. Inside, it is the id of a part, such as an item of a checklist. */
  async function fields(value: Args, known: Definitions, defs: Definitions, isPart: boolean): Promise<Args> {
    const out: Args = {};
    for (const [key, item] of Object.entries(value)) {
      const schema = Object.hasOwn(known, key) ? known[key] : undefined;
      const kind = schema === undefined || (isPart && key === 'id') ? undefined : kindOfKey(key, name);
      if (schema === undefined) out[key] = item;
      else if (kind === undefined) out[key] = await walk(item, schema, defs);
      else if (Array.isArray(item)) out[key] = await Promise.all(item.map((one) => idOf(key, kind, one)));
      else out[key] = await idOf(key, kind, item);
    }
    return out;
  }

  return fields(args, properties, $defs, false);
}

/** Returns the id of a project from its id or name; undefined if the call names none and the caller reaches several projects. */
export async function projectOf(
  named: string | undefined,
  reached: readonly string[] | null,
  read: ReadList,
): Promise<string | undefined> {
  if (named?.startsWith(`${PREFIXES.project}_`)) return named;
  if (named !== undefined && (!CAN_BE_NAME.test(named) || named.trim() === '')) return named;
  if (named !== undefined) return searchName('project', named, 'project_id', read);
  if (reached?.length === 1) return reached[0];
  const answer = await read(NAMED.project.list, { limit: MOST_CANDIDATES });
  const [only, ...others] = (answer?.data ?? []) as Item[];
  if (only === undefined) return undefined;
  if (others.length === 0 && answer?.has_more !== true) return String(only.id);
  throw new OperationError('project_required', `Send \`project_id\`: ${listOf('project', [only, ...others])}.`, {
    param: 'project_id',
    details: [only, ...others].map((item) => candidateOf('project', item)),
  });
}

async function searchName(kind: Kind, text: string, key: string, read: ReadList): Promise<string> {
  const { list, fields } = NAMED[kind];
  const wanted = folded(text);
  const near: Item[] = [];
  const same: Item[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const input = { q: text.trim(), limit: 200, ...(cursor === undefined ? {} : { cursor }) };
    const answer = await read(list, input);
    if (answer === undefined) return text;
    for (const item of answer.data as Item[])
      (fields.some((field) => [item[field]].flat().some((name) => folded(name) === wanted)) ? same : near).push(item);
    cursor = (answer.next_cursor as string | null) ?? undefined;
    if (cursor === undefined) break;
  }
  const [only, ...others] = same;
  if (only !== undefined && others.length === 0) return String(only.id);
  const noun = kind.replaceAll('_', ' ');
  const details = (only === undefined ? near : same).slice(0, MOST_CANDIDATES).map((item) => candidateOf(kind, item));
  if (only !== undefined)
    throw new OperationError(
      'parameter_invalid',
      `\`${key}\`: ${same.length} objects have the name ${quoted(text)}: ${listOf(kind, same)}. Send the id.`,
      { param: key, details },
    );
  const hint =
    near.length === 0
      ? ` ${list} lists them; an id begins with \`${PREFIXES[kind]}_\`.`
      : ` Similar: ${listOf(kind, near)}.`;
  throw new OperationError('not_found', `There is no ${noun} with the id or name ${quoted(text)}.${hint}`, {
    param: key,
    details,
  });
}

const quoted = (text: string): string => JSON.stringify(text.slice(0, 80));
const folded = (name: unknown): string =>
  typeof name === 'string' ? name.normalize('NFKC').trim().toLowerCase() : '\u0000';

function candidateOf(kind: Kind, item: Item): { id: string; name: string } {
  const [first] = NAMED[kind].fields.flatMap((field) => (typeof item[field] === 'string' ? [item[field]] : []));
  return { id: String(item.id), name: first ?? '' };
}

function listOf(kind: Kind, items: readonly Item[]): string {
  const shown = items.slice(0, MOST_CANDIDATES).map((item) => candidateOf(kind, item));
  return shown.map(({ id, name }) => `${name} (${id})`).join(', ') + (items.length > shown.length ? ', ...' : '');
}
