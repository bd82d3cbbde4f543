/**
 * Two boxes with one identity, such as a computer and a copy of its disk: how a person at head office chooses the one that is the site.
 *
 *   a box is fenced ─▶ it takes a new mark ─▶ its calls tell the mark ─▶ a person keeps this mark ─▶ the answer to a call ─▶ `chooseBox`
 */
import type { SyncEnv } from './env.ts';
import { chooseBox } from './lives.ts';
import type { SyncTx } from './store.ts';

/** How a box names itself. Two boxes may have one mark until one of them is fenced. */
export interface BoxName {
  readonly mark: string;
  /** When this box was fenced; null if it counts, as far as it knows. */
  readonly fenced_at: string | null;
}

/** What head office last heard of a box. */
interface Heard extends BoxName {
  readonly at: string;
}

/** Boxes of one gateway that head office remembers; the one that it heard first is forgotten. */
const MOST_BOXES = 8;

/**
 * The name of a box from now on. A box takes a new mark each time that it is fenced: the other box may have the mark of before, and an order
 * that names an earlier mark has no effect any more.
 */
export function boxNow(box: BoxName | undefined, isFenced: boolean, at: string, newMark: () => string): BoxName {
  if (box === undefined) return { mark: newMark(), fenced_at: isFenced ? at : null };
  if (isFenced === (box.fenced_at !== null)) return box;
  return isFenced ? { mark: newMark(), fenced_at: at } : { ...box, fenced_at: null };
}

/** True if a person chose this box, and it has not become the site yet. */
export const isChosen = ({ mark, fenced_at }: BoxName, kept: string | undefined): boolean =>
  fenced_at !== null && mark === kept;

/** A person chose this box. A project in which it counts already stays as it is. */
export function keepBox(tx: SyncTx, env: SyncEnv): void {
  if (tx.siteChannel().fenced) chooseBox(tx, env);
}

/** The boxes of a gateway after head office heard one of them. At most one of them is not fenced: the one that was heard last. */
export function withBox<B extends Heard>(boxes: readonly B[], heard: B): B[] {
  const others = boxes.filter(
    ({ mark, fenced_at }) => mark !== heard.mark && (heard.fenced_at !== null || fenced_at !== null),
  );
  return [...others, heard].sort((a, b) => (a.at < b.at ? -1 : 1)).slice(-MOST_BOXES);
}
