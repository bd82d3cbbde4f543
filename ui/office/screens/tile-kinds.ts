/** The kinds of tiles: what each shows, its sizes, the settings that a person can change, and how a new tile begins. */

import { SECRET, SITE_AGGREGATES } from '#contract/base/widget-kinds.ts';
import type { PlacedWidget, Widget } from '#contract/site/widget.ts';
import { t, type Word } from '#ui/languages/texts.ts';
import type { Size } from '#ui/office/screens/drafts/layout.ts';

export type TileType = Widget['type'];
/** A group of settings. */
export type Setting =
  | 'machines'
  | 'signals'
  | 'signal'
  | 'aggregate'
  | 'window'
  | 'order'
  | 'place'
  | 'severity'
  | 'camera'
  | 'text'
  | 'day'
  | 'code'
  | 'limits'
  | 'age';

export interface TileKind {
  readonly name: Word;
  readonly says: Word;
  /** Size of a new tile, and the smallest size at which it is useful, in cells. */
  readonly size: Size;
  readonly least: Size;
  readonly settings: readonly Setting[];
}

/** The kinds in the order in which a person chooses them. */
export const TILE_KINDS: Readonly<Record<TileType, TileKind>> = {
  status_board: {
    name: 'Machines and trouble',
    says: 'The machines in trouble in large type, and all others in a quiet strip.',
    size: { w: 8, h: 4 },
    least: { w: 8, h: 4 },
    settings: ['machines', 'signals', 'limits', 'age'],
  },
  machine_list: {
    name: 'List of machines',
    says: 'A row for each machine with up to four values.',
    size: { w: 6, h: 4 },
    least: { w: 5, h: 3 },
    settings: ['machines', 'signals', 'limits', 'age'],
  },
  kpi: {
    name: 'One number',
    says: 'A value of one machine, or one number for many machines.',
    size: { w: 3, h: 2 },
    least: { w: 2, h: 2 },
    settings: ['aggregate', 'signal', 'machines', 'limits', 'age'],
  },
  bar: {
    name: 'Bars',
    says: 'One value of several machines, sorted.',
    size: { w: 4, h: 3 },
    least: { w: 3, h: 3 },
    settings: ['signal', 'machines', 'order', 'limits', 'age'],
  },
  timeseries: {
    name: 'Trend',
    says: 'How values changed over the last minutes or hours.',
    size: { w: 6, h: 3 },
    least: { w: 4, h: 2 },
    settings: ['signals', 'machines', 'aggregate', 'window', 'limits', 'age'],
  },
  map: {
    name: 'Map',
    says: 'The zones of the site and where each machine is.',
    size: { w: 6, h: 4 },
    least: { w: 4, h: 3 },
    settings: ['place', 'machines', 'age'],
  },
  ticket_board: {
    name: 'Open repairs',
    says: 'The open repairs by status, the most urgent first.',
    size: { w: 6, h: 4 },
    least: { w: 4, h: 4 },
    settings: ['machines'],
  },
  alert_feed: {
    name: 'Active alerts',
    says: 'The active alerts, the most severe first.',
    size: { w: 6, h: 3 },
    least: { w: 4, h: 3 },
    settings: ['severity', 'machines'],
  },
  shift_progress: {
    name: 'This shift',
    says: 'The current shift on a time axis, and how machines spent it.',
    size: { w: 6, h: 4 },
    least: { w: 4, h: 4 },
    settings: ['machines'],
  },
  day: {
    name: 'Summary of the day',
    says: 'What happened today or yesterday, in sentences.',
    size: { w: 6, h: 6 },
    least: { w: 5, h: 4 },
    settings: ['day'],
  },
  camera: {
    name: 'Camera',
    says: 'The newest picture of a camera with its age.',
    size: { w: 4, h: 3 },
    least: { w: 3, h: 3 },
    settings: ['camera', 'age'],
  },
  text: {
    name: 'Notice',
    says: 'A text that you write.',
    size: { w: 4, h: 2 },
    least: { w: 3, h: 1 },
    settings: ['text'],
  },
  qr: {
    name: 'QR code',
    says: 'A code for phones: of an address, or of a board.',
    size: { w: 2, h: 3 },
    least: { w: 2, h: 3 },
    settings: ['code'],
  },
};

export const TILE_TYPES = Object.keys(TILE_KINDS) as TileType[];

/** Returns a kind; that of a type which only a newer version knows has no settings. */
export function kindOf(type: string): TileKind {
  const known: Partial<Record<string, TileKind>> = TILE_KINDS;
  return (
    known[type] ?? {
      name: 'Unknown tile',
      says: 'A newer version wrote this tile. This version does not know it.',
      size: { w: 3, h: 2 },
      least: { w: 1, h: 1 },
      settings: [],
    }
  );
}

/** What a tile is called: its title, or else its kind. */
export const tileName = ({ title, type }: Pick<Widget, 'title' | 'type'>): string =>
  title.trim() === '' ? t(kindOf(type).name) : title;

/** Returns the settings of a new tile. `camera` is the id of the first camera, if there is one. */
export function newTile(
  type: TileType,
  id: string,
  camera: string | undefined,
  address: string,
): Omit<PlacedWidget, 'position'> {
  const query: Partial<Record<TileType, Widget['query']>> = {
    kpi: { aggregate: 'utilization' },
    bar: { signal: 'fuel.level' },
    timeseries: { signal: 'engine.fuel_rate', aggregate: 'sum', window_s: 1_800 },
    camera: camera === undefined ? {} : { device_id: camera },
  };
  const params: Partial<Record<TileType, Widget['params']>> = {
    text: { text: t('Write a notice here.') },
    qr: { text: address },
  };
  return { id, type, title: '', query: query[type] ?? {}, thresholds: [], params: params[type] ?? {} };
}

interface Shared {
  readonly kind: string;
  readonly object_id: string;
}

/** Returns the object whose link a code opens; undefined for a tile that is no code, and for a code of a text. */
export const sharedBy = ({ type, params }: Pick<Widget, 'type' | 'params'>): Shared | undefined =>
  type === 'qr' ? (params.share as Shared | undefined) : undefined;

/** Returns true if an object that codes open was deleted. */
export type IsGone = (shared: Shared) => boolean;

/** Returns why the gateway would refuse the settings of a tile, or null. */
export function problemOf(tile: PlacedWidget, isGone: IsGone): string | null {
  const { type, query, params, thresholds } = tile;
  const share = sharedBy(tile);
  if (share !== undefined && isGone(share))
    return t('What this code opens is not there any more. Select what it opens.');
  if (type === 'qr' && share === undefined && SECRET.test(String(params.text ?? '')))
    return t(
      'This is a key or a link for screens, which a code may not contain. Select the board under "The code opens".',
    );
  if (thresholds.some(({ at }) => !Number.isFinite(at))) return t('A limit needs a number.');
  if (type === 'camera' && query.device_id === undefined) return t('Select a camera.');
  if (type === 'bar' && query.signal === undefined) return t('Select a value.');
  if (type === 'qr' && params.share === undefined && String(params.text ?? '').trim() === '')
    return t('Type what the code contains.');
  return null;
}

/** Aggregates that need no value of machines. */
const COUNTS: ReadonlySet<string> = new Set(['utilization', 'count_running', 'count_reporting', ...SITE_AGGREGATES]);

/** How a tile makes its numbers of several machines. Empty: a value of one machine, or a line for each machine. */
export type How = NonNullable<Widget['query']['aggregate']> | '';

/** Returns how a screen makes the numbers of a tile, which is not always what its query says. */
export function howOf({ type, query }: Pick<Widget, 'type' | 'query'>): How {
  const { aggregate, equipment_id, signal, signals = [] } = query;
  const isCount = COUNTS.has(aggregate ?? '');
  if (type === 'timeseries') {
    if (aggregate !== undefined && !isCount) return aggregate;
    const values = new Set([signal, ...signals].filter((name) => name !== undefined));
    return values.size > 1 && equipment_id === undefined ? 'avg' : '';
  }
  if (isCount && aggregate !== undefined) return aggregate;
  if (signal === undefined) return 'count_reporting';
  return aggregate ?? (equipment_id === undefined ? 'avg' : '');
}

/** Returns true if a tile counts machines and shows no value of them. */
export const countsMachines = (tile: Pick<Widget, 'type' | 'query'>): boolean =>
  tile.type === 'kpi' && COUNTS.has(howOf(tile));

/** Returns true if a tile is smaller than the smallest size at which it is useful. */
export const isSmall = ({ type, position: { w, h } }: PlacedWidget): boolean =>
  w < kindOf(type).least.w || h < kindOf(type).least.h;
