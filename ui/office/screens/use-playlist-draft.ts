/** The edits of a playlist, which the tab keeps, and how they are saved although another person may edit the same playlist. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { ClientError } from '#contract/client.ts';
import type { Input } from '#contract/operations.ts';
import type { Session } from '#ui/office/base/session.ts';
import { kept, setTabState, useTabState } from '#ui/office/base/tab-state.ts';
import { useSend } from '#ui/office/base/use.ts';
import { same } from '#ui/office/screens/drafts/board-draft.ts';
import {
  asStored,
  changedFields,
  fieldsOf,
  isOwnSave,
  type KeptPlaylist,
  type PlaylistFields,
} from '#ui/office/screens/drafts/playlist-draft.ts';
import { isUnanswered } from '#ui/office/screens/drafts/unanswered.ts';
import type { Playlist } from './uses.ts';

const keyOf = (id: string) => `playlist ${id}`;

/** Returns the unsaved changes of a playlist that the tab keeps; null if there are none. */
export const keptPlaylist = (id: string): KeptPlaylist | null => kept<KeptPlaylist>(keyOf(id));

/** The edits of a playlist, which the tab keeps, and how they are saved. */
export function usePlaylistDraft(session: Session, before: Playlist, onSaved: () => void) {
  const { id } = before;
  const [kept, setKept] = useTabState<KeptPlaylist>(keyOf(id));
  const latest = useRef(kept);
  const { busy, problem, send } = useSend();
  const [saved, setSaved] = useState(before);
  /** What the person dropped, so that the person can take it back. */
  const [dropped, setDropped] = useState<KeptPlaylist | null>(null);
  /** What the page sent without an answer, and over which revision. The gateway may have stored it, and then the newer playlist is the own one. */
  const sent = useRef<{ readonly fields: PlaylistFields; readonly over: number } | null>(null);
  // A poll may have been answered before the own write.
  const newest = saved.revision > before.revision ? saved : before;
  const { revision, base, now } = kept ?? { revision: newest.revision, base: fieldsOf(newest), now: fieldsOf(newest) };
  const isOwn = (fields: PlaylistFields) => isOwnSave(fields, { base, now }, sent.current?.fields ?? null);
  const isNewer = kept !== null && newest.revision > revision && !busy;
  const isSaved = isNewer && isOwn(fieldsOf(newest));
  const isOther = isNewer && !isSaved;
  const isMet = isOther && !same(fieldsOf(newest), base);
  const keep = (next: KeptPlaylist | null) => {
    latest.current = next;
    setKept(next);
  };
  /** Puts the edits that are left on what was saved. */
  const settle = (answer: Playlist, after: PlaylistFields) => {
    const fields = fieldsOf(answer);
    sent.current = null;
    keep(same(asStored(after), fields) ? null : { revision: answer.revision, base: fields, now: after });
    onSaved();
  };
  useEffect(() => {
    if (!isSaved) return;
    // The gateway has saved, although its answer did not come. An empty act removes the error of that time.
    send(async () => undefined);
    settle(newest, now);
  }, [isSaved]);
  useEffect(() => {
    // After the save of another person, what was sent over an older revision cannot be stored any more.
    if (isOther && sent.current !== null && sent.current.over < newest.revision) sent.current = null;
  }, [isOther, newest.revision]);
  const set = (changes: Partial<PlaylistFields>) => {
    const next = { ...now, ...changes };
    setDropped(null);
    keep(same(next, base) ? null : { revision, base, now: next });
  };
  const write = async (against: Playlist) => {
    const input = { id, ...changedFields(now, fieldsOf(against)) } as Input<'playlists_update'>;
    try {
      return await session.client.call('playlists_update', input, { if_match: against.revision });
    } catch (error) {
      if (isUnanswered(error)) sent.current = { fields: now, over: against.revision };
      throw error;
    }
  };
  /** Saves the edits. Returns undefined if another person has changed the fields since. */
  const saveOver = async (over: Playlist): Promise<Playlist | undefined> => {
    try {
      return await write(over);
    } catch (error) {
      if (!(error instanceof ClientError) || error.code !== 'revision_mismatch') throw error;
      const read = await session.client.call('playlists_get', { id });
      setSaved(read);
      if (isOwn(fieldsOf(read))) return same(fieldsOf(read), asStored(now)) ? read : write(read);
      // If only the revision has changed, there is nothing to ask.
      return same(fieldsOf(read), fieldsOf(over)) ? write(read) : undefined;
    }
  };
  const save = () =>
    send(async () => {
      const answer = await saveOver(newest);
      if (answer === undefined) return;
      setSaved(answer);
      // The person may have made more edits while the answer was on its way.
      const after = latest.current?.now ?? base;
      settle(answer, same(after, now) ? fieldsOf(answer) : after);
    });
  return {
    ...{ kept, now, newest, isMet, busy, problem, dropped, set, save },
    drop() {
      setDropped(kept);
      keep(null);
    },
    /** Removes the changes from the tab, because they are in another playlist now. */
    forget: () => setTabState(keyOf(id), null),
    takeBack() {
      keep(dropped);
      setDropped(null);
    },
  };
}
