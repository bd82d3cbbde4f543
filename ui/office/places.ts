/** The places of the office: its pages, and the parts of a page that have an address of their own. */
import type { OperationName } from '#contract/operations.ts';
import type { Word } from '#ui/languages/texts.ts';

/** The pages by group: name in the URL, title, and the operation that a person must be allowed to call to see the page. */
export const GROUPS = [
  [
    'Machines',
    [
      ['now', 'Now', 'equipment_list'],
      ['machines', 'Machines', 'equipment_list'],
      ['map', 'Map', 'locations_list'],
      ['alerts', 'Alerts', 'alerts_list'],
      ['tickets', 'Repairs', 'repair_tickets_list'],
    ],
  ],
  [
    'Work',
    [
      ['shifts', 'Shifts', 'shift_reports_list'],
      ['inspections', 'Inspections', 'inspections_list'],
      ['maintenance', 'Maintenance', 'maintenance_plans_list'],
      ['people', 'People', 'operators_list'],
    ],
  ],
  [
    'Data',
    [
      ['devices', 'Devices', 'devices_list'],
      ['bus', 'Bus', 'devices_bus_get'],
      ['dbc', 'DBC files', 'dbc_import'],
    ],
  ],
  [
    'Site',
    [
      ['screens', 'Screens', 'display_shares'],
      ['site', 'Site', 'projects_update'],
      ['agent', 'Agent', 'review_configuration_get'],
      ['head-office', 'Head office', 'sync_status'],
      ['all-machines', 'Machines of all sites', 'fleet_equipment_list'],
      ['all-repairs', 'Repairs of all sites', 'fleet_repair_tickets_list'],
      ['all-alerts', 'Alerts of all sites', 'fleet_alerts_list'],
      ['conflicts', 'Conflicts', 'sync_conflicts_list'],
      ['health', 'Health', 'health_get'],
      ['encryption', 'Encryption', 'listeners_list'],
    ],
  ],
  [
    'Access',
    [
      ['users', 'Users', 'users_list'],
      ['tablets', 'Tablets', 'tablets_list'],
      ['keys', 'Keys', 'keys_list'],
      ['connect', 'Connect', 'devices_provision'],
      ['account', 'My account', 'session_get'],
    ],
  ],
] as const satisfies readonly (readonly [
  group: Word,
  pages: readonly (readonly [page: string, title: Word, operation: OperationName])[],
])[];

/**
 * Every address of the office, without the `#`. A part that begins with a colon stands for the rest of the address. A page or a part of a
 * page that is not in this list does not open.
 */
export const PLACES = [
  'now',
  'machines',
  'machines/:machine',
  'story/:story',
  'map',
  'alerts',
  'alerts/:machine',
  'alerts/rules',
  'alerts/rules/new',
  'alerts/rules/:rule',
  'tickets',
  'tickets/machine/:machine',
  'tickets/new',
  'tickets/new/:from',
  'tickets/:ticket',
  'shifts',
  'shifts/:report',
  'inspections',
  'inspections/new/:machine',
  'inspections/:inspection',
  'maintenance',
  'maintenance/:machine',
  'people',
  'people/:roster',
  'devices',
  'devices/:device',
  'bus',
  'bus/:device',
  'dbc',
  'dbc/:file',
  'screens',
  'screens/new',
  'screens/boards/:board',
  'screens/playlists/:playlist',
  'site',
  'setup',
  'agent',
  'agent/:task',
  'head-office',
  'all-machines',
  'all-repairs',
  'all-alerts',
  'conflicts',
  'health',
  'encryption',
  'users',
  'tablets',
  'keys',
  'connect',
  'account',
  'outbox',
] as const;

export type Place = (typeof PLACES)[number];

/** Returns true if the address has the form of the place. */
function fits(place: Place, address: string): boolean {
  const colon = place.indexOf(':');
  return colon < 0 ? address === place : address.length > colon && address.startsWith(place.slice(0, colon));
}

/** Returns the place of an address: of the places whose form it has, the most exact one. */
export function placeOf(address: string, places: readonly Place[]): Place | undefined {
  const exactness = (place: Place) => (place.includes(':') ? place.indexOf(':') : place.length + 1);
  return places
    .filter((place) => fits(place, address))
    .reduce<Place | undefined>(
      (best, place) => (best === undefined || exactness(place) > exactness(best) ? place : best),
      undefined,
    );
}

/** Returns the address that opens: the longest beginning of the asked one that is an address, or else that of the page Machines. */
export function addressOf(asked: string, places: readonly Place[]): string {
  let at = asked;
  while (at !== '' && placeOf(at, places) === undefined) at = at.slice(0, Math.max(0, at.lastIndexOf('/')));
  return at || 'machines';
}
