/** What the fields of references show: the present name, a note if its object is not made, and the objects that a person can choose. */
import { t } from '#ui/languages/texts.ts';
import { type DraftPlan, madeOf, type Ref, type Row } from './plan-draft.ts';
import { namesIn } from './plan-sent.ts';

/** Returns the name that a field of a reference shows; an empty text if there is none, or if its object is not made. */
export function shownName(draft: DraftPlan, ref: Ref): string {
  if (ref === null) return '';
  if ('text' in ref) return ref.text;
  const named = namesIn(draft).get(ref.key);
  return named?.isMade === true ? named.name : '';
}

/** Says why a reference does not lead to an object of the plan; null if it does. */
export function refNote(draft: DraftPlan, ref: Ref): string | null {
  if (ref === null) return null;
  if ('text' in ref) return t('{name} is not in the plan.', { name: ref.text });
  const named = namesIn(draft).get(ref.key);
  return named === undefined || named.isMade ? null : t('{name} is left out.', { name: named.name });
}

const drivers = new WeakMap<DraftPlan, ReadonlyMap<string, number>>();

/** The number of operators of each machine of a draft, by the key of the machine. */
function driversIn(draft: DraftPlan): ReadonlyMap<string, number> {
  const there = drivers.get(draft);
  if (there !== undefined) return there;
  const counts = new Map<string, number>();
  for (const { machine } of madeOf(draft, 'operators'))
    if (machine !== null && 'key' in machine) counts.set(machine.key, (counts.get(machine.key) ?? 0) + 1);
  drivers.set(draft, counts);
  return counts;
}

/** Says why an operator does not get the machine of the field; null if the operator gets it. A machine gets an operator only if it has one. */
export function machineNote(draft: DraftPlan, { key, machine }: Row<'operators'>): string | null {
  const note = refNote(draft, machine);
  if (note !== null || machine === null || 'text' in machine || draft.off.has(key)) return note;
  const unit = shownName(draft, machine);
  return (driversIn(draft).get(machine.key) ?? 0) > 1
    ? t('More than one operator has {unit}: it is made without an operator.', { unit })
    : null;
}

type Options = readonly (readonly [key: string, name: string])[];

export const machineOptions = (draft: DraftPlan): Options =>
  madeOf(draft, 'equipment').map(({ key, unit_number }) => [key, unit_number]);

export const placeOptions = (draft: DraftPlan): Options =>
  madeOf(draft, 'locations').map(({ key, name }) => [key, name]);

/** The places in which a place can lie: not itself, and no place that lies in it. */
export function parentOptions(draft: DraftPlan, place: Row<'locations'>): Options {
  const all = draft.groups.flatMap(({ lists }) => lists.locations);
  const inside = new Set([place.key]);
  // A place that lies in one of `inside` belongs to it, too; the loop ends when no place is added any more.
  for (let size = 0; size < inside.size; ) {
    size = inside.size;
    for (const { key, parent } of all)
      if (parent !== null && 'key' in parent && inside.has(parent.key)) inside.add(key);
  }
  return placeOptions(draft).filter(([key]) => !inside.has(key));
}
