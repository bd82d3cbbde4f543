/**
 * The time at which a document was made, as a register. Lists are sorted by this time, and it can be earlier than the commit, for example for
 * an event that a device reports late. So both ends must have the same one.
 */
import type { KindRule } from '#contract/ownership/rule.ts';

const NAME = '_created';

/**
 * The path of the time. It has the owner of the document, so that it is copied wherever the document is. Undefined for live documents, which
 * are made with their record.
 */
export function createdPath({ collection, whole }: KindRule): string | undefined {
  if (collection === 'live') return undefined;
  return `${whole?.owner === 'machinery' ? '!' : '='}${NAME}`;
}

export const isCreatedPath = (path: string): boolean => path.slice(1) === NAME;
