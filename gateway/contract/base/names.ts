/**
 * Documents of unique names, such as the unit number of a machine. For each name in use the store has a document of the kind `name` in the
 * collection `local`, whose id is derived from the name.
 */

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
