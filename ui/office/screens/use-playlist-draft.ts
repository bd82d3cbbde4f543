/** The edits of a playlist, which the tab keeps, and how they are saved although another person may edit the same playlist. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { ClientError } from '#contract/client.ts';
import type { Input } from '#contract/operations.ts';
import type { Session } from '#ui/office/base/session.ts';
import { kept, setTabState, useTabState } from '#ui/office/base/tab-state.ts';
import { useSend } from '#ui/office/base/use.ts';
import { same } from '#ui/office/screens/drafts/board-draft.ts';
import {
  changedFields,
  fieldsOf,
  type KeptPlaylist,
  type PlaylistFields,
} from '#ui/office/screens/drafts/playlist-draft.ts';
import type { Playlist } from './uses.ts';

const keyOf = (id: string) => `playlist ${id}`;

/** Returns the unsaved changes of a playlist that the tab keeps; null if there are none. */
export const keptPlaylist = (id: string): KeptPlaylist | null => kept<KeptPlaylist>(keyOf(id));

/** The fields as the gateway stores them. */
const stored = (fields: PlaylistFields): PlaylistFields => ({ ...fields, name: fields.name.trim() });

/** The edits of a playlist, which the tab keeps, and how they are saved. */
export function usePlaylistDraft(session: Session, before: Playlist, onSaved: () => void) {
  const { id } = before;
  const [kept, setKept] = useTabState<KeptPlaylist>(keyOf(id));
  const latest = useRef(kept);
  const { busy, problem, send } = useSend();
  const [saved, setSaved] = useState(before);
  /** What the person dropped, so that the person can take it back. */
  const [dropped, setDropped] = useState<KeptPlaylist | null>(null);
  /** What the page sent last. The answer may have been lost, and then the newer playlist is the own one. */
  const sent = useRef<PlaylistFields | null>(null);
  // A poll may have been answered before the own write.
  const newest = saved.revision > before.revision ? saved : before;
  const { revision, base, now } = kept ?? { revision: newest.revision, base: fieldsOf(newest), now: fieldsOf(newest) };
  const isOwn = (fields: PlaylistFields) =>
    same(fields, stored(now)) || (sent.current !== null && same(fields, stored(sent.current)));
  const isNewer = kept !== null && newest.revision > revision && !busy;
  const isSaved = isNewer && isOwn(fieldsOf(newest));
  const isMet = isNewer && !isSaved && !same(fieldsOf(newest), base);
  const keep = (next: KeptPlaylist | null) => {
    latest.current = next;
    setKept(next);
  };
  /** Puts the edits that are left on what was saved. */
  const settle = (answer: Playlist, after: PlaylistFields) => {
    const fields = fieldsOf(answer);
    keep(same(stored(after), fields) ? null : { revision: answer.revision, base: fields, now: after });
    onSaved();
  };
  useEffect(() => {
    if (!isSaved) return;
    // The gateway has saved, although its answer did not come. An empty act removes the error of that time.
    send(async () => undefined);
    settle(newest, now);
  }, [isSaved]);
  const set = (changes: Partial<PlaylistFields>) => {
    const next = { ...now, ...changes };
    setDropped(null);
    keep(same(next, base) ? null : { revision, base, now: next });
  };
  const write = (against: Playlist) => {
    const input = { id, ...changedFields(now, fieldsOf(against)) } as Input<'playlists_update'>;
    return session.client.call('playlists_update', input, { if_match: against.revision });
  };
  /** Saves the edits. Returns undefined if another person has changed the fields since. */
  const saveOver = async (over: Playlist): Promise<Playlist | undefined> => {
    try {
      return await write(over);
    } catch (error) {
      if (!(error instanceof ClientError) || error.code !== 'revision_mismatch') throw error;
      const read = await session.client.call('playlists_get', { id });
      setSaved(read);
      if (isOwn(fieldsOf(read))) return same(fieldsOf(read), stored(now)) ? read : write(read);
      // If only the revision has changed, there is nothing to ask.
      return same(fieldsOf(read), fieldsOf(over)) ? write(read) : undefined;
    }
  };
  const save = () =>
    send(async () => {
      const answer = await saveOver(newest).catch((error: unknown) => {
        sent.current = now;
        throw error;
      });
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
