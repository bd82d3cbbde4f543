/**
 * What can be taken back of the work of a task of the agent. The plan follows from the transcripts of its runs: each write is there with
 * its answer, and each change also with the values of its fields before it.
 *
 *   created, nobody changed or uses it ──▶ withdrawn: deleted, or set to the status that stands for it where the interface has no delete
 *   changed, nobody changed it since ────▶ its fields get the values that they had before, if the operation allows them now
 *   everything else ─────────────────────▶ left, with the reason
 */

import { LIMITS } from '#contract/base/limits.ts';
import type { Stored, View } from '#contract/base/view.ts';
import { nextStatuses, type TicketStatus } from '#contract/work/repair-ticket.ts';
import type { Before, RunData } from '#contract/work/task.ts';
import type { UndoItem } from '#contract/work/undo.ts';
import { type Changed, groupsOf } from './undo-fields.ts';
import { hasForeignEntry, machinesLeft, userOf } from './undo-uses.ts';
import { type Json, takenBack, type WriteCall, writesOf } from './undo-writes.ts';

type Reader = Pick<View, 'get' | 'find'>;

/** A call that takes something back. The tool refuses it if the object has another revision. */
export interface UndoCall {
  readonly name: string;
  readonly input: Json;
  readonly if_match: number;
}

/** One object, or some fields of it, that a run wrote, with the call that takes it back; null: it is left. */
export interface PlannedUndo {
  readonly item: UndoItem;
  readonly call: UndoCall | null;
}

/** What an undo does. `run_ids`: the runs that wrote, the newest first. `more`: number of items for which the plan has no room. */
export interface UndoPlan {
  readonly items: readonly PlannedUndo[];
  readonly run_ids: readonly string[];
  readonly more: number;
}

/** The tools that make objects, and the tool that withdraws such an object. Where the interface has no delete, a status stands for it. */
const WITHDRAW: Readonly<Record<string, readonly [tool: string, fields: Json]>> = {
  equipment_create: ['equipment_update', { status: 'decommissioned' }],
  repair_tickets_create: ['repair_tickets_update', { status: 'canceled' }],
  operators_create: ['operators_update', { status: 'inactive' }],
  mechanics_create: ['mechanics_update', { status: 'inactive' }],
  locations_create: ['locations_update', { active: false }],
  dashboards_create: ['dashboards_delete', {}],
  playlists_create: ['playlists_delete', {}],
  custom_actions_create: ['custom_actions_delete', {}],
  // The role agent may not delete a rule.
  alert_rules_create: ['alert_rules_update', { enabled: false }],
  maintenance_plans_create: ['maintenance_plans_delete', {}],
  inspection_checklists_create: ['inspection_checklists_delete', {}],
};

/** The tools that change the fields of one object, which can get their earlier values back. The object is read by the tool `_get`. */
const CHANGES =
  /^(equipment|repair_tickets|operators|mechanics|locations|dashboards|playlists|custom_actions|alert_rules|maintenance_plans|inspection_checklists|devices)_update$/;
/** Tools that require a reason for a change of the status. */
const WITH_REASON: ReadonlySet<string> = new Set(['equipment_update', 'repair_tickets_update']);
/** Parameters that are no fields of the object. */
const NO_FIELDS = /^(id|project_id|idempotency_key|if_match|reason|fields|include)$/;

const WHY = {
  already: 'Already taken back.',
  gone: 'It was deleted since.',
  changed: 'It was changed since.',
  between: 'Somebody else changed it between two changes of the run.',
  added: 'Somebody has added to its log since.',
  before: 'The gateway does not know what was there before. Look at it, and change it by hand.',
  cannot: 'The gateway cannot take this back. Look at it, and change it by hand.',
  entry: 'Entries of a log stay.',
  out: 'It is out of use already.',
  unknown: 'The run ended during this call. The gateway does not know whether it was carried out.',
} as const;

/** The tool with which the object of a change is read before the change; undefined for a tool whose changes are not taken back. */
export const readsBefore = (name: string): string | undefined =>
  CHANGES.test(name) ? name.replace(/_update$/, '_get') : undefined;

/** Returns the input of a call with the field `revision` among the fields of its answer. Without it the call could not be taken back. */
export function withRevision(name: string, input: Json): Json {
  const { fields } = input;
  if (!CHANGES.test(name) && !(name in WITHDRAW)) return input;
  if (typeof fields === 'string' && fields.trim() !== '') return { ...input, fields: `${fields},revision` };
  return Array.isArray(fields) && fields.length > 0 ? { ...input, fields: [...fields, 'revision'] } : input;
}

/** The other name of the parameter `id` of a tool, such as `repair_ticket_id` of `repair_tickets_update`. */
export const idParameter = (tool: string): string => `${tool.replace(/_(get|update)$/, '').replace(/s$/, '')}_id`;

/** The fields of the object that a call names. */
function namedBy(tool: string, input: unknown): string[] {
  if (typeof input !== 'object' || input === null) return [];
  return Object.keys(input).filter((name) => !NO_FIELDS.test(name) && ('id' in input || name !== idParameter(tool)));
}

/**
 * Returns the values that the fields of a change had, from the object as it was read before the change. The object shows only some of its
 * photos and files, so `context` has no value.
 */
export function beforeOf(tool: string, input: unknown, read: unknown): Before | undefined {
  if (typeof read !== 'object' || read === null) return undefined;
  const { id, revision, context: _, ...object } = read as Json;
  if (typeof revision !== 'number' || typeof id !== 'string') return undefined;
  const fields = namedBy(tool, input).filter((name) => name in object);
  return { id, revision, fields: Object.fromEntries(fields.map((name) => [name, object[name]])) };
}

interface Written extends Json {
  readonly object: string;
  readonly id: string;
}

const isObject = (value: unknown): value is Written =>
  typeof value === 'object' && value !== null && typeof (value as Json).object === 'string' && 'id' in value;

/** An event has no name; its kind stands for it. */
const nameOf = ({ unit_number, name, title, label, serial, type }: Json): string | null =>
  [unit_number, name, title, label, serial, type].find((one): one is string => typeof one === 'string') ?? null;

/** The writes of the runs to one object. */
interface Touched {
  readonly object: string;
  readonly id: string | null;
  readonly name: string | null;
  readonly calls: WriteCall[];
}

/** Returns the objects that calls wrote, the object that was written last is last. */
function touchedBy(calls: readonly WriteCall[]): Touched[] {
  const touched = new Map<string, Touched>();
  for (const [i, call] of calls.entries()) {
    const { output } = call;
    const isKnown = call.outcome === 'output' && isObject(output) && output.object !== 'list';
    const { object, id } = isKnown ? output : { object: call.name, id: null };
    const key = id === null || object === 'event' ? `${i}` : id;
    const known = touched.get(key);
    touched.delete(key);
    const name = isKnown ? nameOf(output) : null;
    touched.set(key, { object, id, name: known?.name ?? name, calls: [...(known?.calls ?? []), call] });
  }
  return [...touched.values()];
}

const revisionOf = ({ output }: WriteCall): unknown => (output as { revision?: unknown }).revision;

/** Returns the calls that changed something. A call without effect returns the object with the revision that it had before. */
function effective(calls: readonly WriteCall[]): WriteCall[] {
  let last: unknown;
  return calls.filter((call) => {
    const revision = revisionOf(call);
    const isSame = CHANGES.test(call.name) && (revision === last || revision === call.before?.revision);
    last = revision;
    return !isSame;
  });
}

/** Makes the plan for one task, object after object. What is planned already decides whether an object is still in use. */
class Planner {
  readonly #view: Reader;
  readonly #task_id: string;
  readonly #earlier: ReadonlyMap<string, string>;
  readonly plans: PlannedUndo[] = [];

  constructor(view: Reader, task_id: string, earlier: ReadonlyMap<string, string>) {
    this.#view = view;
    this.#task_id = task_id;
    this.#earlier = earlier;
  }

  async add(touched: Touched): Promise<void> {
    this.plans.push(...(await this.#plansOf(touched)));
  }

  /** True if the plan takes a record back before, so that it does not use an object by this field any more. */
  readonly #isSpared = (id: string, field: string | undefined): boolean =>
    this.plans.some(({ item, call }) => {
      if (call === null || item.id !== id) return false;
      return item.action !== 'restore' || (field !== undefined && item.fields.includes(field));
    });

  readonly #userOf = (object: string, id: string) => userOf(this.#view, object, id, this.#isSpared);

  async #plansOf({ object, id, name: known, calls: all }: Touched): Promise<PlannedUndo[]> {
    const current = id === null || object === 'event' ? undefined : await this.#view.get('records', id);
    const name = (current && nameOf(current.data)) ?? known;
    const item = (action: UndoItem['action'], fields: readonly string[] = [], why: string | null = null): UndoItem => ({
      ...{ object, id, name, action, fields: [...fields], why },
    });
    const leave = (why: string): PlannedUndo[] => [{ item: item('leave', [], why), call: null }];
    const [last] = all.slice(-1);
    if (id === null) return leave(last?.outcome === 'output' ? WHY.cannot : WHY.unknown);
    if (object === 'event') return leave(WHY.entry);
    const undone = this.#earlier.get(id);
    const calls = effective(undone === undefined ? all : all.filter(({ at }) => at > undone));
    const [first] = calls;
    if (first === undefined) return undone === undefined ? [] : leave(WHY.already);
    const made = WITHDRAW[first.name];
    const changes = made === undefined ? calls : calls.slice(1);
    if (changes.some((call) => !CHANGES.test(call.name))) return leave(WHY.cannot);
    if (current === undefined) return leave(WHY.gone);
    const revisions = calls.map(revisionOf);
    if (revisions.at(-1) !== current.revision) return leave(WHY.changed);
    const start = made === undefined ? first.before?.revision : Number(revisions[0]) - 1;
    if (start === undefined || changes.some(({ before }) => before?.id !== id)) return leave(WHY.before);
    if (revisions.some((revision, i) => revision !== start + i + 1)) return leave(WHY.between);
    const entries = { id, task_id: this.#task_id, since: first.at, only_changes: made === undefined };
    if (await hasForeignEntry(this.#view, entries)) return leave(made === undefined ? WHY.changed : WHY.added);
    const reason = `Undo of the task ${this.#task_id}`;
    const if_match = current.revision;
    if (made !== undefined) {
      const [tool, fields] = made;
      if (Object.keys(fields).length > 0 && Object.entries(fields).every(([key, value]) => current.data[key] === value))
        return leave(WHY.out);
      const status = current.data.status as TicketStatus;
      if (object === 'repair_ticket' && !nextStatuses(status).includes('canceled'))
        return leave(`A ticket with the status ${status} cannot be canceled.`);
      const user = await this.#userOf(object, id);
      if (user !== undefined) return leave(`It is in use by ${user}. Take it out of use by hand if it is wrong.`);
      const input = { id, ...fields, ...(WITH_REASON.has(tool) ? { reason } : {}) };
      const action = tool.endsWith('_delete') ? 'delete' : 'withdraw';
      return [{ item: item(action, Object.keys(fields)), call: { name: tool, input, if_match } }];
    }
    const changed: Changed = { tool: first.name, object, name: name ?? id, current, old: oldOf(calls) };
    const groups = await groupsOf(this.#view, changed, this.#userOf);
    return groups.map(({ values, fields, why }): PlannedUndo => {
      if (why !== null) return { item: item('leave', fields, why), call: null };
      const input = { id, ...values, ...(WITH_REASON.has(first.name) && 'status' in values ? { reason } : {}) };
      return { item: item('restore', fields), call: { name: first.name, input, if_match } };
    });
  }

  /** Adds the machines whose operator the task took away when it put the operator on another machine. */
  async addMachinesLeft(since: string): Promise<void> {
    for (const id of await machinesLeft(this.#view, this.#task_id, since)) {
      if (this.plans.some(({ item }) => item.id === id && item.fields.includes('operator_id'))) continue;
      const machine = await this.#view.get<{ unit_number?: unknown }>('records', id);
      if (machine?.object !== 'equipment') continue;
      const name = String(machine.data.unit_number);
      const why = `The run took its operator away. The operator of ${name}: set it by hand.`;
      const item: UndoItem = { object: 'equipment', id, name, action: 'leave', fields: ['operator_id'], why };
      this.plans.push({ item, call: null });
    }
  }
}

/** Returns the values that fields had before the first call that names them; a field whose value is not known is undefined. */
function oldOf(calls: readonly WriteCall[]): ReadonlyMap<string, unknown> {
  const old = new Map<string, unknown>();
  for (const { name, input, before } of calls)
    for (const field of namedBy(name, input)) if (!old.has(field)) old.set(field, before?.fields[field]);
  return old;
}

/** Returns what can be taken back of a task, the object that was written last first. `runs`: its runs, the oldest first. */
export async function planUndo(view: Reader, task_id: string, runs: readonly Stored<RunData>[]): Promise<UndoPlan> {
  const calls = await writesOf(view, runs);
  const run_ids = [...new Set(calls.map(({ run_id }) => run_id))].reverse();
  const [first] = calls;
  if (first === undefined) return { items: [], run_ids, more: 0 };
  const planner = new Planner(view, task_id, await takenBack(view, task_id));
  for (const touched of touchedBy(calls).reverse()) await planner.add(touched);
  await planner.addMachinesLeft(first.at);
  return { ...bounded(planner.plans), run_ids };
}

/** Returns as many items as a plan has room for. What was taken back already leaves first. */
function bounded(plans: readonly PlannedUndo[]): Pick<UndoPlan, 'items' | 'more'> {
  const fits = (list: readonly PlannedUndo[]): number => {
    let bytes = 0;
    const end = list.findIndex((plan, i) => {
      bytes += Buffer.byteLength(JSON.stringify(plan));
      return i >= LIMITS.undo_items.value || bytes > LIMITS.undo_bytes.value;
    });
    return end === -1 ? list.length : end;
  };
  const room = fits(plans);
  if (room === plans.length) return { items: plans, more: 0 };
  const open = plans.filter(({ item }) => item.why !== WHY.already);
  const most = fits(open);
  return { items: open.slice(0, most), more: open.length - most };
}
