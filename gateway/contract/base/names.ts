/**
 * Documents of unique names, such as the unit number of a machine. For each name in use the store has a document of the kind `name` in the
 * collection `local`, whose id is derived from the name.
 */

/** Characters of a unit number, and of the other names and words of machines, people and places. */
export const LONGEST_UNIT = 40;
export const LONGEST_NAME = 120;
/** The largest lists of the plan of a setup. The planner obeys them, and the operations check them. */
export const PLAN_LIMITS = {
  equipment: 10_000,
  locations: 1_000,
  shifts: 50,
  crews: 200,
  operators: 2_000,
  mechanics: 2_000,
  boards: 50,
  facts: 50,
  /** Citations of one object. */
  from: 50,
} as const;
/**
 * What a board of a setup shows of its topics: at most `most` of them, and none of `chosen`, because a person must choose what their widgets
 * show.
 */
export const TOPIC_LIMITS = { most: 4, chosen: ['camera', 'text'] } as const;
/** The number of shifts of a site, and the characters of the name of one. */
export const SHIFT_LIMITS = { shifts: 6, name: 40 } as const;

/** Normalizes a name for comparison: ignores character width, case, runs of spaces and invisible characters. */
export function foldText(name: string): string {
  const visible = name.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  return visible.trim().replace(/\s+/g, ' ').toLowerCase();
}

/** Returns the id of the document of a name. `folded` is the result of `foldText`. */
export function nameId(sha256: (text: string) => string, project_id: string, kind: string, folded: string): string {
  return `name_${sha256(`${project_id}\n${kind}\n${folded}`).slice(0, 40)}`;
}

export interface NameData<Kind extends string = string> {
  readonly kind: Kind;
  readonly name: string;
  /** Id of the record that has this name. */
  readonly holder: string;
}

/** The document of a `device_id` in use. It also contains the id of the device's key, so that a login needs only one read. */
export interface DeviceNameData {
  device_id: string;
  /** Record id of the device. */
  device: string;
  project_id: string;
  key_id: string | null;
  /**
   * During a key roll (the replacement of the key), the id of the new key until a person fetches it; null if no key waits to be fetched.
   */
  rolling?: string | null;
  /** Time at which all keys of the device were revoked; null after the device gets a new key. */
  revoked_at?: string | null;
}

/** Returns the id of the document of a `device_id`. */
export function deviceNameIdOf(sha256: (text: string) => string, device_id: string): string {
  return `device_name_${sha256(foldText(device_id)).slice(0, 40)}`;
}
