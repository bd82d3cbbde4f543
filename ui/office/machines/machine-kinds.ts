/** Kinds of machines: offered in words, kept as one word in lower case, so that "Haul truck" and "haul_truck" are one kind. */

/** Kinds that are offered. */
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

/** What a person typed, as it is kept; empty where nothing is left. */
export function kindOf(typed: string): string {
  return typed
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '_')
    .replace(/^_+|_+$/g, '');
}

/** A kind as people read it: "Haul truck". */
export function kindWords(kind: string): string {
  const words = kind.replaceAll('_', ' ').trim();
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}
