/** Shares the previews of unsaved boards among the people and programs that look at them. */

/** The largest number of unsaved boards that are previewed at once, of all callers and of one caller (a key or a session). */
export const MOST_DRAFTS = 16;
export const MOST_DRAFTS_EACH = 4;

/** A preview that is open, or that is being opened. */
export interface OpenDraft {
  readonly key: string;
  readonly holder: string;
  /** True if no page is subscribed. */
  readonly isIdle: boolean;
  /** False while it is being opened; it then cannot end. */
  readonly mayEnd: boolean;
}

/**
 * Decides which preview ends, so that a caller gets a further one: null if there is room, undefined if the caller must wait. A caller with
 * the largest number, or with a preview at a full gateway, loses its own oldest one, and first one that no page shows. A caller without a
 * preview takes one from the caller with the most, but never the last one of a caller.
 */
export function draftToEnd(drafts: readonly OpenDraft[], holder: string): string | null | undefined {
  const own = drafts.filter((one) => one.holder === holder);
  if (own.length < MOST_DRAFTS_EACH && drafts.length < MOST_DRAFTS) return null;
  const from = own.length > 0 ? own : mostOf(drafts);
  const able = from.filter(({ mayEnd }) => mayEnd);
  return (able.find(({ isIdle }) => isIdle) ?? able[0])?.key;
}

/** Returns the previews of the caller with the most; none if each caller has one. */
function mostOf(drafts: readonly OpenDraft[]): readonly OpenDraft[] {
  const [most = []] = [...Map.groupBy(drafts, ({ holder }) => holder).values()].sort((a, b) => b.length - a.length);
  return most.length > 1 ? most : [];
}
