/** What a person typed, kept in this tab until it was sent: over a lost link, a reload, a tablet that put the tab to sleep. */
import { useCallback, useState } from 'preact/hooks';

const STORE = 'headframe.kept';
/** Forms whose text is kept at once; the oldest give way. */
const MOST_KEPT = 20;

type Entry = readonly [name: string, value: unknown];

function entries(): readonly Entry[] {
  try {
    const read: unknown = JSON.parse(sessionStorage.getItem(STORE) ?? '[]');
    return Array.isArray(read) ? read : [];
  } catch {
    return [];
  }
}

/** The entries with one put last or taken out, no more than are kept. */
export function withEntry(before: readonly Entry[], name: string, value: unknown): readonly Entry[] {
  const others = before.filter(([other]) => other !== name);
  return (value === null ? others : [...others, [name, value] as const]).slice(-MOST_KEPT);
}

/** Keeps a value under a name; null forgets it. */
export function keep(name: string, value: unknown): void {
  try {
    sessionStorage.setItem(STORE, JSON.stringify(withEntry(entries(), name, value)));
  } catch {
    // A full or forbidden storage: the text stays in the page alone.
  }
}

/** Forgets all of it, when a person signs out. */
export function forgetKept(): void {
  sessionStorage.removeItem(STORE);
}

/** State under a name that outlives the page; null when there is none. The value must be plain JSON. */
export function useKept<T>(name: string): readonly [T | null, (next: T | null) => void] {
  const [held, setHeld] = useState<{ name: string; value: T | null }>(() => ({ name, value: kept<T>(name) }));
  const set = useCallback(
    (value: T | null) => {
      keep(name, value);
      setHeld({ name, value });
    },
    [name],
  );
  if (held.name !== name) {
    const value = kept<T>(name);
    setHeld({ name, value });
    return [value, set];
  }
  return [held.value, set];
}

function kept<T>(name: string): T | null {
  return (entries().find(([other]) => other === name)?.[1] as T | undefined) ?? null;
}
