/** Creates the project, machines and devices of a simulated site with the REST API. It does not change existing records. */
import { setTimeout } from 'node:timers/promises';
import type { Client } from '#contract/client.ts';
import type { Input } from '#contract/operations.ts';
import type { Control } from '#settings/control-file.ts';
import { fenceOf, GROUNDS } from '#simulator/ground.ts';
import { machineType, type RosterRow } from '#simulator/machines.ts';
import { controlClient } from './control.ts';

/** A machine, and the device_id and key with which its simulated logger connects to the broker. */
export interface SimulatedMachine {
  readonly unit: string;
  readonly equipment_id: string;
  readonly device_id: string;
  readonly key: string;
  readonly host: string;
}

export interface SimulatedSite {
  /** Name of the project that the simulated site uses. */
  readonly project: string;
  /** IANA time zone of the project. */
  readonly timezone: string;
  /** A description from which the gateway sets up the site: its machines, shifts and screens. */
  readonly prompt?: string;
  /** Prefix of the device_ids of the simulated loggers. */
  readonly devices: string;
  /** Returns since when a machine that a description made stands still; undefined if that is not known. */
  readonly standsSince?: (unit: string) => string | undefined;
}

/** What a simulated site is made of; `location_id`: its ground, if it has one. */
interface SiteMade {
  readonly project_id: string;
  readonly client: Client;
  readonly machines: readonly SimulatedMachine[];
  readonly location_id: string | undefined;
}

/** Creates the project, the machines, and a linked device for each machine. Each call gives new keys to the devices. */
export async function setUpSite(
  control: Control,
  roster: readonly RosterRow[],
  site: SimulatedSite,
): Promise<SiteMade> {
  const project_id = await projectOf(controlClient(control), site);
  const client = controlClient(control, project_id);
  const host = new URL(control.http).hostname;
  const known = new Map(
    (await client.call('equipment_list', { limit: 200 })).data.map(({ unit_number, id, serial_number }) => [
      unit_number,
      // The setup made the machine from the description, which says nothing of its serial number.
      { id, made: site.prompt !== undefined && serial_number === null },
    ]),
  );
  const location_id = (await client.call('locations_list', { limit: 1, order: 'asc' })).data[0]?.id;
  const machines = await Promise.all(
    roster.map(async (row) => {
      const there = known.get(row.unit);
      const data = officeData(row, site.devices, location_id);
      const status_since = row.status === 'in_use' ? undefined : site.standsSince?.(row.unit);
      if (there?.made === true)
        await client.call('equipment_update', { id: there.id, ...data, ...(status_since && { status_since }) });
      const { id: equipment_id } =
        there ?? (await client.call('equipment_create', { unit_number: row.unit, kind: row.kind, ...data }));
      return { ...(await connectionOf(client, row, equipment_id, site.devices)), unit: row.unit, equipment_id, host };
    }),
  );
  return { project_id, client, machines, location_id };
}

async function projectOf(client: Client, { project: name, timezone, prompt }: SimulatedSite): Promise<string> {
  const { data } = await client.call('projects_list', { limit: 200 });
  const there = data.find((project) => project.simulated && project.name === name);
  if (there !== undefined) return there.id;
  const described = prompt === undefined ? {} : { prompt, setup: true };
  const { project, setup } = await client.call('projects_create', {
    ...{ name, timezone, simulated: true, working_target_percent: TARGET_PERCENT, ...described },
  });
  if (setup !== undefined) await setupEnd(client, project.id, setup.task.id);
  await showGround(client, project.id);
  await showDays(client, project.id);
  return project.id;
}

/** The target of a simulated site, so that its screens show how they compare with one. */
const TARGET_PERCENT = 60;
/** How often the command asks whether the setup has ended, and how often at most. */
const ASK_MS = 50;
const MOST_ASKED = 1_200;

/** Waits until the setup has ended. What it did not make is made by this command. */
async function setupEnd(client: Client, project_id: string, task_id: string): Promise<void> {
  for (let asked = 0; asked < MOST_ASKED; asked++) {
    const { run } = await client.call('tasks_get', { task_id }, { project_id });
    if (run?.terminal_event_count === 1) return;
    await setTimeout(ASK_MS);
  }
}

/** Creates the geofences of the simulated quarry, and a board that shows the machines in them as the second page of the playlist. */
async function showGround(client: Client, project_id: string): Promise<void> {
  const project = { project_id };
  let parent_id: string | undefined;
  for (const { name, code, kind, corners } of GROUNDS) {
    const fence = { name, code, kind, geofence: fenceOf(corners), ...(parent_id && { parent_id }) };
    const made = await client.call('locations_create', fence, project);
    parent_id ??= made.id;
  }
  const widgets = [{ type: 'map', position: { x: 0, y: 0, w: 12, h: 6 } }] as const;
  const description = 'Machines on a map of the site, and those in trouble beside it.';
  await addPage(client, project_id, { name: 'Where they are', description, widgets: [...widgets] }, 1);
}

/** Creates a board with what managers ask for, and shows it as the third page of the playlist. */
async function showDays(client: Client, project_id: string): Promise<void> {
  const widgets = [
    { type: 'day', position: { x: 0, y: 0, w: 6, h: 6 } },
    { type: 'day', position: { x: 6, y: 0, w: 6, h: 6 }, params: { day: 'yesterday' } },
  ] as const;
  const description = 'Work, fuel, alerts and repairs of today and of yesterday, in sentences.';
  await addPage(client, project_id, { name: 'Today and yesterday', description, widgets: [...widgets] }, 2);
}

/** Creates a board, and shows it as one of the pages of the first playlist. */
async function addPage(
  client: Client,
  project_id: string,
  board: Input<'dashboards_create'>,
  at: number,
): Promise<void> {
  const project = { project_id };
  const { id: dashboard_id } = await client.call('dashboards_create', board, project);
  const [playlist] = (await client.call('playlists_list', { limit: 1, order: 'asc' }, project)).data;
  if (playlist === undefined) return;
  // The playlist of a new project has only boards.
  const boards = playlist.items.flatMap(({ id, dashboard_id }) =>
    dashboard_id === undefined ? [] : [{ id, dashboard_id }],
  );
  const items = boards.toSpliced(at, 0, { id: undefined, dashboard_id });
  await client.call('playlists_update', { id: playlist.id, items }, project);
}

/** What the office knows of a simulated machine besides its unit number and kind. */
function officeData(row: RosterRow, devices: string, location_id: string | undefined) {
  return {
    name: row.name,
    model: machineType(row.kind).model,
    oem_name: 'Simulated',
    serial_number: `${devices}${row.unit.toLowerCase()}`,
    year: row.year,
    status: row.status,
    labels: { simulated: 'true' },
    ...(location_id && { location_id }),
  };
}

async function connectionOf(
  client: Client,
  row: RosterRow,
  equipment_id: string,
  devices: string,
): Promise<Pick<SimulatedMachine, 'device_id' | 'key'>> {
  const device_id = `${devices}${row.unit.toLowerCase()}`;
  const { device, credential } = await client.call('devices_provision', {
    serial: device_id,
    device_id,
    name: `Logger of ${row.unit} (simulated)`,
    kind: 'can_logger',
    equipment_id,
  });
  if (credential.key === null) throw new Error(`the gateway returned no key for ${device_id}`);
  return { device_id: device.device_id, key: credential.key };
}

/** Returns the TV link of the oldest playlist; null when there is no playlist. */
export async function shareOf(client: Client): Promise<string | null> {
  const { data } = await client.call('playlists_list', { limit: 1, order: 'asc' });
  const [playlist] = data;
  if (playlist === undefined) return null;
  return (await client.call('display_shares', { kind: 'playlist', object_id: playlist.id })).url;
}
