/**
 * Reads lists page by page, newest first. A cursor names the last returned document, not a position in the list. So if documents are
 * inserted between two calls, the next page still begins right after the previous page.
 */

import { LIMITS } from '#contract/base/limits.ts';
import { foldText } from '#contract/base/names.ts';
import type { CollectionName, Condition, FindQuery, Stored } from '#contract/base/view.ts';
import type { HandlerContext, StagedView } from '#contract/context.ts';
import type { Equipment } from '#contract/fleet/equipment.ts';
import { jsonSize } from '#domain/base/json-size.ts';
import { nextTurn } from './next-turn.ts';

interface ListInput {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly order: 'asc' | 'desc';
  readonly created_after?: string | undefined;
  readonly created_before?: string | undefined;
  readonly q?: string | undefined;
  readonly updated_after?: string | undefined;
  readonly updated_before?: string | undefined;
}
type Conditions = Readonly<Record<string, Condition | undefined>>;

/**
 * Largest number of documents that one call reads to apply the filters `q` and `updated_*`. So the work of a call has a limit, however many
 * records there are. The next call with the returned cursor continues after the last document read.
 */
export const MOST_SEARCHED = 2_000;
const STEP = 500;

/** Returns one page of a list. `toItems` may leave out documents, so a page with fewer than `limit` items may have a next page. */
export async function listPage<T, I>(
  context: HandlerContext,
  view: StagedView,
  collection: CollectionName,
  input: ListInput,
  query: {
    readonly object: string;
    readonly where?: Conditions;
    readonly live?: Conditions;
    /** Returns the texts of a document in which the filter `q` searches. */
    readonly text?: (document: Stored<T>) => readonly (string | null)[];
  },
  toItems: (documents: Stored<T>[]) => Promise<I[]> | I[],
): Promise<{ object: 'list'; data: I[]; has_more: boolean; next_cursor: string | null }> {
  const after = context.page.after(input.cursor);
  const live = given(query.live);
  const find: FindQuery = {
    object: query.object,
    where: { ...given(query.where), ...createdBetween(input) },
    ...(Object.keys(live).length > 0 ? { live } : {}),
    order: input.order,
    ...(after === undefined ? {} : { after }),
    limit: input.limit + 1,
  };
  const matches = matcher<T>(input, query.text);
  const { page, next } =
    matches === undefined
      ? await readPage<T>(view, collection, find, input.limit)
      : await search(view, collection, find, input.limit, matches);
  const { items, last } = cut(page, await inPieces(page, (some) => readableItems(context, some, toItems)));
  const onward = last ?? next;
  return {
    object: 'list',
    data: items,
    has_more: onward !== undefined,
    next_cursor: onward === undefined ? null : context.page.next(onward),
  };
}

/** Number of documents that `inPieces` converts to items before it lets other work of the event loop run. */
const PIECE = 50;

/**
 * Converts documents to items. If a stored document does not have a field that `toItems` reads, `toItems` throws a TypeError. This function
 * then reports that document and leaves it out, so that the caller still gets the rest of the list.
 */
async function readableItems<T, I>(
  context: HandlerContext,
  documents: Stored<T>[],
  toItems: (documents: Stored<T>[]) => Promise<I[]> | I[],
): Promise<I[]> {
  try {
    return await toItems(documents);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    if (documents.length > 1) {
      const items: I[] = [];
      for (const document of documents) items.push(...(await readableItems(context, [document], toItems)));
      return items;
    }
    context.reportUnreadable(documents[0]?.id ?? null, error);
    return [];
  }
}

/** Converts a page to items in pieces, so that a large page does not block the event loop. */
async function inPieces<T, I>(page: Stored<T>[], toItems: (some: Stored<T>[]) => Promise<I[]> | I[]): Promise<I[]> {
  if (page.length <= PIECE) return toItems(page);
  const items: I[] = [];
  for (let from = 0; from < page.length; from += PIECE) {
    items.push(...(await toItems(page.slice(from, from + PIECE))));
    await nextTurn();
  }
  return items;
}

/**
 * Number of documents that one read of the store returns, for the kinds in `MAY_BE_LARGE`. The small number limits the memory of one read.
 */
const FEW = 25;
/**
 * Kinds of objects that may have large documents, because the documents contain free JSON or long lists. Other documents have a few
 * kilobytes.
 */
const MAY_BE_LARGE: ReadonlySet<string> = new Set([
  'event',
  'message',
  'dashboard',
  'shift_report',
  'repair_ticket',
  'inspection',
  'inspection_checklist',
  'task',
  'run',
]);
const MOST_BYTES = LIMITS.page_bytes.value;

/**
 * Reads one page of documents. For kinds in `MAY_BE_LARGE` it makes several reads, and stops early when the documents are larger than one
 * answer may be.
 */
async function readPage<T>(
  view: StagedView,
  collection: CollectionName,
  find: FindQuery,
  limit: number,
): Promise<Page<T>> {
  const most = MAY_BE_LARGE.has(find.object) ? FEW : PIECE;
  if (limit <= most) return pageOf(await view.find<T>(collection, find), limit);
  const found: Stored<T>[] = [];
  for (let bytes = 0; found.length <= limit && bytes <= MOST_BYTES; ) {
    const after = found.at(-1) ?? find.after;
    const step = Math.min(most, limit + 1 - found.length);
    const more = await view.find<T>(collection, { ...find, ...(after ? { after } : {}), limit: step });
    found.push(...more);
    if (more.length < step) return pageOf(found, limit);
    for (const { data } of more) bytes += jsonSize(data);
  }
  return found.length > limit ? pageOf(found, limit) : { page: found, next: found.at(-1) };
}

/**
 * Estimated JSON bytes of a machine: `base` for the fixed part, and then the bytes for each value (`field`), for each trouble code (`code`)
 * and for each device.
 */
const MACHINE = { base: 8_000, field: 600, code: 500, device: 64 } as const;

/**
 * Returns the approximate JSON size of an item in bytes. For a machine it multiplies the number of values, codes and devices by `MACHINE`,
 * because serializing a machine is slow.
 */
function sizeOf(item: unknown): number {
  const machine = item as Partial<Equipment>;
  if (machine.object !== 'equipment') return jsonSize(item);
  const fields = Object.keys(machine.context?.fields ?? {}).length;
  const { base, field, code, device } = MACHINE;
  return base + fields * field + (machine.dtcs?.length ?? 0) * code + (machine.device_ids?.length ?? 0) * device;
}

/**
 * Returns the items that fit into one answer, but at least one item. If not all items fit, `last` is the document of the last returned
 * item.
 */
function cut<T, I>(page: readonly Stored<T>[], items: I[]): { items: I[]; last?: Stored<T> } {
  let bytes = 0;
  for (const [i, item] of items.entries()) {
    bytes += sizeOf(item);
    if (bytes <= MOST_BYTES || i === 0) continue;
    const { id } = items[i - 1] as { readonly id?: string };
    const last = page.find((document) => document.id === id);
    if (last !== undefined) return { items: items.slice(0, i), last };
  }
  return { items };
}

interface Page<T> {
  readonly page: Stored<T>[];
  /** The last document of this page, after which the next page begins; undefined if there is no next page. */
  readonly next: Stored<T> | undefined;
}

/**
 * Makes a page of at most `limit` documents. The caller reads one document more than `limit`. If this last document exists, there is a next
 * page; it is not part of this page.
 */
function pageOf<T>(found: Stored<T>[], limit: number): Page<T> {
  const page = found.slice(0, limit);
  return { page, next: found.length > limit ? page.at(-1) : undefined };
}

/** Returns the filter function for `q` and `updated_*`; undefined if the request has neither. */
function matcher<T>(
  input: ListInput,
  text: ((document: Stored<T>) => readonly (string | null)[]) | undefined,
): ((document: Stored<T>) => boolean) | undefined {
  const { q, updated_after, updated_before } = input;
  if (q === undefined && updated_after === undefined && updated_before === undefined) return undefined;
  const wanted = q === undefined ? undefined : foldText(q);
  const from = updated_after === undefined ? '' : new Date(updated_after).toISOString();
  const to = updated_before === undefined ? '~' : new Date(updated_before).toISOString();
  return (document) =>
    document.updated_at > from &&
    document.updated_at < to &&
    (wanted === undefined || (text?.(document) ?? []).some((part) => part !== null && foldText(part).includes(wanted)));
}

/** Searches the list until the page is full, the list ends, or MOST_SEARCHED documents were examined. */
async function search<T>(
  view: StagedView,
  collection: CollectionName,
  find: FindQuery,
  limit: number,
  matches: (document: Stored<T>) => boolean,
): Promise<Page<T>> {
  const kept: Stored<T>[] = [];
  let last: Stored<T> | undefined;
  for (let looked = 0; looked < MOST_SEARCHED; looked += STEP) {
    const after = last ?? find.after;
    const found = await view.find<T>(collection, { ...find, ...(after ? { after } : {}), limit: STEP });
    kept.push(...found.filter(matches));
    if (kept.length > limit) return pageOf(kept, limit);
    last = found.at(-1);
    if (found.length < STEP) return { page: kept, next: undefined };
  }
  return { page: kept, next: last };
}

/** Converts the caller's times to UTC with milliseconds, as stored times are, so that they can be compared as strings. */
function createdBetween({ created_after, created_before }: ListInput): Record<string, Condition> {
  if (created_after === undefined && created_before === undefined) return {};
  return {
    created_at: {
      ...(created_after === undefined ? {} : { gt: new Date(created_after).toISOString() }),
      ...(created_before === undefined ? {} : { lt: new Date(created_before).toISOString() }),
    },
  };
}

function given(conditions: Conditions = {}): Record<string, Condition> {
  return Object.fromEntries(
    Object.entries(conditions).filter((entry): entry is [string, Condition] => entry[1] !== undefined),
  );
}
