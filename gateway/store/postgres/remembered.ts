/** The most texts whose result a function remembers. The statements of the transaction code are far fewer. */
const MOST_TEXTS = 1_000;

/** Returns a function that computes its result for each text once. When it remembers too many, it begins anew. */
export function remembered<T>(make: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const result = known.get(text);
    if (result !== undefined || known.has(text)) return result as T;
    if (known.size >= MOST_TEXTS) known.clear();
    const made = make(text);
    known.set(text, made);
    return made;
  };
}
