/** Which kind a word, a make and a model tell together, and which words may speak of the same machine. */
import type { MachineKind } from '#contract/fleet/machine-kinds.ts';
import type { KindWord } from '#domain/words/kind-words.ts';
import { kindOfMake } from '#domain/words/makes.ts';
import { kindOfModel, type Machine } from './fleet-types.ts';

const TRUCKS: MachineKind[] = ['haul_truck', 'articulated_truck', 'tipper_truck', 'site_dumper'];
/** The kinds that a general word may mean. */
export const SORTS: Partial<Record<MachineKind, readonly MachineKind[]>> = {
  haul_truck: TRUCKS,
  site_dumper: TRUCKS,
  wheel_loader: ['wheel_loader', 'lhd', 'track_loader', 'excavator', 'backhoe_loader', 'skid_steer'],
  dozer: ['dozer', 'tractor'],
  roller: ['roller'],
  crusher: ['crusher'],
  screen: ['screen'],
};

/** The word tells the kind; if several kinds share the word, the model decides between them. */
export function kindOf(word: KindWord | null, make: string | null, model: Machine['model']): MachineKind | null {
  const told =
    kindOfModel(model === null ? null : { ...model, make: model.make ?? make }) ??
    (word === null && make !== null ? kindOfMake(make) : null);
  if (word === null) return told;
  if (!word.general || told === null) return word.general && make !== null ? generalOf(word, make) : word.kind;
  return SORTS[word.kind]?.includes(told) === true ? told : word.kind;
}

/** A truck of a maker of road lorries is a tipper truck. */
function generalOf(word: KindWord, make: string): MachineKind {
  const kind = kindOfMake(make);
  return kind !== null && SORTS[word.kind]?.includes(kind) === true ? kind : word.kind;
}

/** True if two words may speak of the same machine; null is no word. */
export const sameKind = (a: KindWord | null, b: KindWord | null): boolean =>
  a === null ||
  b === null ||
  a.kind === b.kind ||
  (a.general && SORTS[a.kind]?.includes(b.kind) === true) ||
  (b.general && SORTS[b.kind]?.includes(a.kind) === true);
