/** Lists that are read to their end, within a bound: names behind ids, and what a page counts. */
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import type { OperationName, Output } from '#contract/operations.ts';
import { type Session, sayError } from './session.ts';
import { type Polled, usePolled } from './use.ts';

type ListName = Extract<OperationName, `${string}_list` | `${string}_events`>;
type Item<N extends ListName> = Output<N> extends { data: readonly (infer T)[] } ? T : never;
interface Envelope<T> {
  readonly data: readonly T[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}
type Ask = Readonly<Record<string, unknown>>;

/** What each list depends on: the live stream reports these kinds. */
function kindsOf(name: ListName): readonly string[] {
  if (name.endsWith('_events')) return [`${ONE[name.slice(0, -'_events'.length)] ?? name}_event`];
  return [ONE[name.slice(0, -'_list'.length)] ?? name];
}
/** The object in a list, by the list's name. */
const ONE: Readonly<Record<string, string>> = {
  alerts: 'alert',
  alert_rules: 'alert_rule',
  artifacts: 'artifact',
  dashboards: 'dashboard',
  dbc: 'dbc_file',
  devices: 'device',
  equipment: 'equipment',
  locations: 'location',
  mechanics: 'mechanic',
  operators: 'operator',
  playlists: 'playlist',
  repair_tickets: 'repair_ticket',
  shift_reports: 'shift_report',
};

/** The longest list that a page reads to its end: five pages of 200. */
const MOST_PAGES = 5;

async function readPage<N extends ListName>(session: Session, name: N, ask: Ask, signal: AbortSignal) {
  const answer = await session.client.call(name, { limit: 200, ...ask } as never, { signal });
  return answer as unknown as Envelope<Item<N>>;
}

/** Reads a list to its end, up to a thousand items; `more` says that there are others. */
export async function readAll<N extends ListName>(session: Session, name: N, ask: Ask, signal: AbortSignal) {
  const items: Item<N>[] = [];
  let page = await readPage(session, name, ask, signal);
  items.push(...page.data);
  for (let i = 1; i < MOST_PAGES && page.next_cursor !== null; i++) {
    page = await readPage(session, name, { ...ask, cursor: page.next_cursor }, signal);
    items.push(...page.data);
  }
  return { items, more: page.has_more };
}

/** What changes seldom, read once a minute; null until it is there. */
export function useNames<
  N extends 'equipment_list' | 'devices_list' | 'mechanics_list' | 'operators_list' | 'locations_list',
>(session: Session, name: N): readonly Item<N>[] | null {
  const { data } = usePolled(
    (signal) => readAll(session, name, { order: 'asc' }, signal),
    60_000,
    [session, name],
    kindsOf(name),
  );
  return data?.items ?? null;
}

/** Text behind ids; an id that is unknown, or not read yet, stands for itself. */
export function useWords<T extends { readonly id: string }>(
  items: readonly T[] | null,
  text: (item: T) => string,
): (id: string) => string {
  return useMemo(() => {
    const words = new Map((items ?? []).map((item) => [item.id, text(item)]));
    return (id: string) => words.get(id) ?? (items === null ? '…' : id);
  }, [items]);
}

export interface Paged<T> extends Omit<Polled<unknown>, 'data'> {
  readonly items: readonly T[] | null;
  /** Reads the next page; null when the list is at its end. */
  readonly more: (() => void) | null;
}

/** A list whose first page is read again and again, and whose later pages come when a person asks. */
export function usePaged<N extends ListName>(session: Session, name: N, ask: Ask, everyMs: number): Paged<Item<N>> {
  const of = JSON.stringify(ask);
  const first = usePolled(
    (signal) => readPage(session, name, ask, signal),
    everyMs,
    [session, name, of],
    kindsOf(name),
  );
  const [late, setLate] = useState<{ items: readonly Item<N>[]; cursor: string | null } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => setLate(null), [session, name, of]);
  const cursor = late === null ? (first.data?.next_cursor ?? null) : late.cursor;
  const more = useCallback(() => {
    readPage(session, name, { ...ask, cursor }, AbortSignal.timeout(15_000)).then(
      (page) => {
        setProblem(null);
        setLate((before) => ({ items: [...(before?.items ?? []), ...page.data], cursor: page.next_cursor }));
      },
      (error: unknown) => setProblem(sayError(error)),
    );
  }, [session, name, of, cursor]);
  const items = useMemo(() => {
    if (first.data === null) return null;
    const known = new Map<string, Item<N>>();
    for (const item of [...(late?.items ?? []), ...first.data.data]) known.set((item as { id: string }).id, item);
    // What is new pushes the first page along; the order is that of the list, newest first.
    const order = [...first.data.data, ...(late?.items ?? [])].map((item) => (item as { id: string }).id);
    return [...new Set(order)].map((id) => known.get(id) as Item<N>);
  }, [first.data, late]);
  return {
    items,
    problem: problem ?? first.problem,
    at: first.at,
    reload: first.reload,
    more: cursor === null ? null : more,
  };
}
