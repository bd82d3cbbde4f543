/** The properties of the tiles of a board. */
import type { WidgetData } from '#contract/site/live.ts';
import type { Moment } from './ageing.ts';
import type { Size } from './measure.ts';

/** The address under which a picture can be drawn; rejects when it cannot be had. */
export type Pictures = (artifact_id: string) => Promise<string>;

/** Widgets whose tile is loaded when a board has one. */
export type Kind = Exclude<WidgetData['type'], 'status_board' | 'kpi' | 'timeseries'>;
/** What such a widget shows. */
export type Data<K extends Kind> = Extract<WidgetData, { type: K }>;

/** What such a tile is given. */
export interface TileProps<K extends Kind> {
  readonly data: Data<K>;
  readonly title: string;
  readonly at: Moment;
  readonly timezone: string;
  readonly size: Size;
  /** Pixels of one u. */
  readonly u: number;
  readonly page: number;
  readonly pictures: Pictures;
  /** The machine that needs people most. */
  readonly first: string | null;
}
