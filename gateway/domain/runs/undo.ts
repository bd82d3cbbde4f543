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
import type { OperationName } from '#contract/operations.ts';
import { mayCall } from '#contract/scopes.ts';
import type { UndoItem } from '#contract/work/agent-task.ts';
import { LEARNING_TOOLS } from '#contract/work/learning.ts';
import { nextStatuses, type TicketStatus } from '#contract/work/repair-ticket.ts';
import type { Before, RunData } from '#contract/work/task.ts';
import { type Changed, groupsOf } from './undo-fields.ts';
import { leftOfSetup } from './undo-setup.ts';
import { hasForeignEntry, isOut, machinesLeft, OUT, type User, Uses } from './undo-uses.ts';
import { type Earlier, type Json, runsOf, type TakenBack, takenBack, type WriteCall, writesOf } from './undo-writes.ts';

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
  equipment_create: ['equipment_update', OUT.equipment],
  repair_tickets_create: ['repair_tickets_update', OUT.repair_ticket],
  operators_create: ['operators_update', OUT.operator],
  mechanics_create: ['mechanics_update', OUT.mechanic],
  locations_create: ['locations_update', OUT.location],
  dashboards_create: ['dashboards_delete', {}],
  playlists_create: ['playlists_delete', {}],
  custom_actions_create: ['custom_actions_delete', {}],
  // The role agent may not delete a rule.
  alert_rules_create: ['alert_rules_update', OUT.alert_rule],
  maintenance_plans_create: ['maintenance_plans_delete', {}],
  [LEARNING_TOOLS.remember]: [LEARNING_TOOLS.end, {}],
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
  between: 'It was changed before or between the changes of the run.',
  added: 'Somebody has added to its log since.',
  before: 'The gateway does not know what was there before. Look at it, and change it by hand.',
  cannot: 'The gateway cannot take this back. Look at it, and change it by hand.',
  entry: 'Entries of a log stay.',
  out: 'It is out of use already.',
  scope: 'This key may not do it.',
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

/** Returns the calls that changed something. A call without effect returns the object with the revision that it had before; a call whose
 * revision is not known counts as a change. */
function effective(calls: readonly WriteCall[]): WriteCall[] {
  let last: unknown;
  return calls.filter((call) => {
    const revision = revisionOf(call);
    const isKnown = revision !== undefined;
    const isSame = isKnown && CHANGES.test(call.name) && (revision === last || revision === call.before?.revision);
    last = revision;
    return !isSame;
  });
}

/** Returns the ids of the objects that the task made. */
const madeBy = (calls: readonly WriteCall[]): ReadonlySet<string> =>
  new Set(calls.flatMap(({ name, output }) => (name in WITHDRAW && isObject(output) ? output.id : [])));

/** Kinds of records that do not use anything while they are canceled or disabled, whoever did it. */
const IDLE: ReadonlySet<string> = new Set(['repair_ticket', 'alert_rule']);

/** Returns true for a record that the task made and that is out of use: canceled or disabled, or withdrawn by an earlier undo. */
const isIdle = ({ id, object, isOut }: User, made: ReadonlySet<string>, { objects }: Earlier): boolean =>
  isOut && made.has(id) && (IDLE.has(object) || objects.has(id));

/** Returns true if the item takes away that a record names an object. `field`: the field that names it, if it names only one. */
const releases = ({ action, fields }: UndoItem, field: string | undefined): boolean =>
  action !== 'restore' || (field !== undefined && fields.includes(field));

export const inUse = (user: string): string => `It is in use by ${user}. Take it out of use by hand if it is wrong.`;

/**
 * Returns a function that finds what uses an object now. `done`: the items of the running undo that are carried out; the records in them do
 * not count.
 */
export async function createUseCheck(
  view: Reader,
  task_id: string,
  done: () => readonly UndoItem[],
): Promise<(object: string, id: string) => Promise<string | undefined>> {
  const made = madeBy(await writesOf(view, await runsOf(view, task_id)));
  const earlier = await takenBack(view, task_id);
  return (object, id) => {
    const items = done();
    const isSpared = (user: User, field: string | undefined) =>
      isIdle(user, made, earlier) || items.some((item) => item.id === user.id && releases(item, field));
    return new Uses(view, isSpared).userOf(object, id);
  };
}

interface Asked {
  readonly task_id: string;
  /** The scopes of the caller. Null: the key has no scopes. */
  readonly scopes: readonly string[] | null;
}

/** Makes the plan for one task, object after object. What is planned already decides whether an object is still in use. */
class Planner {
  readonly #view: Reader;
  readonly #asked: Asked;
  readonly #earlier: Earlier;
  readonly #uses: Uses;
  readonly #own: ReadonlySet<string>;
  readonly plans: PlannedUndo[] = [];

  constructor(view: Reader, asked: Asked, earlier: Earlier, made: ReadonlySet<string>) {
    this.#view = view;
    this.#asked = asked;
    this.#earlier = earlier;
    this.#own = new Set([asked.task_id, ...earlier.task_ids]);
    // A record does not count whose turn comes before.
    const isPlanned = ({ id }: User, field: string | undefined) =>
      this.plans.some(({ item, call }) => call !== null && item.id === id && releases(item, field));
    this.#uses = new Uses(view, (user, field) => isIdle(user, made, earlier) || isPlanned(user, field));
  }

  async add(touched: Touched): Promise<void> {
    for (const plan of await this.#plansOf(touched)) {
      const isAllowed = plan.call === null || mayCall(this.#asked.scopes, plan.call.name as OperationName);
      this.plans.push(isAllowed ? plan : { item: { ...plan.item, action: 'leave', why: WHY.scope }, call: null });
    }
  }

  readonly #userOf = (object: string, id: string) => this.#uses.userOf(object, id);

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
    const undone = this.#earlier.objects.get(id);
    const since = undone === undefined ? all : all.filter(({ at }) => at > undone.at);
    const open = undone === undefined ? [] : openFields(undone, effective(all), current);
    const isRest = undone !== undefined && effective(since).length === 0;
    if (isRest && open.length === 0) return leave(WHY.already);
    const partly = `Partly taken back; set ${open.join(', ')} by hand.`;
    // The run has written it again: nobody can tell the fields of the earlier writes from those of the later ones.
    if (!isRest && open.length > 0) return leave(partly);
    const calls = effective(isRest ? all : since);
    const [first] = calls;
    if (first === undefined) return [];
    const made = WITHDRAW[first.name];
    const changes = made === undefined ? calls : calls.slice(1);
    if (changes.some((call) => !CHANGES.test(call.name))) return leave(WHY.cannot);
    if (current === undefined) return leave(WHY.gone);
    if (isRest && made !== undefined) return leave(partly);
    const revisions = calls.map(revisionOf);
    if (revisions.some((revision) => typeof revision !== 'number')) return leave(WHY.before);
    // The calls of an undo name the revision, so nobody else has changed the object between its own calls.
    if ((isRest ? undone.revision : revisions.at(-1)) !== current.revision) return leave(isRest ? partly : WHY.changed);
    const start = made === undefined ? first.before?.revision : Number(revisions[0]) - 1;
    if (start === undefined || changes.some(({ before }) => before?.id !== id)) return leave(WHY.before);
    if (revisions.some((revision, i) => revision !== start + i + 1)) return leave(isRest ? partly : WHY.between);
    const entries = { id, own: this.#own, since: first.at, only_changes: made === undefined };
    if (await hasForeignEntry(this.#view, entries)) {
      if (made !== undefined) return leave(WHY.added);
      return leave(isRest ? partly : WHY.changed);
    }
    const reason = `Undo of the task ${this.#asked.task_id}`;
    const if_match = current.revision;
    if (made !== undefined) {
      const [tool, fields] = made;
      if (isOut(object, current.data)) return leave(WHY.out);
      const status = current.data.status as TicketStatus;
      if (object === 'repair_ticket' && !nextStatuses(status).includes('canceled'))
        return leave(`A ticket with the status ${status} cannot be canceled.`);
      const user = await this.#userOf(object, id);
      if (user !== undefined) return leave(inUse(user));
      const input = { id, ...fields, ...(WITH_REASON.has(tool) ? { reason } : {}) };
      const action = tool.endsWith('_delete') ? 'delete' : 'withdraw';
      return [{ item: item(action, Object.keys(fields)), call: { name: tool, input, if_match } }];
    }
    const old = oldOf(calls);
    const done = new Set(isRest ? [...old.keys()].filter((field) => !open.includes(field)) : []);
    const changed: Changed = { tool: first.name, object, name: name ?? id, current, old, done };
    const groups = await groupsOf(this.#view, changed, this.#userOf);
    return groups.map(({ values, fields, why }): PlannedUndo => {
      if (why !== null) return { item: item('leave', fields, why), call: null };
      const input = { id, ...values, ...(WITH_REASON.has(first.name) && 'status' in values ? { reason } : {}) };
      return { item: item('restore', fields), call: { name: first.name, input, if_match } };
    });
  }

  /** Adds the machines whose operator the task took away when it put the operator on another machine. */
  async addMachinesLeft(since: string): Promise<void> {
    for (const id of await machinesLeft(this.#view, this.#asked.task_id, since)) {
      if (this.plans.some(({ item }) => item.id === id && item.fields.includes('operator_id'))) continue;
      const machine = await this.#view.get<{ unit_number?: unknown; operator_id?: unknown }>('records', id);
      // With an operator, the machine has what it needs: somebody put one there since.
      if (machine?.object !== 'equipment' || machine.data.operator_id != null) continue;
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

/** Returns the fields that an earlier undo has not taken back although the calls before it changed them. */
function openFields(undone: TakenBack, calls: readonly WriteCall[], current: Stored | undefined): string[] {
  const before = calls.filter(({ at }) => at <= undone.at);
  const isMade = before[0] !== undefined && before[0].name in WITHDRAW;
  const isWithdrawn = (at: string) =>
    isMade &&
    undone.calls.some((one) => one.at >= at && (one.name.endsWith('_delete') || isOut(one.object, one.input)));
  const old = oldOf(before);
  const open = before
    .slice(isMade ? 1 : 0)
    .flatMap(({ name, input, at }) =>
      namedBy(name, input).filter(
        (field) => !isWithdrawn(at) && !undone.calls.some((one) => one.at >= at && field in one.input),
      ),
    );
  return [...new Set(open)].filter(
    (field) =>
      !(field === 'hold_reason' && old.has('status')) &&
      !(old.get(field) !== undefined && JSON.stringify(old.get(field)) === JSON.stringify(current?.data[field])),
  );
}

/** Returns what can be taken back of a task, the object that was written last first. `runs`: its runs, the oldest first. */
export async function planUndo(
  view: Reader & Pick<View, 'getMany'>,
  asked: Asked,
  runs: readonly Stored<RunData>[],
): Promise<UndoPlan> {
  const calls = await writesOf(view, runs);
  const run_ids = [...new Set(calls.map(({ run_id }) => run_id))].reverse();
  const left = (await leftOfSetup(view, runs)).map((item): PlannedUndo => ({ item, call: null }));
  const [first] = calls;
  if (first === undefined) return { ...bounded(left), run_ids };
  const planner = new Planner(view, asked, await takenBack(view, asked.task_id), madeBy(calls));
  for (const touched of touchedBy(calls).reverse()) await planner.add(touched);
  await planner.addMachinesLeft(first.at);
  return { ...bounded([...planner.plans, ...left]), run_ids };
}

/** Returns as many items as a plan has room for, and never only some items of an object. What was taken back already leaves first. */
function bounded(plans: readonly PlannedUndo[]): Pick<UndoPlan, 'items' | 'more'> {
  const fits = (list: readonly PlannedUndo[]): number => {
    let bytes = 0;
    const most = list.findIndex((plan, i) => {
      bytes += Buffer.byteLength(JSON.stringify(plan));
      return i >= LIMITS.undo_items.value || bytes > LIMITS.undo_bytes.value;
    });
    let end = most === -1 ? list.length : most;
    const id = list[end]?.item.id;
    while (end > 0 && id != null && list[end - 1]?.item.id === id) end--;
    return end;
  };
  const room = fits(plans);
  if (room === plans.length) return { items: plans, more: 0 };
  const open = plans.filter(({ item }) => item.why !== WHY.already);
  const most = fits(open);
  return { items: open.slice(0, most), more: open.length - most };
}
