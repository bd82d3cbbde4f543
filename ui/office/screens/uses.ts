/** Who shows a board or playlist: playlists, and screens that use a link. */
import { ClientError } from '#contract/client.ts';
import type { Output } from '#contract/operations.ts';
import type { Display } from '#contract/site/display.ts';
import type { Widget } from '#contract/site/widget.ts';
import { duration } from '#ui/format.ts';
import { t } from '#ui/languages/texts.ts';
import { readAll } from '#ui/office/base/lists.ts';
import type { Session } from '#ui/office/base/session.ts';
import { displaysText } from '#ui/office/screens/paired/displays.ts';
import type { ShownKind } from '#ui/office/screens/previews/shown.ts';
import { sharedBy } from './tile-kinds.ts';

export type Dashboard = Output<'dashboards_get'>;
export type Playlist = Output<'playlists_get'>;
export type Share = Output<'display_shares'>;

/** Says that screens show what was saved. At head office the change must reach the site first. */
export const savedText = ({ role }: Session): string =>
  role === 'cloud'
    ? t('Saved. TVs show the change when the site has received it.')
    : t('Saved. TVs show the change within a few seconds.');

/** The page reads the links of at most this many boards and playlists. */
const MOST_LINKS = 40;

/** The boards and playlists of the page of screens, with their links. */
interface Boards {
  readonly boards: readonly Dashboard[];
  readonly playlists: readonly Playlist[];
  /** The links in use, by the id of the board or playlist. */
  readonly links: ReadonlyMap<string, Share>;
  /** True if there are more boards or playlists than the page shows. */
  readonly more: boolean;
}

/** Everything that the page of screens shows. */
export interface Screens extends Boards {
  /** The paired screens. */
  readonly displays: readonly Display[];
}

/** Reads the link of an object, also a paused one; null if it has none. It never creates a link. */
export async function readLink(
  session: Session,
  kind: ShownKind,
  object_id: string,
  signal: AbortSignal,
): Promise<Share | null> {
  try {
    const link = await session.client.call('display_shares', { kind, object_id, action: 'read' }, { signal });
    return link.status === 'revoked' ? null : link;
  } catch (error) {
    if (error instanceof ClientError && error.code === 'not_found') return null;
    throw error;
  }
}

export async function readBoards(session: Session, signal: AbortSignal): Promise<Boards> {
  const [playlists, boards] = await Promise.all([
    readAll(session, 'playlists_list', { order: 'asc' }, signal),
    readAll(session, 'dashboards_list', { order: 'asc' }, signal),
  ]);
  const linked = [...playlists.items, ...boards.items].filter((one) => one.link_status !== null);
  const read = async (kind: ShownKind, id: string): Promise<Share | null> => {
    try {
      return await readLink(session, kind, id, signal);
    } catch (error) {
      // Without this link the page still says that there is one. If nothing answers in time, the whole list is not read.
      if (signal.aborted) throw error;
      return null;
    }
  };
  const links = await Promise.all(
    linked.slice(0, MOST_LINKS).map(async ({ object, id }) => [id, await read(object, id)] as const),
  );
  return {
    boards: boards.items,
    playlists: playlists.items,
    links: new Map(links.filter((one): one is readonly [string, Share] => one[1] !== null)),
    more: playlists.more || boards.more,
  };
}

/** Returns the playlists that show a board, also those in which its item is switched off. */
export const playlistsWith = (playlists: readonly Playlist[], board: string): readonly Playlist[] =>
  playlists.filter(({ items }) => items.some(({ dashboard_id }) => dashboard_id === board));

/** Says that there is a link. Screens that use a paused link show no board. */
export const plainLink = (isPaused: boolean): string =>
  isPaused ? t('A paused link for screens') : t('A link for screens');

/** Says if there is a link, and when a screen last used it; null if there is no link. */
export function linkText(link: Share | undefined, now_ms: number): string | null {
  if (link === undefined) return null;
  const plain = plainLink(link.status === 'paused');
  if (link.last_seen_at === null) return plain;
  return t('{screens}, last seen {age} ago', { screens: plain, age: duration(now_ms - Date.parse(link.last_seen_at)) });
}

/** Says which playlists show a board; empty if there is none. */
export function listsText(board: string, playlists: readonly Playlist[]): string[] {
  const names = playlistsWith(playlists, board).map(({ name }) => name);
  return names.length === 0 ? [] : [t('In playlists: {names}', { names: names.join(', ') })];
}

/**
 * Says which paired screens show a board or playlist, and if it has a link. The page may not have read a link; it then says only that there
 * is one.
 */
export function screenUses(one: Dashboard | Playlist, { links, displays }: Screens, now_ms: number): string[] {
  const text =
    linkText(links.get(one.id), now_ms) ?? (one.link_status === null ? null : plainLink(one.link_status === 'paused'));
  return [...displaysText(one.id, displays), ...(text === null ? [] : [text])];
}

/** Says that no screen shows a board or playlist. Head office cannot know it. */
export const noUseText = ({ role }: Pick<Session, 'role'>): string =>
  role === 'cloud'
    ? t('Head office does not know the links of the site, so screens there may show it')
    : t('No screen shows it');

/** Says which boards have a code that opens a board or playlist; empty if there is none. */
export function codesText(kind: ShownKind, id: string, boards: readonly Dashboard[]): string[] {
  const opens = (tile: Dashboard['widgets'][number]) => {
    const share = sharedBy(tile as Widget);
    return share?.kind === kind && share.object_id === id;
  };
  const names = boards.filter((one) => one.id !== id && one.widgets.some(opens)).map(({ name }) => name);
  return names.length === 0 ? [] : [t('Codes on these boards open it: {names}', { names: names.join(', ') })];
}
