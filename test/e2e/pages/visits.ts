/** The addresses at which each place of the office is opened. The compiler refuses a place of the office that is missing here. */
import type { Client } from '#contract/client.ts';
import type { Place } from '#ui/office/places.ts';

/** An address of the office without the `#`, with the name under which findings are reported. */
export interface Visit {
  readonly name: string;
  readonly hash: string;
}

/** Returns addresses of each place, with records of the site; a place without a record in this site gets an id that does not exist. */
export async function visitsOf(client: Client): Promise<Visit[]> {
  /** Returns the id of the first record; an id that does not exist if there is none, or if this node does not serve the list. */
  const first = (list: Promise<{ data: readonly { id: string }[] }>) =>
    list.then(
      ({ data }) => data[0]?.id ?? 'none',
      () => 'none',
    );
  const { data: machines } = await client.call('equipment_list', { limit: 200 });
  const { data: alerts } = await client.call('alerts_list', { state: 'active' });
  const troubled = alerts.find(({ machine_id }) => machine_id !== null)?.machine_id ?? machines[0]?.id ?? 'none';
  const silent = machines.find(({ unit_number }) => unit_number === 'LD-2')?.id;
  const { data: devices } = await client.call('devices_list', { limit: 200 });
  const logger = devices.find(({ equipment_id }) => equipment_id === troubled)?.id ?? devices[0]?.id ?? 'none';
  const { data: tickets } = await client.call('repair_tickets_list', { limit: 50 });
  const byPlace: Readonly<Record<Place, readonly string[]>> = {
    now: ['now'],
    machines: ['machines'],
    'machines/:machine': [`machines/${troubled}`],
    'story/:story': [
      `story/${troubled}`,
      `story/${troubled}/day`,
      ...(silent === undefined ? [] : [`story/${silent}/shift/engine.speed`]),
    ],
    map: ['map'],
    alerts: ['alerts'],
    'alerts/:machine': [`alerts/${troubled}`],
    'alerts/rules': ['alerts/rules'],
    'alerts/rules/new': ['alerts/rules/new'],
    'alerts/rules/:rule': [`alerts/rules/${await first(client.call('alert_rules_list', {}))}`],
    tickets: ['tickets'],
    'tickets/machine/:machine': [`tickets/machine/${troubled}`],
    'tickets/new': ['tickets/new'],
    'tickets/new/:from': [`tickets/new/${alerts[0]?.id ?? troubled}`],
    'tickets/:ticket': [
      ...new Set([tickets[0]?.id ?? 'none', tickets.find((one) => one.status === 'on_hold')?.id ?? 'none']),
    ].map((id) => `tickets/${id}`),
    shifts: ['shifts'],
    'shifts/:report': [`shifts/${await first(client.call('shift_reports_list', {}))}`],
    inspections: ['inspections'],
    'inspections/new/:machine': [`inspections/new/${troubled}`],
    'inspections/:inspection': [`inspections/${await first(client.call('inspections_list', {}))}`],
    maintenance: ['maintenance'],
    'maintenance/:machine': [`maintenance/${troubled}`],
    people: ['people'],
    'people/:roster': ['people/mechanics'],
    devices: ['devices'],
    'devices/:device': [`devices/${logger}`],
    bus: ['bus'],
    'bus/:device': [`bus/${logger}`],
    dbc: ['dbc'],
    'dbc/:file': [`dbc/${await first(client.call('dbc_list', {}))}`],
    screens: ['screens', 'pair=7KQ-2MD'],
    'screens/new': ['screens/new'],
    'screens/boards/:board': [`screens/boards/${await first(client.call('dashboards_list', {}))}`],
    'screens/playlists/:playlist': [`screens/playlists/${await first(client.call('playlists_list', {}))}`],
    site: ['site'],
    setup: ['setup'],
    agent: ['agent'],
    'agent/:task': [`agent/${await first(client.call('tasks_list', { kind: 'setup' }))}`, 'agent/none'],
    'head-office': ['head-office'],
    'all-machines': ['all-machines'],
    'all-repairs': ['all-repairs'],
    'all-alerts': ['all-alerts'],
    conflicts: ['conflicts'],
    health: ['health'],
    encryption: ['encryption'],
    users: ['users'],
    tablets: ['tablets'],
    keys: ['keys'],
    connect: ['connect'],
    account: ['account'],
    outbox: ['outbox'],
  };
  return Object.entries(byPlace).flatMap(([place, hashes]) =>
    hashes.map((hash, i) => ({ name: i === 0 ? place : `${place} ${i + 1}`, hash })),
  );
}
