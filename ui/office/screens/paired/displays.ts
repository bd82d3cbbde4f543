/** What the page of screens says about paired displays. The functions have no side effects. */

import type { Display } from '#contract/site/display.ts';
import { LIVE_MS, type LiveSnapshot } from '#contract/site/live.ts';
import { duration } from '#ui/format.ts';
import { t } from '#ui/languages/texts.ts';
import { LEAST_MINUTES, readableTo, textMinutes } from '#ui/office/screens/previews/viewing.ts';
import { pagesOf } from '#ui/tiles/grid.ts';
import { geometry } from '#ui/tv/geometry.ts';

/** How a display is: trouble first. `small`: it is live, but people cannot read its texts from where they stand. */
export type DisplayCondition = 'not_heard' | 'never_heard' | 'small' | 'live';
const ORDER: readonly DisplayCondition[] = ['not_heard', 'never_heard', 'small', 'live'];

type Size = Pick<Display, 'inches' | 'metres'>;

/** Returns true if the texts of boards are too small on this screen from this distance; false if size or distance is not known. */
const isTooSmall = ({ inches, metres }: Size): boolean =>
  inches !== null && metres !== null && textMinutes(inches, metres) < LEAST_MINUTES;

/** Returns the condition of a display at a time of the gateway, in milliseconds since 1970. */
export function conditionOf(display: Display, now_ms: number): DisplayCondition {
  if (display.last_seen_at === null) return 'never_heard';
  if (now_ms - Date.parse(display.last_seen_at) > LIVE_MS) return 'not_heard';
  return isTooSmall(display) ? 'small' : 'live';
}

/** Returns the displays with trouble first; within one condition by name. */
export function troubleFirst(displays: readonly Display[], now_ms: number): Display[] {
  const place = (one: Display) => ORDER.indexOf(conditionOf(one, now_ms));
  return [...displays].sort((a, b) => place(a) - place(b) || a.name.localeCompare(b.name, 'en', { numeric: true }));
}

/** Says in a few words how a display is. */
export function conditionText(display: Display, now_ms: number): string {
  const condition = conditionOf(display, now_ms);
  if (condition === 'never_heard')
    return t('Paired {age} ago, not heard yet', { age: duration(now_ms - Date.parse(display.paired_at)) });
  const age = duration(Math.max(0, now_ms - Date.parse(display.last_seen_at ?? '')));
  if (condition === 'not_heard') return t('Not heard for {age}', { age });
  return condition === 'small'
    ? t('Text too small from {metres} m', { metres: display.metres ?? 0 })
    : t('Live, heard {age} ago', { age });
}

/** Says what a person can do about a display; null if there is nothing to do. */
export function remedyText(display: Display, now_ms: number): string | null {
  const condition = conditionOf(display, now_ms);
  if (condition === 'never_heard' && now_ms - Date.parse(display.paired_at) < LIVE_MS)
    return t('It starts now. Its first report comes within a minute and a half.');
  if (condition === 'not_heard' || condition === 'never_heard')
    return t('Check that it is on, then that it has its network.');
  if (condition === 'small')
    return t('On this TV the texts can be read up to {metres} m. Use a larger TV, or hang it nearer.', {
      metres: readableTo(display.inches ?? 0),
    });
  return display.inches === null || display.metres === null
    ? t('Enter its size and distance; then this page says if its texts can be read.')
    : null;
}

/** Says what a display showed in its last report; without a report, what it is paired with. `nameOf` knows boards and playlists. */
export function shownText({ shown, object_id }: Display, nameOf: (id: string) => string | undefined): string {
  const target = nameOf(object_id) ?? t('something that this page does not list');
  const board = shown?.board_id == null ? undefined : nameOf(shown.board_id);
  const name = board === undefined || board === target ? target : t('{list}: {board}', { list: target, board });
  return shown === null || shown.pages <= 1
    ? t('Shows {name}', { name })
    : t('Shows {name}, page {page} of {pages}', { name, page: shown.page, pages: shown.pages });
}

/** Says how large a display is and from where people read it; null if neither is known. */
export function sizeText({ inches, metres }: Size): string | null {
  const parts = [
    inches === null ? null : t('{n} inches', { n: inches }),
    metres === null ? null : t('seen from {metres} m', { metres }),
  ].filter((one) => one !== null);
  return parts.length === 0 ? null : parts.join(', ');
}

/** Says which paired screens show a board or playlist; empty if there is none. */
export function displaysText(object_id: string, displays: readonly Display[]): string[] {
  const names = displays.filter((one) => one.object_id === object_id).map(({ name }) => name);
  return names.length === 0 ? [] : [t('On screens: {names}', { names: names.join(', ') })];
}

/** The page of a board that a display shows, and its place in the rotation. */
export interface ShownPage {
  readonly board: string;
  readonly page: number;
  readonly index: number;
  readonly of: number;
}

/** Returns the page that a display showed in its last report, or the first page; null if the snapshot has no board. */
export function shownPage(view: LiveSnapshot, { shown }: Display): ShownPage | null {
  const { board: size } = geometry(shown?.width ?? 16, shown?.height ?? 9, 1);
  const pages = view.boards
    .filter(({ widgets }) => widgets.length > 0)
    .flatMap((board) => Array.from({ length: pagesOf(board, size) }, (_, page) => ({ board: board.id, page })));
  const reported = shown === null ? -1 : shown.page - 1;
  const index = pages[reported]?.board === shown?.board_id ? reported : -1;
  const at = Math.max(0, index >= 0 ? index : pages.findIndex(({ board }) => board === shown?.board_id));
  const found = pages[at];
  return found === undefined ? null : { ...found, index: at, of: pages.length };
}
