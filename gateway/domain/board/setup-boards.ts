/** The boards that a setup makes: one for each screen that the description asks for, or one overview of the site. */

import { TOPIC_LIMITS } from '#contract/base/names.ts';
import { LOW_FUEL } from '#contract/board-templates.ts';
import type { DashboardData } from '#contract/site/board.ts';
import type { Widget } from '#contract/site/widget.ts';

type Tile = Pick<Widget, 'type' | 'title'> & Partial<Pick<Widget, 'query' | 'thresholds'>>;

/** For each topic that a description can ask for: its words, and the widget that shows it. */
const TOPICS: Readonly<Record<string, { readonly words: string; readonly tile: Tile } | undefined>> = {
  status: { words: 'machine status', tile: { type: 'status_board', title: 'Machines' } },
  machines: { words: 'list of machines', tile: { type: 'machine_list', title: 'Machines' } },
  map: { words: 'map', tile: { type: 'map', title: 'Where the machines are' } },
  tickets: { words: 'open repairs', tile: { type: 'ticket_board', title: 'Open repairs' } },
  alerts: { words: 'alerts', tile: { type: 'alert_feed', title: 'Alerts' } },
  shift: { words: 'current shift', tile: { type: 'shift_progress', title: 'This shift' } },
  fuel: {
    words: 'fuel',
    tile: { type: 'bar', title: 'Fuel in the tank', query: { signal: 'fuel.level' }, thresholds: LOW_FUEL },
  },
  hours: { words: 'engine hours', tile: { type: 'bar', title: 'Engine hours', query: { signal: 'engine.hours' } } },
  utilization: {
    words: 'utilization',
    tile: { type: 'kpi', title: 'Running now', query: { aggregate: 'utilization' } },
  },
  trend: {
    words: 'trend',
    tile: {
      type: 'timeseries',
      title: 'Fuel rate, whole site',
      query: { signal: 'engine.fuel_rate', aggregate: 'sum', window_s: 1_800 },
    },
  },
};

type Position = Widget['position'];
const at = (x: number, y: number, w: number, h: number): Position => ({ x, y, w, h });
/** How one to four tiles share the grid of 12 by 6. */
const LAYOUTS: readonly (readonly Position[])[] = [
  [],
  [at(0, 0, 12, 6)],
  [at(0, 0, 7, 6), at(7, 0, 5, 6)],
  [at(0, 0, 7, 6), at(7, 0, 5, 3), at(7, 3, 5, 3)],
  [at(0, 0, 6, 3), at(6, 0, 6, 3), at(0, 3, 6, 3), at(6, 3, 6, 3)],
];
const OVERVIEW = ['status', 'alerts', 'tickets'];

export interface SetupBoard {
  readonly data: DashboardData;
  /** Topics that the board does not show: no widget shows them without a choice of a person, or there is no room. */
  readonly left: readonly string[];
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Makes the board of one screen. `place` is where the screen hangs, in the words of the text. */
export function setupBoard(place: string | null, topics: readonly string[]): SetupBoard {
  const known = topics.filter((topic) => TOPICS[topic] !== undefined);
  const shown = known.slice(0, TOPIC_LIMITS.most);
  const words = shown.map((topic) => TOPICS[topic]?.words ?? topic).join(', ');
  const name = capital(place === null ? words : `${place}: ${words}`).slice(0, 120);
  const widgets = shown.flatMap((topic, i): Widget[] => {
    const tile = TOPICS[topic]?.tile;
    const position = LAYOUTS[shown.length]?.[i];
    return tile === undefined || position === undefined
      ? []
      : [{ id: topic, query: {}, thresholds: [], params: {}, ...tile, position }];
  });
  const data: DashboardData = { name, description: 'Made by the setup.', audience: 'tv', theme: 'tv-dark', widgets };
  return { data, left: topics.filter((topic) => !shown.includes(topic)) };
}

/** Makes the board of a site whose description asks for no screen. */
export function overviewBoard(): SetupBoard {
  const board = setupBoard(null, OVERVIEW);
  return { ...board, data: { ...board.data, name: 'Site overview' } };
}
