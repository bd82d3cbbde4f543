/** Long lists that a page shows page by page. */
import { useCallback, useMemo, useState } from 'preact/hooks';
import { duration } from '#ui/format.ts';
import { t } from '#ui/languages/texts.ts';
import { type Envelope, type Item, kindsOf, type ListName, type ListQuery, readPage } from './lists.ts';
import { errorText, type Session } from './session.ts';
import { type Polled, usePolled } from './use.ts';

/** Rows after this one are not read again. */
const MOST_AGAIN = 1_000;
/** Longest page that a list answers. */
const LONGEST_PAGE = 200;

export interface Paged<T> extends Omit<Polled<unknown>, 'data'> {
  readonly items: readonly T[] | null;
  /** Shows one page more; null at the end of the list. */
  readonly more: (() => void) | null;
  /** Rows at the end that are not read again, and the time of their last read, by the clock of the gateway; null if there are none. */
  readonly old: { readonly count: number; readonly read_ms: number } | null;
}

interface Rows<T> {
  readonly items: readonly T[];
  readonly cursor: string | null;
}

const idOf = (item: unknown) => (item as { readonly id: string }).id;

/** Reads the first `pages` pages of a list in as few calls as possible. */
async function readPages<N extends ListName>(
  session: Session,
  name: N,
  ask: ListQuery & { readonly limit: number },
  pages: number,
  signal: AbortSignal,
): Promise<Rows<Item<N>>> {
  const wanted = pages * ask.limit;
  // A row that moves between two calls may be in two answers; the newer answer counts.
  const found = new Map<string, Item<N>>();
  let cursor: string | null = null;
  for (let calls = 0; calls < pages && found.size < wanted && (calls === 0 || cursor !== null); calls++) {
    const limit = Math.min(LONGEST_PAGE, wanted - found.size);
    const page: Envelope<Item<N>> = await readPage(
      session,
      name,
      { ...ask, limit, ...(cursor !== null && { cursor }) },
      signal,
    );
    for (const item of page.data) found.set(idOf(item), item);
    cursor = page.next_cursor;
  }
  return { items: [...found.values()], cursor };
}

/** What a person has asked for beyond the first page of a list. */
interface Asked<T> {
  readonly list: unknown;
  readonly pages: number;
  /** The rows after `MOST_AGAIN`. */
  readonly late: (Rows<T> & { readonly read_ms: number }) | null;
}

/**
 * Polls the pages of a list that are shown: the first one, and one more after each call of `more`. From `MOST_AGAIN` rows on, further pages
 * are read once and stay as they were; `old` says so.
 */
export function usePaged<N extends ListName>(
  session: Session,
  name: N,
  ask: ListQuery & { readonly limit: number },
  everyMs: number,
): Paged<Item<N>> {
  const of = JSON.stringify([name, ask]);
  const [kept, setKept] = useState<Asked<Item<N>>>({ list: of, pages: 1, late: null });
  const [problem, setProblem] = useState<string | null>(null);
  const asked = kept.list === of ? kept : { list: of, pages: 1, late: null };
  const { pages, late } = asked;
  const first = usePolled(
    (signal) => readPages(session, name, ask, pages, signal),
    everyMs,
    [session, of, pages],
    kindsOf(name),
  );
  const cursor = late === null ? (first.data?.cursor ?? null) : late.cursor;
  const more = useCallback(() => {
    if ((pages + 1) * ask.limit <= MOST_AGAIN) return setKept({ list: of, pages: pages + 1, late: null });
    readPage(session, name, { ...ask, cursor }, AbortSignal.timeout(15_000)).then(
      (page) => {
        setProblem(null);
        const items = [...(late?.items ?? []), ...page.data];
        setKept({
          list: of,
          pages,
          late: { items, cursor: page.next_cursor, read_ms: late?.read_ms ?? session.now() },
        });
      },
      (error: unknown) => setProblem(errorText(error)),
    );
  }, [session, of, pages, late, cursor]);
  const after = useMemo(() => {
    const shown = new Set((first.data?.items ?? []).map(idOf));
    return (late?.items ?? []).filter((item) => !shown.has(idOf(item)));
  }, [first.data, late]);
  const items = useMemo(() => (first.data === null ? null : [...first.data.items, ...after]), [first.data, after]);
  return {
    items,
    problem: problem ?? first.problem,
    at: first.at,
    streamed: first.streamed,
    reload: first.reload,
    more: cursor === null ? null : more,
    old: late === null || after.length === 0 ? null : { count: after.length, read_ms: late.read_ms },
  };
}

/** The end of a list: a button for the next rows, and a note about rows that are not read again. */
export function MoreRows(props: { of: Pick<Paged<unknown>, 'more' | 'old' | 'items'>; text: string; now: number }) {
  const { more, old, items } = props.of;
  return (
    <>
      {old !== null && (
        <p class="aside" role="note">
          {t(
            'The last {count} rows are as they were {age} ago. This page reads only the first {n} rows again, so rows may be missing between them.',
            {
              count: old.count,
              age: duration(Math.max(0, props.now - old.read_ms)),
              n: (items?.length ?? 0) - old.count,
            },
          )}
        </p>
      )}
      {more !== null && (
        <button type="button" onClick={more}>
          {props.text}
        </button>
      )}
    </>
  );
}
