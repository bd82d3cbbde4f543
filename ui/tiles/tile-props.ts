/** The properties of the tiles of a board. */
import type { WidgetData } from '#contract/site/live.ts';
import type { Size } from '#ui/text/measure.ts';
import type { Moment } from './ageing.ts';

/** Loads a picture. Resolves with a URL that an img element can show; rejects if the picture is not available. */
export type Pictures = (artifact_id: string) => Promise<string>;

/** The widget types with tiles that are loaded on demand. */
export type Kind = Exclude<WidgetData['type'], 'status_board'>;
/** The data of a widget with a tile that is loaded on demand. */
export type Data<K extends Kind> = Extract<WidgetData, { type: K }>;

/** The properties of a tile that is loaded on demand. */
export interface TileProps<K extends Kind> {
  readonly data: Data<K>;
  readonly title: string;
  readonly at: Moment;
  readonly timezone: string;
  readonly size: Size;
  /** Number of pixels of one u (1 u is a hundredth of the screen height). */
  readonly u: number;
  readonly page: number;
  readonly pictures: Pictures;
  /** The id of the most urgent machine. */
  readonly first: string | null;
}
