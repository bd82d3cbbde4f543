/** State in `sessionStorage`: unsent form text survives a reload and a tablet that unloads the tab. */
import { useCallback, useState } from 'preact/hooks';

const STORE = 'headframe.kept';
/** At most this many entries; a new one evicts the oldest. */
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

/** The entries after a write: the new entry last, or removed when `value` is null; at most MOST_KEPT. */
export function withEntry(before: readonly Entry[], name: string, value: unknown): readonly Entry[] {
  const others = before.filter(([other]) => other !== name);
  return (value === null ? others : [...others, [name, value] as const]).slice(-MOST_KEPT);
}

/** Stores a value under a name; null removes it. */
export function setTabState(name: string, value: unknown): void {
  try {
    sessionStorage.setItem(STORE, JSON.stringify(withEntry(entries(), name, value)));
  } catch {
    // The storage is full or disabled: the text stays in the page only.
  }
}

/** Removes all entries, when a person signs out. */
export function clearTabState(): void {
  sessionStorage.removeItem(STORE);
}

/** Like `useState`, stored in the tab under a name; null when there is no value. The value must be plain JSON. */
export function useTabState<T>(name: string): readonly [T | null, (next: T | null) => void] {
  const [held, setHeld] = useState<{ name: string; value: T | null }>(() => ({ name, value: kept<T>(name) }));
  const set = useCallback(
    (value: T | null) => {
      setTabState(name, value);
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
