/** Two projects with one of everything: what requests of the one must never see or change of the other. */
import { type Client, createClient } from '#contract/client.ts';
import { addMachine, eventually, type TestGateway } from '#test/support/gateway.ts';

/** Stands in every name of the project that strangers must not see. */
export const CANARY = 'canary7f3e';

export interface Seeded {
  readonly project_id: string;
  readonly client: Client;
  /** Ids of what was made. */
  readonly ids: readonly string[];
  /** A device key of the project, as its device holds it. */
  readonly deviceKey: string;
  /** What there is in the project, at which revision. */
  read(): Promise<string>;
}

/** Makes a project with one of everything in it. */
export async function seedProject(gateway: TestGateway, word: string): Promise<Seeded> {
  const { project } = await gateway.client.call('projects_create', { name: `Site ${word}`, prompt: word });
  const client = gateway.project(project.id);
  const name = `Thing ${word}`;
  const made: { id: string }[] = [];
  const keep = async <T extends { id: string }>(call: Promise<T>): Promise<T> => {
    const one = await call;
    made.push(one);
    return one;
  };
  const logger = await addMachine(client, `HT-${word}`);
  await client.call('devices_telemetry', { id: logger.device, points: [{ values: { 'engine.hours': 12 } }] });
  const location = await keep(client.call('locations_create', { name, kind: 'pit' }));
  const operator = await keep(client.call('operators_create', { name }));
  const mechanic = await keep(client.call('mechanics_create', { name }));
  const machine = await keep(
    client.call('equipment_create', { unit_number: `EX-${word}`, name, location_id: location.id }),
  );
  const board = await keep(client.call('dashboards_create', { name }));
  await keep(client.call('playlists_create', { name, items: [{ dashboard_id: board.id }] }));
  await keep(client.call('repair_tickets_create', { title: name, equipment_id: machine.id }));
  await keep(client.call('custom_actions_create', { label: name, emoji: '🔧', prompt: word }));
  await client.call('equipment_append_event', { id: machine.id, type: 'note', data: { text: word } });
  await keep(client.call('devices_create', { name, serial: `SN-${word}-2`, kind: 'generic' }));
  const preference = await client.call('preferences_get', { id: project.id });
  await keep(
    client.call('alert_rules_create', {
      name,
      signal: 'engine.coolant_temperature',
      op: 'gt',
      value: 105,
      severity: 'warning',
    }),
  );
  const tasks = await eventually(
    () => client.call('tasks_list', {}),
    ({ data }) => data.length > 0,
  );
  const all = async () => {
    const lists = await Promise.all([
      client.call('equipment_list', { limit: 200 }),
      client.call('locations_list', { limit: 200 }),
      client.call('operators_list', { limit: 200 }),
      client.call('mechanics_list', { limit: 200 }),
      client.call('dashboards_list', { limit: 200 }),
      client.call('playlists_list', { limit: 200 }),
      client.call('repair_tickets_list', { limit: 200 }),
      client.call('custom_actions_list', { limit: 200 }),
      client.call('alert_rules_list', { limit: 200 }),
      client.call('audit_list', { limit: 200 }),
    ]);
    // What moves by itself with time is left out.
    return JSON.stringify(
      lists.map(({ data }) => data.map((one) => [one.id, 'revision' in one ? one.revision : null])),
    );
  };
  return {
    project_id: project.id,
    client,
    ids: [
      project.id,
      logger.device,
      logger.equipment_id,
      operator.id,
      mechanic.id,
      preference.id,
      ...tasks.data.map(({ id }) => id),
      ...made.map(({ id }) => id),
    ],
    deviceKey: logger.key,
    read: all,
  };
}

/** A key of this role for one project alone. */
export async function keyFor(gateway: TestGateway, project_id: string, role: 'admin' | 'viewer' | 'operator') {
  const { secret } = await gateway.client.call('keys_create', { role, project_ids: [project_id] });
  return { secret, client: createClient({ base_url: gateway.node.http, key: secret, project_id }) };
}
