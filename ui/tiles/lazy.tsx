/** Tiles with code that is loaded only when a board has such a tile. So they do not delay the first picture of other boards. */
import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { BoardView, WidgetData } from '#contract/site/live.ts';
import type { Data, Kind, TileProps } from './tile-props.ts';

type Tile = FunctionComponent<TileProps<Kind>>;

/** Small tiles are one file together, because each file has parts that do not compress with those of the others: one of them exports the others. */
const LOADERS: { readonly [K in Kind]: () => Promise<FunctionComponent<TileProps<K>>> } = {
  kpi: () => import('./kpi.tsx').then((one) => one.Kpi),
  timeseries: () => import('./trend.tsx').then((one) => one.Trend),
  machine_list: () => import('./machine-list.tsx').then((one) => one.MachineList),
  bar: () => import('./machine-list.tsx').then((one) => one.Bars),
  map: () => import('./map.tsx').then((one) => one.SiteMap),
  ticket_board: () => import('./alert-feed.tsx').then((one) => one.Tickets),
  alert_feed: () => import('./alert-feed.tsx').then((one) => one.AlertFeed),
  shift_progress: () => import('./kpi.tsx').then((one) => one.Shift),
  camera: () => import('./text.tsx').then((one) => one.Camera),
  media: () => import('./text.tsx').then((one) => one.Media),
  day: () => import('./text.tsx').then((one) => one.Day),
  text: () => import('./text.tsx').then((one) => one.Text),
  qr: () => import('./text.tsx').then((one) => one.Qr),
};
const loaded = new Map<Kind, Tile>();

/** Returns true for a widget with a tile that is loaded on demand. */
export function isLazy(data: WidgetData): data is Data<Kind> {
  return data.type in LOADERS;
}

async function load(kind: Kind): Promise<Tile> {
  const tile = loaded.get(kind) ?? ((await LOADERS[kind]()) as Tile);
  loaded.set(kind, tile);
  return tile;
}

/** Loads the code of the tiles on these boards in advance, so that the next board can be drawn at once, even if the gateway has stopped. */
export function loadAhead(boards: readonly BoardView[]): void {
  for (const { widgets } of boards)
    for (const { data } of widgets) if (isLazy(data)) void load(data.type).catch(() => undefined);
}

export function Lazy(props: TileProps<Kind> & { readonly onReady: () => void }) {
  const kind = props.data.type;
  const [tile, setTile] = useState(() => loaded.get(kind));
  useEffect(() => {
    let gone = false;
    // If loading fails, this board does not become ready. The screen then skips the board, and tries to load its tiles again when the
    // rotation comes back to the board.
    load(kind).then(
      (found) => {
        if (!gone) setTile(() => found);
      },
      () => undefined,
    );
    return () => {
      gone = true;
    };
  }, [kind]);
  useEffect(() => {
    if (tile !== undefined) props.onReady();
  }, [tile]);
  const Drawn = tile;
  return Drawn === undefined ? <section class="panel" /> : <Drawn {...props} />;
}
