/**
 * What can be taken back of the work of a run of the agent. The plan follows from the transcript of the run and of the runs that it
 * continues: each write is there with its answer, and each change also with the values of its fields before it.
 *
 *   created, nobody changed it since ──▶ withdrawn: deleted, or set to the status that stands for it where the interface has no delete
 *   changed, nobody changed it since ──▶ its fields get the values that they had before
 *   everything else                  ──▶ left, with the reason
 */
import type { EventData } from '#contract/base/event.ts';
import type { Stored, View } from '#contract/base/view.ts';
import { type OperationName, operations } from '#contract/operations.ts';
import type { Before, RunData } from '#contract/work/task.ts';
import type { UndoItem } from '#contract/work/undo.ts';
import { ENDED_BEFORE_ANSWER } from './run.ts';
import { chainOf, messagesOf } from './transcript.ts';

type Json = Readonly<Record<string, unknown>>;

/** A call that takes something back. The tool refuses it if the object has another revision. */
export interface UndoCall {
  readonly name: string;
  readonly input: Json;
  readonly if_match: number;
}

/** One object that a run wrote, with the call that takes it back; null: it is left. */
export interface PlannedUndo {
  readonly item: UndoItem;
  readonly call: UndoCall | null;
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
const NO_FIELDS: ReadonlySet<string> = new Set(['id', 'project_id', 'idempotency_key', 'if_match', 'reason', 'fields']);
/** Number of entries of the log of a new object that are read to see whether somebody has added one. */
const MOST_EVENTS = 50;

const WHY = {
  gone: 'It was deleted since.',
  changed: 'It was changed since.',
  between: 'Somebody else changed it between two changes of the run.',
  added: 'Somebody has added to its log since.',
  before: 'The gateway does not know what was there before.',
  cannot: 'The gateway cannot take this back.',
  entry: 'Entries of a log stay.',
  unknown: 'The run ended during this call. The gateway does not know whether it was carried out.',
} as const;

/** The tool with which the object of a change is read before the change; undefined for a tool whose changes are not taken back. */
export const readsBefore = (name: string): string | undefined =>
  CHANGES.test(name) ? name.replace(/_update$/, '_get') : undefined;

/** Returns the values that the fields of a change had, from the object as it was read before the change. */
export function beforeOf(input: unknown, read: unknown): Before | undefined {
  if (typeof input !== 'object' || input === null || typeof read !== 'object' || read === null) return undefined;
  const { revision, context, ...object } = read as Json & { context?: { media?: unknown } };
  if (typeof revision !== 'number') return undefined;
  const fields = Object.keys(input).filter((name) => !NO_FIELDS.has(name) && (name in object || name === 'context'));
  const earlier = (name: string) => (name === 'context' ? { media: context?.media ?? [] } : object[name]);
  return { revision, fields: Object.fromEntries(fields.map((name) => [name, earlier(name)])) };
}

/** A write of a run with its result. */
interface WriteCall {
  readonly name: string;
  readonly outcome: string | null;
  readonly output: unknown;
  readonly before: Before | undefined;
}

const isWrite = (name: string): boolean => operations[name as OperationName]?.hints.readOnly === false;
const errorCode = (output: unknown): unknown => (output as { error?: { code?: unknown } } | null)?.error?.code;

/** Returns the writes of a run and of the runs that it continues, in the order in which the model asked for them. */
async function writesOf(view: Pick<View, 'get' | 'find'>, run: Stored<RunData>): Promise<WriteCall[]> {
  const calls = new Map<string, WriteCall>();
  for (const id of [...(await chainOf(view, run.data)), run.id])
    for (const { data } of await messagesOf(view, id)) {
      if (data.tool === null || !isWrite(data.tool.name)) continue;
      const { call_id, name, outcome, output } = data.tool;
      const known = calls.get(call_id);
      if (known === undefined) calls.set(call_id, { name, outcome: null, output: null, before: data.before });
      // A run that continues a chain carries out the open calls of the run before it.
      else if (data.kind === 'tool_result') calls.set(call_id, { ...known, outcome, output });
    }
  return [...calls.values()].filter(
    ({ outcome, output }) => outcome === 'output' || outcome === null || errorCode(output) === ENDED_BEFORE_ANSWER,
  );
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

/** The writes of a run to one object. */
interface Touched {
  readonly object: string;
  readonly id: string | null;
  readonly name: string | null;
  readonly calls: WriteCall[];
}

function touchedBy(calls: readonly WriteCall[]): Touched[] {
  const byId = new Map<string, Touched>();
  const all: Touched[] = [];
  for (const call of calls) {
    const { output } = call;
    const isKnown = call.outcome === 'output' && isObject(output) && output.object !== 'list';
    const { object, id } = isKnown ? output : { object: call.name, id: null };
    const known = id === null || object === 'event' ? undefined : byId.get(id);
    if (known !== undefined) {
      known.calls.push(call);
      continue;
    }
    const touched: Touched = { object, id, name: isKnown ? nameOf(output) : null, calls: [call] };
    all.push(touched);
    if (id !== null) byId.set(id, touched);
  }
  return all;
}

/** Returns what can be taken back of a run, the last object first. */
export async function planUndo(view: Pick<View, 'get' | 'find'>, run: Stored<RunData>): Promise<PlannedUndo[]> {
  const plans: PlannedUndo[] = [];
  if (run.data.plan_only) return plans;
  for (const touched of touchedBy(await writesOf(view, run)).reverse()) plans.push(await planOne(view, run, touched));
  return plans;
}

async function planOne(
  view: Pick<View, 'get' | 'find'>,
  { data: { task_id } }: Stored<RunData>,
  { object, id, name, calls }: Touched,
): Promise<PlannedUndo> {
  const item = (action: UndoItem['action'], fields: readonly string[] = [], why: string | null = null): UndoItem => ({
    ...{ object, id, name, action, fields: [...fields], why },
  });
  const leave = (why: keyof typeof WHY): PlannedUndo => ({ item: item('leave', [], WHY[why]), call: null });
  const [first] = calls;
  if (first === undefined || id === null)
    return leave(first?.outcome === 'output' || first === undefined ? 'cannot' : 'unknown');
  if (object === 'event') return leave('entry');
  const made = WITHDRAW[first.name];
  const changes = made === undefined ? calls : calls.slice(1);
  if (changes.some((call) => !CHANGES.test(call.name))) return leave('cannot');
  const current = await view.get('records', id);
  if (current === undefined) return leave('gone');
  const revisions = calls.map(({ output }) => (output as { revision?: unknown }).revision);
  if (revisions.at(-1) !== current.revision) return leave('changed');
  const { before } = first;
  const start = made === undefined ? before?.revision : Number(revisions[0]) - 1;
  if (start === undefined) return leave('before');
  if (revisions.some((revision, i) => revision !== start + i + 1)) return leave('between');
  const reason = `Undo of the task ${task_id}`;
  const if_match = current.revision;
  if (made !== undefined) {
    if (await hasForeignEntry(view, id, task_id)) return leave('added');
    const [tool, fields] = made;
    const input = { id, ...fields, ...(WITH_REASON.has(tool) ? { reason } : {}) };
    const action = tool.endsWith('_delete') ? 'delete' : 'withdraw';
    return { item: item(action, Object.keys(fields)), call: { name: tool, input, if_match } };
  }
  const old: Record<string, unknown> = {};
  for (const call of calls)
    for (const [field, value] of Object.entries(call.before?.fields ?? {})) if (!(field in old)) old[field] = value;
  if (calls.some((call) => call.before === undefined)) return leave('before');
  const fields = Object.keys(old);
  const input = { id, ...old, ...(WITH_REASON.has(first.name) && 'status' in old ? { reason } : {}) };
  return { item: item('restore', fields), call: { name: first.name, input, if_match } };
}

/** Returns true if somebody else than the task has added an entry to the log of an object. Entries of the gateway itself do not count. */
async function hasForeignEntry(view: Pick<View, 'find'>, id: string, task_id: string): Promise<boolean> {
  const where = { 'data.subject.id': id };
  const entries = await view.find<EventData>('events', { object: 'event', where, limit: MOST_EVENTS });
  return entries.some(({ data: { actor } }) => actor.id !== null && actor.id !== task_id);
}
