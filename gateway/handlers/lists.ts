/** List reads: newest first, keyset cursors that stay true while others insert. */
import type { HandlerContext, StagedView } from '#contract/context.ts';
import type { CollectionName, Condition, FindQuery, Stored } from '#contract/view.ts';

interface ListInput {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly order: 'asc' | 'desc';
  readonly created_after?: string | undefined;
  readonly created_before?: string | undefined;
}
type Conditions = Readonly<Record<string, Condition | undefined>>;

/** One page of documents in the list envelope; `toItems` may drop documents (a short page is not the last one). */
export async function listPage<T, I>(
  context: HandlerContext,
  view: StagedView,
  collection: CollectionName,
  input: ListInput,
  query: { readonly object: string; readonly where?: Conditions; readonly live?: Conditions },
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
  const found = await view.find<T>(collection, find);
  const page = found.slice(0, input.limit);
  const last = page.at(-1);
  const has_more = found.length > page.length && last !== undefined;
  return {
    object: 'list',
    data: await toItems(page),
    has_more,
    next_cursor: has_more ? context.page.next(last) : null,
  };
}

/** Stored times are UTC with milliseconds, so that they compare as text; the caller's may carry any offset. */
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
