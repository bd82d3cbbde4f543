/**
 * The boards of a new project, so that a TV shows something useful before anybody has edited a board. The office offers them as templates
 * of new boards.
 */
import { type DashboardData, PLAYLIST_DEFAULTS, type PlaylistData } from '#contract/site/board.ts';
import type { Widget } from '#contract/site/widget.ts';

type Position = Widget['position'];

function at(x: number, y: number, w: number, h: number): Position {
  return { x, y, w, h };
}

function widget(id: string, type: Widget['type'], title: string, position: Position, more: Partial<Widget> = {}) {
  return { id, type, title, query: {}, thresholds: [], params: {}, position, ...more };
}

const COOLANT_HOT = [
  { at: 100, level: 'warning' as const, below: false },
  { at: 107, level: 'critical' as const, below: false },
];
/** The limit and the level of the built-in reason of a low tank ([V36]), so that a tile and the ranking say the same. */
export const LOW_FUEL = [{ at: 10, level: 'warning' as const, below: true }];

/** The boards that the gateway creates with a project, in the order in which the TV shows them. Widget ids are unique within a board. */
export const BOARD_TEMPLATES: readonly DashboardData[] = [
  {
    name: 'Fleet now',
    description: 'The machines in trouble, and the state of every machine.',
    audience: 'tv',
    theme: 'tv-dark',
    widgets: [widget('machines', 'status_board', '', at(0, 0, 12, 6), { query: { signal: 'engine.fuel_rate' } })],
  },
  {
    name: 'Trends',
    description: 'The fuel rate of the site and the highest coolant temperature, over the last half hour.',
    audience: 'tv',
    theme: 'tv-dark',
    widgets: [
      widget('fuel-trend', 'timeseries', 'Fuel rate, whole site', at(0, 0, 9, 3), {
        query: { signal: 'engine.fuel_rate', aggregate: 'sum', window_s: 1800 },
      }),
      widget('coolant-trend', 'timeseries', 'Coolant, hottest machine', at(0, 3, 9, 3), {
        query: { signal: 'engine.coolant_temperature', aggregate: 'max', window_s: 1800 },
        thresholds: COOLANT_HOT,
      }),
      widget('running', 'kpi', 'Running now', at(9, 0, 3, 2), { query: { aggregate: 'utilization' } }),
      widget('fuel-rate', 'kpi', 'Fuel rate', at(9, 2, 3, 2), {
        query: { signal: 'engine.fuel_rate', aggregate: 'sum' },
      }),
      widget('coolant', 'kpi', 'Hottest coolant', at(9, 4, 3, 2), {
        query: { signal: 'engine.coolant_temperature', aggregate: 'max' },
        thresholds: COOLANT_HOT,
      }),
    ],
  },
  {
    name: 'Machine numbers',
    description: 'The fuel in the tank of each machine, and the fuel of all machines together.',
    audience: 'tv',
    theme: 'tv-dark',
    widgets: [
      widget('fuel', 'status_board', '', at(0, 0, 9, 6), {
        query: { signal: 'fuel.level', signals: ['engine.hours'] },
        thresholds: LOW_FUEL,
      }),
      widget('lowest-fuel', 'kpi', 'Lowest tank', at(9, 0, 3, 2), {
        query: { signal: 'fuel.level', aggregate: 'min' },
        thresholds: LOW_FUEL,
      }),
      widget('load', 'kpi', 'Engine load', at(9, 2, 3, 2), { query: { signal: 'engine.load', aggregate: 'avg' } }),
      widget('def', 'kpi', 'Lowest DEF', at(9, 4, 3, 2), {
        query: { signal: 'def.level', aggregate: 'min' },
        thresholds: LOW_FUEL,
      }),
    ],
  },
  {
    name: 'This shift',
    description: 'How the machines spent the current shift, against the target, and the longest stoppage.',
    audience: 'tv',
    theme: 'tv-dark',
    widgets: [
      widget('shift', 'shift_progress', '', at(0, 0, 9, 6)),
      widget('working', 'kpi', 'Work in known time', at(9, 0, 3, 2), { query: { aggregate: 'working_in_shift' } }),
      widget('fuel-used', 'kpi', 'Fuel this shift', at(9, 2, 3, 2), { query: { aggregate: 'fuel_in_shift' } }),
      widget('down', 'kpi', 'Longest down this shift', at(9, 4, 3, 2), { query: { aggregate: 'longest_down' } }),
    ],
  },
  {
    name: 'Alerts and repairs',
    description: 'The problems that a person must look at now, and the open repairs.',
    audience: 'tv',
    theme: 'tv-dark',
    widgets: [
      widget('alerts', 'alert_feed', 'Alerts', at(0, 0, 6, 6)),
      widget('repairs', 'ticket_board', 'Repairs', at(6, 0, 6, 4)),
      widget('oldest', 'kpi', 'Oldest open repair', at(6, 4, 3, 2), { query: { aggregate: 'oldest_repair' } }),
      widget('yesterday', 'kpi', 'Worked yesterday', at(9, 4, 3, 2), { query: { aggregate: 'worked_yesterday' } }),
    ],
  },
];

/** Returns the playlist that rotates the dashboards made from the templates. */
export function templatePlaylist(dashboard_ids: readonly string[]): PlaylistData {
  return {
    ...PLAYLIST_DEFAULTS,
    name: 'Office TV',
    default_duration_s: 20,
    items: dashboard_ids.map((dashboard_id, i) => ({ id: `board-${i + 1}`, dashboard_id, enabled: true })),
  };
}
