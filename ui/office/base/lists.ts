/** Reads whole lists, finds the names that belong to ids, and reads long lists page by page. */
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import type { OperationName, Output } from '#contract/operations.ts';
import { errorText, type Session } from './session.ts';
import { type Polled, usePolled } from './use.ts';

type ListName = Extract<OperationName, `${string}_list` | `${string}_events`>;
type Item<N extends ListName> = Output<N> extends { data: readonly (infer T)[] } ? T : never;
interface Envelope<T> {
  readonly data: readonly T[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}
type ListQuery = Readonly<Record<string, unknown>>;

/** Returns the kinds of objects in a list, as the live stream reports them; undefined for a list over all sites, because the stream is of one. */
function kindsOf(name: ListName): readonly string[] | undefined {
  if (name.startsWith('fleet_')) return undefined;
  if (name.endsWith('_events')) return [`${ONE[name.slice(0, -'_events'.length)] ?? name}_event`];
  return [ONE[name.slice(0, -'_list'.length)] ?? name];
}
/** The kind of object in each list. */
const ONE: Readonly<Record<string, string>> = {
  alerts: 'alert',
  alert_rules: 'alert_rule',
  artifacts: 'artifact',
  dashboards: 'dashboard',
  dbc: 'dbc_file',
  devices: 'device',
  equipment: 'equipment',
  inspection_checklists: 'inspection_checklist',
  inspections: 'inspection',
  locations: 'location',
  maintenance: 'maintenance_record',
  maintenance_plans: 'maintenance_plan',
  mechanics: 'mechanic',
  operators: 'operator',
  playlists: 'playlist',
  repair_tickets: 'repair_ticket',
  shift_reports: 'shift_report',
};

/** `readAll` reads at most five pages, with 200 items each. */
const MOST_PAGES = 5;

async function readPage<N extends ListName>(session: Session, name: N, ask: ListQuery, signal: AbortSignal) {
  const answer = await session.client.call(name, { limit: 200, ...ask } as never, { signal });
  return answer as unknown as Envelope<Item<N>>;
}

/** Reads the first 1,000 items of a list. `more` is true when the list has further items. */
export async function readAll<N extends ListName>(session: Session, name: N, ask: ListQuery, signal: AbortSignal) {
  const items: Item<N>[] = [];
  let page = await readPage(session, name, ask, signal);
  items.push(...page.data);
  for (let i = 1; i < MOST_PAGES && page.next_cursor !== null; i++) {
    page = await readPage(session, name, { ...ask, cursor: page.next_cursor }, signal);
    items.push(...page.data);
  }
  return { items, more: page.has_more };
}

/** Returns the items of a list that changes rarely; null until the gateway answers for the first time. */
export function useList<
  N extends
    | 'equipment_list'
    | 'devices_list'
    | 'mechanics_list'
    | 'operators_list'
    | 'locations_list'
    | 'maintenance_plans_list',
>(session: Session, name: N): readonly Item<N>[] | null {
  const { data } = usePolled(
    (signal) => readAll(session, name, { order: 'asc' }, signal),
    60_000,
    [session, name],
    kindsOf(name),
  );
  return data?.items ?? null;
}

/** Returns a function that gives the text for an id: "…" until the list is read, and the id itself if it is not in the list. */
export function useIdText<T extends { readonly id: string }>(
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
  /** Reads the next page; null at the end of the list. */
  readonly more: (() => void) | null;
}

/** Polls the first page of a list. A person requests each later page, with `more`. */
export function usePaged<N extends ListName>(
  session: Session,
  name: N,
  ask: ListQuery,
  everyMs: number,
): Paged<Item<N>> {
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
      (error: unknown) => setProblem(errorText(error)),
    );
  }, [session, name, of, cursor]);
  const items = useMemo(() => {
    if (first.data === null) return null;
    const known = new Map<string, Item<N>>();
    for (const item of [...(late?.items ?? []), ...first.data.data]) known.set((item as { id: string }).id, item);
    // When a new item is created, the last item of the first page moves to the second page, so two pages may have the same item. Join all
    // pages and keep each item once, newest first.
    const order = [...first.data.data, ...(late?.items ?? [])].map((item) => (item as { id: string }).id);
    return [...new Set(order)].map((id) => known.get(id) as Item<N>);
  }, [first.data, late]);
  return {
    items,
    problem: problem ?? first.problem,
    at: first.at,
    streamed: first.streamed,
    reload: first.reload,
    more: cursor === null ? null : more,
  };
}
