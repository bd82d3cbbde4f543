/** Reads whole lists, and finds the names that belong to ids. */
import { useMemo } from 'preact/hooks';
import type { OperationName, Output } from '#contract/operations.ts';
import type { Session } from './session.ts';
import { usePolled } from './use.ts';

export type ListName = Extract<OperationName, `${string}_list` | `${string}_events`>;
export type Item<N extends ListName> = Output<N> extends { data: readonly (infer T)[] } ? T : never;
export interface Envelope<T> {
  readonly data: readonly T[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}
export type ListQuery = Readonly<Record<string, unknown>>;

/** Returns the kinds of objects in a list, as the live stream reports them; undefined for a list over all sites, because the stream is of one. */
export function kindsOf(name: ListName): readonly string[] | undefined {
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

export async function readPage<N extends ListName>(session: Session, name: N, ask: ListQuery, signal: AbortSignal) {
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
