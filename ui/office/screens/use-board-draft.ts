/** The state of the board editor: the draft, which the tab keeps over a reload, and saving it although another person may edit the same board. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ClientError } from '#contract/client.ts';
import type { Input } from '#contract/operations.ts';
import type { Session } from '#ui/office/base/session.ts';
import { kept, setTabState } from '#ui/office/base/tab-state.ts';
import { useSend } from '#ui/office/base/use.ts';
import {
  arrived,
  type Board,
  type Draft,
  isChanged,
  type Met,
  rebase,
  type Stored,
  same,
  saved,
  startDraft,
} from '#ui/office/screens/drafts/board-draft.ts';
import { isUnanswered } from '#ui/office/screens/drafts/unanswered.ts';
import type { Dashboard } from './uses.ts';

function storedOf({ revision, name, description, theme, widgets }: Dashboard): Stored {
  const placed = widgets.map((one, i) => ({ ...one, id: one.id ?? `widget-${i}` }));
  return { revision, board: { name, description, theme, widgets: placed } as Board };
}

const keyOf = (id: string) => `board ${id}`;

/** The page remembers at most this many saves without an answer. */
const MOST_SENT = 5;

interface Kept {
  readonly base: Stored;
  readonly now: Board;
  readonly met: Met | null;
  readonly audience: Dashboard['audience'];
}

/** Returns the unsaved changes of a board that the tab keeps; null if there are none. */
export const keptDraft = (id: string): Kept | null => kept<Kept>(keyOf(id));
export const dropDraft = (id: string): void => setTabState(keyOf(id), null);

/** Keeps tiles of a board that was just made as changes that are not saved, so that its editor has them. */
export function keepWith(board: Dashboard, tiles: Board['widgets']): void {
  if (keptDraft(board.id) !== null) return;
  const base = storedOf(board);
  const now = { ...base.board, widgets: [...base.board.widgets, ...tiles] };
  setTabState(keyOf(board.id), { base, now, met: null, audience: board.audience });
}

export interface BoardDraft {
  readonly draft: Draft;
  readonly busy: boolean;
  readonly problem: string | null;
  change(to: (draft: Draft) => Draft): void;
  /** Saves the draft. Calls `done` with false if another person saved before; the draft then has the changes of both. */
  save(done: (isSaved: boolean) => void): void;
}

/** `now` is the board as the gateway stores it, which may be newer on each render. */
export function useBoardDraft(session: Session, now: Dashboard): BoardDraft {
  const { id, audience } = now;
  const [draft, setDraft] = useState<Draft>(() => {
    const left = keptDraft(id);
    return left === null ? startDraft(storedOf(now)) : { ...startDraft(left.base, left.now), met: left.met };
  });
  const { busy, problem, send } = useSend();
  const latest = useRef(draft);
  /** What the page sent without an answer. The gateway may have stored it, and then the newer board is the own one. */
  const sent = useRef<readonly Board[]>([]);
  const change = useCallback(
    (to: (draft: Draft) => Draft) => {
      const next = to(latest.current);
      latest.current = next;
      setDraft(next);
      setTabState(keyOf(id), isChanged(next) ? { base: next.base, now: next.now, met: next.met, audience } : null);
    },
    [id, audience],
  );
  /** Takes a newer stored board. Returns true if it is what this page sent, although the answer did not come, and the page says nothing. */
  const meet = useCallback(
    (stored: Stored): boolean => {
      const own = sent.current.find((one) => same(stored.board, { ...one, name: one.name.trim() }));
      const isNewer = stored.revision > latest.current.base.revision;
      if (!isNewer) return false;
      // What was sent before cannot be stored any more, because its revision is too old.
      sent.current = [];
      if (own !== undefined) {
        change((one) => arrived(one, own, stored));
        return latest.current.met === null;
      }
      change((one) => {
        const untouched = !isChanged(one) && one.past.length === 0 && one.future.length === 0;
        return untouched ? startDraft(stored) : rebase(one, stored);
      });
      return false;
    },
    [change],
  );
  useEffect(() => {
    // While the own write is on its way, the newer revision may be that write. An empty act removes the error of a lost answer.
    if (!busy && meet(storedOf(now))) send(async () => undefined);
  }, [now.revision, busy, meet]);
  const write = async (): Promise<boolean> => {
    const { now: own, base } = latest.current;
    const input = { id, ...own } as Input<'dashboards_update'>;
    try {
      const answer = await session.client.call('dashboards_update', input, { if_match: base.revision });
      sent.current = [];
      change((one) => saved(one, own, storedOf(answer)));
      return true;
    } catch (error) {
      if (isUnanswered(error)) sent.current = [...sent.current, own].slice(-MOST_SENT);
      if (!(error instanceof ClientError) || error.code !== 'revision_mismatch') throw error;
      if (!meet(storedOf(await session.client.call('dashboards_get', { id })))) return false;
      // An earlier save of this page has arrived, so only the edits since then are left.
      return isChanged(latest.current) ? write() : true;
    }
  };
  const save = (done: (isSaved: boolean) => void) => send(async () => done(await write()));
  return { draft, busy, problem, change, save };
}
