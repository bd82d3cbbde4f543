/** List queries of the simulated store: filters and sorts all documents of a collection. */
import type { Condition, FindQuery, Scalar, Stored } from '#contract/base/view.ts';

/** Returns the document with this id in the collection `live`. */
type LiveOf = (id: string) => Stored | undefined;

/** The documents of a query, in its order and within its limit. */
export function findDocuments(
  documents: readonly Stored[],
  project: string | null,
  query: FindQuery,
  liveOf: LiveOf,
): Stored[] {
  const sign = query.order === 'asc' ? 1 : -1;
  const { after, by, live } = query;
  const found = documents
    .filter((one) => one.object === query.object && (project === null || one.project_id === project))
    .filter((one) => allHold(one, query.where))
    .filter((one) => live === undefined || liveHolds(one, query, liveOf));
  if (by !== undefined) {
    if (query.where?.[by] === undefined) throw new RangeError(`a list ordered by ${by} needs a condition on it`);
    return found.sort((a, b) => compareScalars(valueAt(a, by), valueAt(b, by))).slice(0, query.limit);
  }
  return found
    .sort((a, b) => sign * comparePlaces(a, b))
    .filter((one) => after === undefined || sign * comparePlaces(one, after) > 0)
    .slice(0, query.limit);
}

function liveHolds(document: Stored, { object, live }: FindQuery, liveOf: LiveOf): boolean {
  const other = liveOf(document.id);
  return other?.object === object && other.project_id === document.project_id && allHold(other, live);
}

function allHold(document: object, where: Readonly<Record<string, Condition>> | undefined): boolean {
  return Object.entries(where ?? {}).every(([path, condition]) => holds(valueAt(document, path), condition));
}

/** True is 1 and false is 0, as in a column of SQLite. */
function scalarOf(value: unknown): Scalar {
  return typeof value === 'boolean' ? Number(value) : ((value ?? null) as Scalar);
}

function holds(value: Scalar, condition: Condition): boolean {
  if (Array.isArray(condition)) return condition.map(scalarOf).includes(value);
  if (condition === null || typeof condition !== 'object') return value === scalarOf(condition);
  if ('otherThan' in condition) return typeof value === 'string' && !condition.otherThan.includes(value);
  return Object.entries(condition as Record<string, Scalar>).every(([name, bound]) => {
    const limit = scalarOf(bound);
    if (typeof value !== typeof limit || value === null || limit === null) return false;
    if (name === 'gt') return value > limit;
    if (name === 'gte') return value >= limit;
    return name === 'lt' ? value < limit : value <= limit;
  });
}

function valueAt(document: object, path: string): Scalar {
  const value = path
    .split('.')
    .reduce<unknown>((node, part) => (node as Record<string, unknown> | null | undefined)?.[part], document);
  return typeof value === 'object' ? null : scalarOf(value);
}

type Place = Pick<Stored, 'created_at' | 'id'>;

function comparePlaces(a: Place, b: Place): number {
  return compareScalars(a.created_at, b.created_at) || compareScalars(a.id, b.id);
}

function compareScalars(a: Scalar, b: Scalar): number {
  if (a === b || a === null || b === null) return 0;
  return a < b ? -1 : 1;
}
