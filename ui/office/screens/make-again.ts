/** Makes boards and playlists from a content that a person kept: a deleted one again, or a draft as a new one. What is gone is left out. */
import { ClientError } from '#contract/client.ts';
import type { Input } from '#contract/operations.ts';
import type { PlacedWidget } from '#contract/site/widget.ts';
import { readAll } from '#ui/office/base/lists.ts';
import { errorText, type Session } from '#ui/office/base/session.ts';
import { settled } from '#ui/office/screens/drafts/layout.ts';
import type { PlaylistFields } from '#ui/office/screens/drafts/playlist-draft.ts';
import { sharedBy, tileName } from './tile-kinds.ts';
import { keepWith } from './use-board-draft.ts';
import type { Dashboard, Playlist } from './uses.ts';

/** Returns a name of at most 120 characters that no other object has: "Pit", "Pit 2", "Pit 3". */
export function freeName(wanted: string, names: readonly string[]): string {
  for (let n = 1; ; n++) {
    const name = n === 1 ? wanted.slice(0, 120) : `${wanted.slice(0, 110)} ${n}`;
    if (!names.includes(name)) return name;
  }
}

/** A deleted board or playlist. The tab keeps it, so that a person can make it again. */
export type Deleted = { readonly name: string } & (
  | {
      readonly board: Dashboard;
      /** The playlists that showed the board, and do not have it again yet. */
      readonly shownBy: readonly Playlist[];
      /** The id of the new board, if it was made, but did not get all its places. */
      readonly made?: string;
    }
  | { readonly playlist: Playlist }
);

export const idOfDeleted = (one: Deleted): string => ('board' in one ? one.board.id : one.playlist.id);

type Content<T extends Dashboard | Playlist> = Omit<T, 'object' | 'id'>;

/** The pictures that an object names; absent if it names none. */
const mediaOf = ({ context }: Partial<Pick<Dashboard, 'context'>>) =>
  context === undefined || context.media.length === 0 ? {} : { context: { media: context.media } };

export type BoardContent = Pick<Dashboard, 'name' | 'description' | 'audience' | 'theme'> &
  Partial<Pick<Dashboard, 'context'>> & { readonly widgets: readonly PlacedWidget[] | Dashboard['widgets'] };

export const boardInput = (one: BoardContent) => {
  const { name, description, audience, theme, widgets } = one;
  return { name, description, audience, theme, widgets, ...mediaOf(one) } as Input<'dashboards_create'>;
};

/** `display_group_ids` is left out, because a group of screens has one playlist. */
export const playlistInput = (one: Content<Playlist>) => {
  const { name, items, default_duration_s, transition, shuffle, takeover } = one;
  return {
    name,
    items,
    default_duration_s,
    transition,
    shuffle,
    takeover,
    ...mediaOf(one),
  } as Input<'playlists_create'>;
};

const isNotFound = (error: unknown) => error instanceof ClientError && error.code === 'not_found';

/** Returns what a read returns; undefined if there is no such object. */
async function found<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Returns true if the object that a code opens is there. */
async function isThere({ client }: Session, kind: string, id: string): Promise<boolean> {
  if (kind === 'playlist') return (await found(client.call('playlists_get', { id }))) !== undefined;
  if (kind === 'dashboard') return (await found(client.call('dashboards_get', { id }))) !== undefined;
  if (kind === 'equipment') return (await found(client.call('equipment_get', { id }))) !== undefined;
  return true;
}

/** A new board, and what it lacks. */
export interface MadeBoard {
  readonly id: string;
  /** The tiles whose codes open what is not there any more. The tab keeps them as changes of the new board that are not saved. */
  readonly left: readonly string[];
}

/** The new board that an earlier call made before it failed. */
interface Earlier {
  readonly id: string;
  /** True if the content may be newer than that of the board, so that the board gets it. False: a person may have changed the board since. */
  readonly isStale: boolean;
}

/**
 * Makes a board from a content. If the board `old` was deleted, a code that opened it opens the new board. The gateway refuses a board with a code of an object
 * that is gone; so the board is made without such tiles, and the editor of the new board has them, to choose again what they open.
 */
export async function makeBoard(
  session: Session,
  content: BoardContent,
  old: string,
  before: Earlier | undefined,
  onMade: (id: string) => void,
): Promise<MadeBoard> {
  const { client } = session;
  const widgets = content.widgets as readonly PlacedWidget[];
  const gone: PlacedWidget[] = [];
  for (const one of widgets) {
    const share = sharedBy(one);
    if (share !== undefined && !(await isThere(session, share.kind, share.object_id))) gone.push(one);
  }
  const own = gone.filter((one) => sharedBy(one)?.object_id === old);
  const dead = gone.filter((one) => !own.includes(one));
  const sound = boardInput({ ...content, widgets: widgets.filter((one) => !gone.includes(one)) });
  let made = before === undefined ? undefined : await found(client.call('dashboards_get', { id: before.id }));
  if (made === undefined) {
    made = await client.call('dashboards_create', sound);
    onMade(made.id);
  } else if (before?.isStale === true) {
    const input = { ...sound, id: made.id } as Input<'dashboards_update'>;
    made = await client.call('dashboards_update', input, { if_match: made.revision });
  }
  const { id, revision } = made;
  const has = new Set(made.widgets.map((one) => one.id));
  const lacks = own.filter((one) => !has.has(one.id));
  // A person may have mended such a tile since the earlier call.
  const left = dead.filter((one) => !has.has(one.id));
  if (lacks.length > 0) {
    const again = lacks.map((one) => ({
      ...one,
      params: { ...one.params, share: { kind: 'dashboard', object_id: id } },
    }));
    const all = settled([...(made.widgets as PlacedWidget[]), ...again]);
    const input = { id, widgets: all } as unknown as Input<'dashboards_update'>;
    made = await client.call('dashboards_update', input, { if_match: revision });
  }
  if (left.length > 0) keepWith(made, left);
  return { id, left: left.map(tileName) };
}

/** Puts a board that was made again into a playlist that showed it. Returns false if the playlist is not there any more. */
async function placeAgain({ client }: Session, { id, items: before }: Playlist, old: string, made: string) {
  const now = await found(client.call('playlists_get', { id }));
  if (now === undefined) return false;
  if (now.items.some(({ dashboard_id }) => dashboard_id === made)) return true;
  const items: Playlist['items'][number][] = [...now.items];
  for (const [i, item] of before.entries())
    if (item.dashboard_id === old) items.splice(Math.min(i, items.length), 0, { ...item, dashboard_id: made });
  await client.call('playlists_update', { id, items } as Input<'playlists_update'>, { if_match: now.revision });
  return true;
}

/** What became of a board or playlist that was made again. */
export interface MadeAgain {
  /** The board or the playlist that was made. */
  readonly board?: MadeBoard;
  readonly playlist?: MadePlaylist;
  /** The names of the playlists that are not there any more. */
  readonly missing: readonly string[];
  /** What is still to do, because the gateway did not take it; null if all is done. */
  readonly rest: Deleted | null;
  /** Why the gateway did not take it, with the names of the playlists. */
  readonly problem: string | null;
}

/**
 * Makes a deleted board or playlist again, with a new id, and puts a board back into the playlists that showed it. A playlist that does not
 * take the board does not keep the others from it. `onMade` gets the deleted board with the id of the new one, so that a second call, after
 * an error, does not make a second board.
 */
export async function makeAgain(
  session: Session,
  deleted: Deleted,
  onMade: (next: Deleted) => void,
): Promise<MadeAgain> {
  if ('playlist' in deleted) {
    const { playlist } = deleted;
    const fields = { ...playlistInput(playlist), display_group_ids: playlist.display_group_ids };
    const made = await makePlaylist(session, fields as PlaylistFields, (name) => name);
    return { playlist: made, missing: [], rest: null, problem: null };
  }
  const { board, shownBy } = deleted;
  const before = deleted.made === undefined ? undefined : { id: deleted.made, isStale: false };
  const made = await makeBoard(session, board, board.id, before, (id) => onMade({ ...deleted, made: id }));
  const missing: string[] = [];
  const failed: Playlist[] = [];
  const problems: string[] = [];
  for (const one of shownBy)
    try {
      if (!(await placeAgain(session, one, board.id, made.id))) missing.push(one.name);
    } catch (error) {
      failed.push(one);
      problems.push(`${one.name}: ${errorText(error)}`);
    }
  return {
    board: made,
    missing,
    rest: failed.length === 0 ? null : { ...deleted, made: made.id, shownBy: failed },
    problem: failed.length === 0 ? null : problems.join(' '),
  };
}

/** Returns the offers after a board was made again: the deleted playlists that showed it have the new one. */
export const withBoard = (offers: readonly Deleted[], old: string, made: string): readonly Deleted[] =>
  offers.map((one) => {
    if (!('playlist' in one)) return one;
    const { playlist } = one;
    const items = playlist.items.map((item) => (item.dashboard_id === old ? { ...item, dashboard_id: made } : item));
    return { ...one, playlist: { ...playlist, items } };
  });

/** What a new playlist lacks: the number of its items whose board or picture is gone, and its groups that another playlist has. */
export interface MadePlaylist {
  readonly id: string;
  readonly items: number;
  readonly groups: readonly string[];
}

/** Makes a playlist from the fields of another one, without what the gateway would refuse. `nameOf` returns its name. */
export async function makePlaylist(
  session: Session,
  fields: PlaylistFields,
  nameOf: (name: string, others: readonly string[]) => string,
): Promise<MadePlaylist> {
  const { client } = session;
  const signal = AbortSignal.timeout(15_000);
  const lists = (await readAll(session, 'playlists_list', { order: 'asc' }, signal)).items;
  const taken = new Set(lists.flatMap((one) => one.display_group_ids));
  const ids = [...new Set(fields.items.map(({ dashboard_id, artifact_id }) => dashboard_id ?? artifact_id ?? ''))];
  const gone = new Set<string>();
  for (const id of ids) {
    const isBoard = fields.items.some(({ dashboard_id }) => dashboard_id === id);
    const one = isBoard ? client.call('dashboards_get', { id }) : client.call('artifacts_get', { id });
    if ((await found<unknown>(one)) === undefined) gone.add(id);
  }
  const items = fields.items.filter(({ dashboard_id, artifact_id }) => !gone.has(dashboard_id ?? artifact_id ?? ''));
  const groups = fields.display_group_ids.filter((one) => taken.has(one));
  const made = await client.call('playlists_create', {
    ...fields,
    items,
    display_group_ids: fields.display_group_ids.filter((one) => !taken.has(one)),
    name: nameOf(
      fields.name,
      lists.map(({ name }) => name),
    ),
  } as Input<'playlists_create'>);
  return { id: made.id, items: fields.items.length - items.length, groups };
}
