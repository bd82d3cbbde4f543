/** The state of the board editor: the draft, which the tab keeps over a reload, and saving it although another person may edit the same board. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ClientError } from '#contract/client.ts';
import type { Input } from '#contract/operations.ts';
import type { Session } from '#ui/office/base/session.ts';
import { kept, setTabState } from '#ui/office/base/tab-state.ts';
import { useSend } from '#ui/office/base/use.ts';
import { type Board, type Draft, isChanged, type Met, rebase, type Stored, saved, startDraft } from './board-draft.ts';
import type { Dashboard } from './uses.ts';

function storedOf({ revision, name, description, theme, widgets }: Dashboard): Stored {
  const placed = widgets.map((one, i) => ({ ...one, id: one.id ?? `widget-${i}` }));
  return { revision, board: { name, description, theme, widgets: placed } as Board };
}

const keyOf = (id: string) => `board ${id}`;

interface Kept {
  readonly base: Stored;
  readonly now: Board;
  readonly met: Met | null;
  readonly audience: Dashboard['audience'];
}

/** Returns the unsaved changes of a board that the tab keeps; null if there are none. */
export const keptDraft = (id: string): Kept | null => kept<Kept>(keyOf(id));
export const dropDraft = (id: string): void => setTabState(keyOf(id), null);

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
  const change = useCallback(
    (to: (draft: Draft) => Draft) => {
      const next = to(latest.current);
      latest.current = next;
      setDraft(next);
      setTabState(keyOf(id), isChanged(next) ? { base: next.base, now: next.now, met: next.met, audience } : null);
    },
    [id, audience],
  );
  const meet = useCallback(
    (stored: Stored) =>
      change((one) => {
        if (stored.revision <= one.base.revision) return one;
        const untouched = !isChanged(one) && one.past.length === 0 && one.future.length === 0;
        return untouched ? startDraft(stored) : rebase(one, stored);
      }),
    [change],
  );
  useEffect(() => {
    // While the own write is on its way, the newer revision may be that write.
    if (!busy) meet(storedOf(now));
  }, [now.revision, busy, meet]);
  const save = (done: (isSaved: boolean) => void) =>
    send(async () => {
      const { now: sent, base } = latest.current;
      const input = { id, ...sent } as Input<'dashboards_update'>;
      try {
        const answer = await session.client.call('dashboards_update', input, { if_match: base.revision });
        change((one) => saved(one, sent, storedOf(answer)));
        done(true);
      } catch (error) {
        if (!(error instanceof ClientError) || error.code !== 'revision_mismatch') throw error;
        meet(storedOf(await session.client.call('dashboards_get', { id })));
        done(false);
      }
    });
  return { draft, busy, problem, change, save };
}
