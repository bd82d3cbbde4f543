/**
 * Merges the unsaved edits of a person with changes that other people save at the same time.
 *
 *   base ── the person edits ────▶ draft: only the edited fields
 *     └── another person saves ──▶ now:   fields without edits take the new value; edited fields keep the edit, and the page reports it
 */

export type Value = string | boolean | readonly string[];
/** The values of the fields of one object, by the name of the field. */
export type Facts = { readonly [name: string]: Value };

/** A field that another person changed. `mine` is set when this person typed a different value into the same field. */
export interface Change {
  readonly name: string;
  readonly from: Value;
  readonly to: Value;
  readonly mine: boolean;
}

/** Returns true if two values are equal. Blanks around a text and the order of a list do not matter. */
function same(a: Value | undefined, b: Value | undefined): boolean {
  if (typeof a === 'string' && typeof b === 'string') return a.trim() === b.trim();
  if (typeof a === 'object' && typeof b === 'object') return [...a].sort().join('\n') === [...b].sort().join('\n');
  return a === b;
}

/** Returns the draft after an edit. A field that the person sets back to its stored value is removed from the draft. */
export function touched(base: Facts, draft: Facts, name: string, value: Value): Facts {
  const { [name]: _, ...others } = draft;
  // Compare text exactly and do not ignore blanks at its end: the person may just have typed the blank before the next word.
  const back = typeof value === 'object' ? same(value, base[name]) : value === base[name];
  return back ? others : { ...others, [name]: value };
}

/**
 * Call it when the stored values have changed from `base` to `now` while a person edits. Returns the edits of the person that still differ
 * from the stored values, and the changes that other people made.
 */
export function reconcile(base: Facts, now: Facts, draft: Facts): { draft: Facts; changes: Change[] } {
  const kept = Object.fromEntries(Object.entries(draft).filter(([name, value]) => !same(value, now[name])));
  const changes = Object.entries(now)
    .filter(([name, to]) => !same(base[name], to))
    // If the stored value is equal to the edit, it is this person's own write, and only its answer was lost. Do not report it.
    .filter(([name]) => !(name in draft) || name in kept)
    .map(([name, to]) => ({ name, from: base[name] ?? '', to, mine: name in kept }));
  return { draft: kept, changes };
}

/**
 * Joins earlier and later changes of another person. The result has one entry for each field, with the value before the first change and
 * the value after the last change. It leaves out a field if its last value equals its first value.
 */
export function joined(before: readonly Change[], after: readonly Change[]): Change[] {
  const names = new Set([...before, ...after].map(({ name }) => name));
  return [...names].flatMap((name) => {
    const first = before.find((one) => one.name === name);
    const last = after.find((one) => one.name === name) ?? first;
    if (last === undefined) return [];
    const change = { ...last, from: (first ?? last).from };
    return same(change.from, change.to) ? [] : [change];
  });
}
