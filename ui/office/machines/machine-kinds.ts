/** Kinds of machines: shown as text, stored in snake case, so that "Haul truck" and "haul_truck" are the same kind. */

/** The suggested kinds. */
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

/** The stored form of a typed kind; empty when the text has no letters or digits. */
export function kindOf(typed: string): string {
  return typed
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '_')
    .replace(/^_+|_+$/g, '');
}

/** The text of a stored kind: "Haul truck". */
export function kindText(kind: string): string {
  const words = kind.replaceAll('_', ' ').trim();
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}
