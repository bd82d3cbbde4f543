/** Keeps state in `sessionStorage`, so that unsent form text is still there after a reload, or after a tablet has unloaded the tab. */
import { useCallback, useState } from 'preact/hooks';

const STORE = 'headframe.kept';
/** Largest number of entries in the tab. When a further entry is added, the oldest entry is removed. */
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

/** Returns the entries after a write, at most MOST_KEPT. The new entry is the last; if `value` is null, the entry is removed. */
export function withEntry(before: readonly Entry[], name: string, value: unknown): readonly Entry[] {
  const others = before.filter(([other]) => other !== name);
  return (value === null ? others : [...others, [name, value] as const]).slice(-MOST_KEPT);
}

/** Stores a value in the tab under a name. Null removes the entry. */
export function setTabState(name: string, value: unknown): void {
  try {
    sessionStorage.setItem(STORE, JSON.stringify(withEntry(entries(), name, value)));
  } catch {
    // The storage is full or disabled. The text then exists in the page only, and a reload loses it.
  }
}

/** Removes all entries, when a person signs out. */
export function clearTabState(): void {
  sessionStorage.removeItem(STORE);
}

const HOLDER = 'headframe.kept.holder';
const ASIDE = 'headframe.kept.aside';
/** Largest number of people whose unsent text a shared tablet keeps. */
const MOST_ASIDE = 10;

/**
 * On a shared tablet: takes the unsent text of the person who was signed in out of the tab, so that the next person does not get it. The
 * person gets it back at the next sign-in on this tablet.
 */
export function setTabStateAside(): void {
  const holder = sessionStorage.getItem(HOLDER);
  const held = entries();
  sessionStorage.removeItem(HOLDER);
  clearTabState();
  if (holder === null) return;
  const others = aside().filter(([id]) => id !== holder);
  const all = held.length === 0 ? others : [...others, [holder, held] as const];
  sessionStorage.setItem(ASIDE, JSON.stringify(all.slice(-MOST_ASIDE)));
}

/** On a shared tablet: gives a person the unsent text of the person's last session back. */
export function takeTabStateBack(holder: string): void {
  if (sessionStorage.getItem(HOLDER) === holder) return;
  setTabStateAside();
  sessionStorage.setItem(HOLDER, holder);
  const held = aside().find(([id]) => id === holder)?.[1];
  if (held !== undefined) sessionStorage.setItem(STORE, JSON.stringify(held));
}

function aside(): readonly (readonly [holder: string, held: readonly Entry[]])[] {
  try {
    const read: unknown = JSON.parse(sessionStorage.getItem(ASIDE) ?? '[]');
    return Array.isArray(read) ? read : [];
  } catch {
    return [];
  }
}

/**
 * Works like `useState`, and also stores the value in the tab under a name. The value must be plain JSON. It is null if no value is stored.
 */
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

/** Returns the value that the tab keeps under a name; null if there is none. */
export function kept<T>(name: string): T | null {
  return (entries().find(([other]) => other === name)?.[1] as T | undefined) ?? null;
}
