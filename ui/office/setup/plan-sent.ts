/** The names of the objects of a draft, and the plan as it is sent: each reference is the name that its object has now. */
import { MAX_OPEN_GAPS } from '#contract/site/setup.ts';
import type { SetupPlan } from '#contract/site/setup-plan.ts';
import { type DraftPlan, keysOf, madeOf, type Ref } from './plan-draft.ts';

/** The present name of a place, a machine or a shift of the draft. */
export interface Named {
  readonly name: string;
  /** False if the object is left out, or if nobody has ticked its proposal. */
  readonly isMade: boolean;
}

const known = new WeakMap<DraftPlan, ReadonlyMap<string, Named>>();

/** The names of the places, machines and shifts of a draft by their keys. */
export function namesIn(draft: DraftPlan): ReadonlyMap<string, Named> {
  const there = known.get(draft);
  if (there !== undefined) return there;
  const names = new Map<string, Named>();
  const add = (key: string, name: string) => names.set(key, { name: name.trim(), isMade: !draft.off.has(key) });
  for (const { lists } of draft.groups) {
    for (const { key, unit_number } of lists.equipment) add(key, unit_number);
    for (const { key, name } of [...lists.locations, ...lists.shifts]) add(key, name);
  }
  known.set(draft, names);
  return names;
}

/** Returns the name that is sent for a reference; null if its object is not made. */
function sentName(names: ReadonlyMap<string, Named>, ref: Ref): string | null {
  if (ref === null) return null;
  if ('text' in ref) return ref.text.trim() || null;
  const named = names.get(ref.key);
  return named?.isMade === true ? named.name : null;
}

/** What a person can do later about a proposal that is not confirmed now. */
const LATER = 'Make it by hand, or correct the description and start the setup again.';

/** Returns the plan with the corrections, as it is sent. */
export function planOf(draft: DraftPlan): SetupPlan {
  const { read, crews, gaps, off } = draft;
  const [, ...proposals] = draft.groups;
  const names = namesIn(draft);
  const nameOf = (ref: Ref) => sentName(names, ref);
  const word = (text: string | null) => text?.trim() || null;
  // What a person did not confirm stays open, so that nobody forgets it.
  const unconfirmed = proposals
    .filter((one) => keysOf(one).some((key) => off.has(key)))
    .flatMap(({ gap }) => (gap === null ? [] : [{ ...gap, remedy: LATER }]));
  return {
    language: read.language,
    equipment: madeOf(draft, 'equipment').map(({ key: _, ...one }) => ({
      ...one,
      unit_number: one.unit_number.trim(),
      oem_name: word(one.oem_name),
      model: word(one.model),
      location: nameOf(one.location),
    })),
    crews: crews.map(({ key: _, ...one }) => ({ ...one, shift: nameOf(one.shift) })),
    locations: madeOf(draft, 'locations').map(({ key: _, ...one }) => ({
      ...one,
      name: one.name.trim(),
      parent: nameOf(one.parent),
    })),
    operators: madeOf(draft, 'operators').map(({ key: _, ...one }) => ({
      ...one,
      name: one.name.trim(),
      crew: word(one.crew),
      machine: nameOf(one.machine),
    })),
    mechanics: madeOf(draft, 'mechanics').map(({ key: _, ...one }) => ({
      ...one,
      name: one.name.trim(),
      crew: word(one.crew),
    })),
    shifts: madeOf(draft, 'shifts').map(({ key: _, ...one }) => ({ ...one, name: one.name.trim() })),
    boards: madeOf(draft, 'boards').map(({ key: _, ...one }) => ({ ...one, place: nameOf(one.place) })),
    facts: madeOf(draft, 'facts').map(({ key: _, ...one }) => ({
      ...one,
      fact: one.fact.trim(),
      unit_number: nameOf(one.unit_number),
    })),
    gaps: [...gaps, ...unconfirmed].slice(0, MAX_OPEN_GAPS).map(({ proposal: _, ...gap }) => gap),
  };
}
