/** Operations on operators and mechanics. A read adds the current machine of an operator, or the open tickets of a mechanic. */

import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext, StagedView } from '#contract/context.ts';
import type { EquipmentData } from '#contract/fleet/equipment.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Output, Parsed } from '#contract/operations.ts';
import type { MechanicData, OperatorData } from '#contract/work/people.ts';
import { OPEN_TICKET } from '#contract/work/repair-ticket.ts';
import { leaveMachines, requireActive } from '#handlers/base/assignments.ts';
import {
  applyFields,
  checkRevision,
  contextOf,
  mediaFrom,
  requireRecord,
  type WithMedia,
  wireBase,
} from '#handlers/base/documents.ts';
import { stageEvent } from '#handlers/base/events.ts';
import { listPage } from '#handlers/base/lists.ts';
import { claimNames, holderOf } from '#handlers/base/names.ts';

type Kind = 'operator' | 'mechanic';
type Person = OperatorData & WithMedia;
type Operator = Output<'operators_get'>;
type Mechanic = Output<'mechanics_get'>;

/**
 * The kinds of unique names of people. A person may be an operator and a mechanic with the same number, so operators and mechanics have
 * separate kinds.
 */
const NAMES = {
  operator: { employee_number: 'operator_number', badge_id: 'operator_badge' },
  mechanic: { employee_number: 'mechanic_number', badge_id: 'mechanic_badge' },
} as const;

/** A read of mechanics searches at most this many open tickets, the newest first, for the tickets of these mechanics. */
const MOST_TICKETS = 1_000;

async function claimBoth(
  context: HandlerContext,
  kind: Kind,
  id: string,
  before: Partial<Person>,
  after: Person,
): Promise<void> {
  for (const field of ['employee_number', 'badge_id'] as const) {
    const [old, wanted] = [before[field], after[field]].map((name) => (name ? [name] : []));
    await claimNames(context, context.view, NAMES[kind][field], id, old ?? [], wanted ?? []);
  }
}

function personFrom(input: Omit<Parsed<'operators_create'>, 'context'>): OperatorData {
  return {
    name: input.name,
    employee_number: input.employee_number ?? null,
    badge_id: input.badge_id ?? null,
    phone: input.phone ?? null,
    status: input.status,
    crew: input.crew ?? null,
    certifications: input.certifications ?? [],
    location_id: input.location_id ?? null,
    language: input.language ?? null,
    labels: input.labels ?? {},
  };
}

/** Stages a new operator or mechanic. Throws if another one has the same employee number or badge. */
export async function stagePerson<T extends Person>(
  context: HandlerContext,
  kind: Kind,
  id: string,
  data: T,
): Promise<Stored<T>> {
  const { view } = context;
  if (data.location_id !== null) await requireActive(view, 'location', [data.location_id], 'location_id');
  await claimBoth(context, kind, id, {}, data);
  const document = view.stage({ collection: 'records', id, object: kind, data, expected: 0 });
  stageEvent(context, view, kind, id, 'created', { name: data.name });
  return document;
}

async function updatePerson<T extends Person>(
  context: HandlerContext,
  kind: Kind,
  id: string,
  given: Partial<T>,
): Promise<Stored<T>> {
  const { view } = context;
  const current = await requireRecord<T>(view, kind, id);
  checkRevision(context, current);
  const { data, fields } = applyFields(current.data, given);
  if (fields.length === 0) return current;
  if (fields.includes('location_id') && data.location_id !== null)
    await requireActive(view, 'location', [data.location_id], 'location_id');
  if (kind === 'operator' && fields.includes('status') && data.status === 'inactive')
    await leaveMachines(context, id, null);
  await claimBoth(context, kind, id, current.data, data);
  const { revision: expected } = current;
  const document = view.stage({ collection: 'records', id, object: kind, data, current, expected });
  stageEvent(context, view, kind, id, 'updated', {
    fields,
    ...(fields.includes('status') ? { status: { from: current.data.status, to: data.status } } : {}),
  });
  return document;
}

async function listPeople<T extends Person, I>(
  context: HandlerContext,
  kind: Kind,
  input: Parsed<'operators_list'>,
  join: (found: Stored<T>[]) => Promise<I[]>,
) {
  const { status, crew, location_id } = input;
  let id: string | undefined;
  for (const field of ['employee_number', 'badge_id'] as const) {
    const name = input[field];
    if (name === undefined) continue;
    const holder = await holderOf(context, context.view, NAMES[kind][field], name);
    if (holder === undefined || (id !== undefined && holder !== id))
      return { object: 'list' as const, data: [], has_more: false, next_cursor: null };
    id = holder;
  }
  return listPage<T, I>(
    context,
    context.view,
    'records',
    input,
    {
      object: kind,
      where: { id, 'data.status': status, 'data.crew': crew, 'data.location_id': location_id },
      text: ({ data }) => [data.name, data.employee_number, data.badge_id],
    },
    join,
  );
}

/** Number of operators in one query of `currentMachines`. */
const AT_ONCE = 50;

/**
 * Returns the id of the machine of each operator. If the store has several machines for an operator, it returns the machine that was
 * assigned last.
 */
async function currentMachines(view: StagedView, ids: readonly string[]): Promise<Map<string, string>> {
  const machines: Stored<EquipmentData>[] = [];
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const where = { 'data.operator_id': ids.slice(from, from + AT_ONCE) };
    machines.push(...(await view.find<EquipmentData>('records', { object: 'equipment', where, limit: 1_000 })));
  }
  const since = ({ data, created_at }: Stored<EquipmentData>) => data.operator_since ?? created_at;
  machines.sort((a, b) => (since(a) < since(b) ? -1 : 1));
  return new Map(machines.map(({ id, data }) => [data.operator_id ?? '', id]));
}

async function toOperators(context: HandlerContext, found: readonly Stored<Person>[]): Promise<Operator[]> {
  const ids = found.map(({ id }) => id);
  const machines = await currentMachines(context.view, ids);
  return found.map((document) => {
    const { media, ...fields } = document.data;
    return {
      object: 'operator',
      ...wireBase(document),
      ...fields,
      current_equipment_id: machines.get(document.id) ?? null,
      context: contextOf({ ...(media && { media }) }),
    };
  });
}

/** Returns the ids of the open repair tickets of each mechanic, by the id of the mechanic. */
async function openTickets(view: StagedView): Promise<Map<string, string[]>> {
  const tickets = await view.find<{ assigned_mechanic_ids: string[] }>('records', {
    object: 'repair_ticket',
    where: { 'data.status': OPEN_TICKET },
    limit: MOST_TICKETS,
  });
  const open = new Map<string, string[]>();
  for (const { id, data } of tickets)
    for (const mechanic of data.assigned_mechanic_ids) open.set(mechanic, [...(open.get(mechanic) ?? []), id]);
  return open;
}

async function toMechanics(
  context: HandlerContext,
  found: readonly Stored<MechanicData & WithMedia>[],
): Promise<Mechanic[]> {
  const open = await openTickets(context.view);
  return found.map((document) => {
    const { media, ...fields } = document.data;
    return {
      object: 'mechanic',
      ...wireBase(document),
      ...fields,
      open_ticket_ids: open.get(document.id) ?? [],
      context: contextOf({ ...(media && { media }) }),
    };
  });
}

async function one<T, I>(
  context: HandlerContext,
  join: (context: HandlerContext, found: readonly Stored<T>[]) => Promise<I[]>,
  document: Stored<T>,
): Promise<I> {
  const [item] = await join(context, [document]);
  if (item === undefined) throw new Error(`${document.id} was deleted between two steps of the call`);
  return item;
}

export const peopleHandlers = handlerGroup([], {
  async operators_create({ context: given, ...input }, context) {
    const data = { ...personFrom(input), ...(await mediaFrom(context.view, given)) };
    return one(context, toOperators, await stagePerson(context, 'operator', context.newId('operator'), data));
  },
  async operators_list(input, context) {
    return listPeople<Person, Operator>(context, 'operator', input, (found) => toOperators(context, found));
  },
  async operators_get({ id }, context) {
    return one(context, toOperators, await requireRecord<Person>(context.view, 'operator', id));
  },
  async operators_update({ id, context: given, ...changes }, context) {
    const all = { ...changes, ...(await mediaFrom(context.view, given)) } as Partial<Person>;
    return one(context, toOperators, await updatePerson(context, 'operator', id, all));
  },

  async mechanics_create({ context: given, trades = [], ...input }, context) {
    const data = { ...personFrom(input), trades, ...(await mediaFrom(context.view, given)) };
    return one(context, toMechanics, await stagePerson(context, 'mechanic', context.newId('mechanic'), data));
  },
  async mechanics_list(input, context) {
    return listPeople<MechanicData & WithMedia, Mechanic>(context, 'mechanic', input, (found) =>
      toMechanics(context, found),
    );
  },
  async mechanics_get({ id }, context) {
    return one(context, toMechanics, await requireRecord<MechanicData & WithMedia>(context.view, 'mechanic', id));
  },
  async mechanics_update({ id, context: given, ...changes }, context) {
    const all = { ...changes, ...(await mediaFrom(context.view, given)) } as Partial<MechanicData & WithMedia>;
    return one(context, toMechanics, await updatePerson(context, 'mechanic', id, all));
  },
});
