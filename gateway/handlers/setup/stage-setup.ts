/**
 * Stages the objects of one part of a plan. The id of an object is derived from its task and its name. So a part that is written again
 * after a crash makes no second object, and the objects of the first attempt still count as made by this task. What the project already has
 * stays as people left it.
 */
import { foldText } from '#contract/base/names.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import type { LocationData } from '#contract/fleet/location.ts';
import { operations } from '#contract/operations.ts';
import type { MechanicData, OperatorData } from '#contract/work/people.ts';
import type { Gap } from '#contract/work/task.ts';
import type { PlannedLocation, PlannedPerson } from '#domain/planner/plan-types.ts';
import type { WrittenObject, WrittenPart } from '#domain/setup/setup-outcome.ts';
import type { AssignedMachine, SetupPart } from '#domain/setup/setup-parts.ts';
import { holderOf } from '#handlers/base/names.ts';
import { stageMachine } from '#handlers/fleet/equipment.ts';
import { stageLocation } from '#handlers/fleet/locations.ts';
import { stagePerson } from '#handlers/work/people.ts';
import { setupId } from './setup-id.ts';
import { stageFacts } from './stage-facts.ts';
import { stageScreens } from './stage-screens.ts';

/** The stage reads the objects of a kind in pages of this size to find those with the same name. */
const PAGE = 1_000;

const RESOURCES = {
  equipment: 'equipment',
  location: 'locations',
  operator: 'operators',
  mechanic: 'mechanics',
} as const;
type Made = keyof typeof RESOURCES;

/** Finds the objects of a kind with these names: the oldest one of each. */
async function byName<T extends { name: string }>(
  { view }: HandlerContext,
  object: Made,
  names: readonly (string | null | undefined)[],
): Promise<Map<string, Stored<T>>> {
  const wanted = new Set(names.flatMap((name) => (name == null ? [] : foldText(name))));
  const found = new Map<string, Stored<T>>();
  let after: { readonly created_at: string; readonly id: string } | undefined;
  while (found.size < wanted.size) {
    const page = await view.find<T>('records', { object, order: 'asc', limit: PAGE, ...(after && { after }) });
    for (const one of page) {
      const name = foldText(one.data.name);
      if (wanted.has(name) && !found.has(name)) found.set(name, one);
    }
    after = page.at(-1);
    if (page.length < PAGE) break;
  }
  return found;
}

/** The ids of a part that its task has already written. A person may have given these objects other names since. */
async function writtenIds({ view }: HandlerContext, ids: readonly string[]): Promise<ReadonlySet<string>> {
  return new Set((await view.getMany('records', [...new Set(ids)])).map(({ id }) => id));
}

const refused = (object: Made, name: string, why: string): Gap => ({
  code: 'not_made',
  resource: RESOURCES[object],
  ref: name,
  message: `${name} was not made: ${why}`,
  remedy: 'Make it by hand, or correct the description and start the setup again.',
  blocking: false,
});

const noted = (
  object: Made,
  name: string,
  id: string | null,
  created: boolean,
  { from, at }: Pick<WrittenObject, 'from' | 'at'>,
): WrittenObject => ({
  kind: RESOURCES[object],
  name,
  id,
  created,
  from,
  at,
  stated: true,
});

async function stageLocations(
  context: HandlerContext,
  task_id: string,
  items: readonly PlannedLocation[],
): Promise<WrittenPart> {
  const known = await byName<LocationData>(
    context,
    'location',
    items.flatMap(({ name, parent }) => [name, parent]),
  );
  const ids = new Map([...known].map(([name, { id }]) => [name, id]));
  const own = items.map(({ name }, place) => setupId(context, task_id, 'location', name, place));
  const written = await writtenIds(context, own);
  const objects: WrittenObject[] = [];
  const gaps: Gap[] = [];
  /** The names of the places that were made without their parent, by the name of the parent. */
  const orphans = new Map<string, string[]>();
  for (const [place, item] of items.entries()) {
    const { name, kind, parent } = item;
    const id = own[place] ?? '';
    const there = written.has(id) ? id : ids.get(foldText(name));
    if (there !== undefined) {
      objects.push(noted('location', name, there, there === id, item));
      continue;
    }
    const parent_id = parent === null ? undefined : ids.get(foldText(parent));
    if (parent !== null && parent_id === undefined) orphans.set(parent, [...(orphans.get(parent) ?? []), name]);
    const given = operations.locations_create.input.safeParse({ name, kind, ...(parent_id && { parent_id }) });
    if (!given.success) {
      gaps.push(refused('location', name, 'its name is too long.'));
      continue;
    }
    await stageLocation(context, id, {
      name: given.data.name,
      code: null,
      kind: given.data.kind,
      parent_id: parent_id ?? null,
      timezone: null,
      geofence: null,
      elevation_m: null,
      active: true,
      labels: {},
    });
    ids.set(foldText(name), id);
    objects.push(noted('location', name, id, true, item));
  }
  for (const [name, places] of orphans)
    gaps.push({
      code: 'not_linked',
      resource: 'locations',
      ref: name,
      message: `The project has no location "${name}". These places were made without it: ${places.join(', ')}.`,
      remedy: 'Make the location, and set it as their parent.',
      blocking: false,
    });
  return { objects, gaps };
}

/** Returns the id of the person with this number, badge or name; undefined if the project has none. */
async function personThere(
  context: HandlerContext,
  kind: 'operator' | 'mechanic',
  known: ReadonlyMap<string, Stored<OperatorData>>,
  { name, employee_number, badge_id }: PlannedPerson,
): Promise<string | undefined> {
  const { view } = context;
  if (employee_number !== null) {
    const holder = await holderOf(context, view, `${kind}_number`, employee_number);
    if (holder !== undefined) return holder;
  }
  if (badge_id !== null) {
    const holder = await holderOf(context, view, `${kind}_badge`, badge_id);
    if (holder !== undefined) return holder;
  }
  return known.get(foldText(name))?.id;
}

async function stagePeople(
  context: HandlerContext,
  task_id: string,
  kind: 'operator' | 'mechanic',
  items: readonly PlannedPerson[],
): Promise<WrittenPart> {
  const known = await byName<OperatorData>(
    context,
    kind,
    items.map(({ name }) => name),
  );
  const own = items.map(({ name }, place) => setupId(context, task_id, kind, name, place));
  const written = await writtenIds(context, own);
  const objects: WrittenObject[] = [];
  const gaps: Gap[] = [];
  const done = new Set<string>();
  for (const [place, person] of items.entries()) {
    const { name, crew } = person;
    const id = own[place] ?? '';
    const there = written.has(id) ? id : await personThere(context, kind, known, person);
    if (there !== undefined || done.has(id)) {
      objects.push(noted(kind, name, there ?? id, (there ?? id) === id && !done.has(id), person));
      continue;
    }
    const { employee_number, badge_id } = person;
    const given = operations.operators_create.input.safeParse({
      name,
      ...(crew && { crew }),
      ...(employee_number && { employee_number }),
      ...(badge_id && { badge_id }),
    });
    if (!given.success) {
      gaps.push(refused(kind, name, 'its name, crew or number is too long.'));
      continue;
    }
    const data: OperatorData = {
      name: given.data.name,
      employee_number,
      badge_id,
      phone: null,
      status: 'active',
      crew,
      certifications: [],
      location_id: null,
      language: null,
      labels: {},
    };
    if (kind === 'operator') await stagePerson(context, kind, id, data);
    else await stagePerson<MechanicData>(context, kind, id, { ...data, trades: [] });
    done.add(id);
    objects.push(noted(kind, name, id, true, person));
  }
  return { objects, gaps };
}

async function stageMachines(
  context: HandlerContext,
  task_id: string,
  items: readonly AssignedMachine[],
): Promise<WrittenPart> {
  const { view, now } = context;
  const places = await byName<LocationData>(
    context,
    'location',
    items.map(({ location }) => location),
  );
  const people = await byName<OperatorData>(
    context,
    'operator',
    items.map(({ operator }) => operator?.name),
  );
  const own = items.map(({ unit_number }, place) => setupId(context, task_id, 'equipment', unit_number, place));
  const ids = await writtenIds(context, own);
  const unlinked: Unlinked[] = [];
  const objects: WrittenObject[] = [];
  const gaps: Gap[] = [];
  for (const [place, machine] of items.entries()) {
    const { unit_number, kind, oem_name, model, serial_number, year, generated, from, at } = machine;
    const id = own[place] ?? '';
    const written = { kind: 'equipment', name: unit_number, from, at, stated: !generated } as const;
    const there = ids.has(id) ? id : await holderOf(context, view, 'unit_number', unit_number);
    const location = machine.location === null ? undefined : places.get(foldText(machine.location));
    const operator = machine.operator === null ? undefined : people.get(foldText(machine.operator.name));
    const location_id = location?.data.active === true ? location.id : null;
    const operator_id = operator?.data.status === 'inactive' ? undefined : operator?.id;
    if (there === undefined || there === id) {
      if (machine.location !== null && location_id === null)
        unlinked.push({ resource: 'locations', name: machine.location, unit_number });
      if (machine.operator !== null && operator_id === undefined)
        unlinked.push({ resource: 'operators', name: machine.operator.name, unit_number });
    }
    if (there !== undefined) {
      objects.push({ ...written, id: there, created: there === id });
      continue;
    }
    const given = operations.equipment_create.input.safeParse({
      unit_number,
      kind,
      ...(oem_name && { oem_name }),
      ...(model && { model }),
      ...(serial_number && { serial_number }),
      ...(year && { year }),
    });
    if (!given.success) {
      gaps.push(refused('equipment', unit_number, 'its number, model or year is not possible.'));
      continue;
    }
    await stageMachine(context, id, {
      unit_number: given.data.unit_number,
      aliases: [],
      name: given.data.unit_number,
      kind,
      oem_name,
      model,
      serial_number,
      pin: null,
      year,
      status: 'available',
      location_id,
      operator_id: operator_id ?? null,
      operator_since: operator_id === undefined ? null : now,
      status_since: now,
      taken: null,
      labels: {},
    });
    objects.push({ ...written, id, created: true });
  }
  return { objects, gaps: [...gaps, ...unlinkedGaps(unlinked)] };
}

/** A machine that was made without a location or an operator that the text names. */
interface Unlinked {
  readonly resource: 'locations' | 'operators';
  readonly name: string;
  readonly unit_number: string;
}

function unlinkedGaps(unlinked: readonly Unlinked[]): Gap[] {
  const groups = Map.groupBy(unlinked, ({ resource, name }) => `${resource} ${name}`);
  return [...groups.values()].map((group) => {
    const [{ resource, name }] = group as [Unlinked, ...Unlinked[]];
    const word = resource === 'locations' ? 'location' : 'operator';
    return {
      code: 'not_linked',
      resource,
      ref: name,
      message: `The project has no active ${word} "${name}". These machines were made without it: ${group.map(({ unit_number }) => unit_number).join(', ')}.`,
      remedy: `Make the ${word}, and choose it on the page of each machine.`,
      blocking: false,
    };
  });
}

/** Stages one part of the plan of a task. */
export async function stageSetupPart(context: HandlerContext, task_id: string, part: SetupPart): Promise<WrittenPart> {
  switch (part.step) {
    case 'locations':
      return stageLocations(context, task_id, part.items);
    case 'operators':
      return stagePeople(context, task_id, 'operator', part.items);
    case 'mechanics':
      return stagePeople(context, task_id, 'mechanic', part.items);
    case 'equipment':
      return stageMachines(context, task_id, part.items);
    case 'screens':
      return stageScreens(context, task_id, part);
    case 'learnings':
      return stageFacts(context, task_id, part);
  }
}
