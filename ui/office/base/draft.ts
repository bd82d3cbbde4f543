/**
 * What a person has typed over something that others change meanwhile. Pure.
 *
 *   base ── what the page showed ──▶ draft: the fields that were touched, nothing else
 *     └──── somebody else's save ──▶ now:   untouched fields follow it; touched ones stay, and are told
 */

export type Value = string | boolean | readonly string[];
/** Named values: a form, or what is watched beside it. */
export type Facts = { readonly [name: string]: Value };

/** What somebody else changed; `mine` when this person has touched the same field and the two differ. */
export interface Change {
  readonly name: string;
  readonly from: Value;
  readonly to: Value;
  readonly mine: boolean;
}

/** Equal to a person: text without its outer blanks, lists whatever their order. */
function same(a: Value | undefined, b: Value | undefined): boolean {
  if (typeof a === 'string' && typeof b === 'string') return a.trim() === b.trim();
  if (typeof a === 'object' && typeof b === 'object') return [...a].sort().join('\n') === [...b].sort().join('\n');
  return a === b;
}

/** The draft after a field was touched; a field put back to what stands there is touched no more. */
export function touched(base: Facts, draft: Facts, name: string, value: Value): Facts {
  const { [name]: _, ...others } = draft;
  // Blanks at the end of a text are on the way to its next word: text must be equal to the letter.
  const back = typeof value === 'object' ? same(value, base[name]) : value === base[name];
  return back ? others : { ...others, [name]: value };
}

/** A draft over facts that moved from `base` to `now`: what of it still differs, and what others changed. */
export function reconcile(base: Facts, now: Facts, draft: Facts): { draft: Facts; changes: Change[] } {
  const kept = Object.fromEntries(Object.entries(draft).filter(([name, value]) => !same(value, now[name])));
  const changes = Object.entries(now)
    .filter(([name, to]) => !same(base[name], to))
    // What arrived as it was typed is what this person sent before, over a link that lost the answer.
    .filter(([name]) => !(name in draft) || name in kept)
    .map(([name, to]) => ({ name, from: base[name] ?? '', to, mine: name in kept }));
  return { draft: kept, changes };
}

/** Changes told before and now, each field once from its first value to its last; one that went back is none. */
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
