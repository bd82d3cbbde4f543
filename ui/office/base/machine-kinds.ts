/** Kinds of machines. Pages show a kind as text and the gateway stores it in snake case: "Haul truck" is stored as "haul_truck". */
import { inside, translated } from '#ui/languages/texts.ts';

/** The machine kinds that forms suggest. */
export const MACHINE_KINDS = [
  'haul_truck',
  'excavator',
  'wheel_loader',
  'dozer',
  'grader',
  'drill',
  'water_truck',
  'crusher',
  'generator',
  'light_vehicle',
] as const;

/** Returns the stored form of a kind that a person typed; empty when the text has no letters or digits. */
export function kindOf(typed: string): string {
  const known = MACHINE_KINDS.find((kind) => kindText(kind).toLowerCase() === typed.trim().toLowerCase());
  if (known !== undefined) return known;
  return typed
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '_')
    .replace(/^_+|_+$/g, '');
}

/**
 * Returns the text that pages show for a stored kind, for example "Haul truck". A kind that a person typed stays as it is, also if it is a
 * word that the language translates elsewhere, such as "other".
 */
export function kindText(kind: string): string {
  const words = kind.replaceAll('_', ' ').trim();
  const text = words.slice(0, 1).toUpperCase() + words.slice(1);
  return isSuggested(kind) ? translated(text) : text;
}

const isSuggested = (kind: string) => MACHINE_KINDS.some((one) => one === kind);

/** Returns the text of a stored kind inside a sentence, for example "haul truck". A kind that a person typed stays as it is. */
export const kindInside = (kind: string): string => (isSuggested(kind) ? inside(kindText(kind)) : kindText(kind));
