/** The state of a project as people see it, as one text, to compare two ends. */
import { canonicalJson } from '#contract/base/canonical-json.ts';
import type { Client } from '#contract/client.ts';

/** Fields that each end has for itself. */
const OWN: ReadonlySet<string> = new Set(['revision', 'updated_at', 'context', 'history_from', 'replication']);

/** The values that only a newer version knows. The other end shows them as unknown. */
const NEWER = /"(?:parked|on_leave|wipe|urgent|gauge)"/g;

const shown = (record: object): object => Object.fromEntries(Object.entries(record).filter(([name]) => !OWN.has(name)));

/** All tasks with their runs and transcripts. */
async function tasksOf(client: Client): Promise<unknown[]> {
  const { data } = await client.call('tasks_list', { limit: 200, order: 'asc' });
  return Promise.all(
    data.map(async (task) => {
      const runs = await client.call('tasks_runs', { task_id: task.id, limit: 200, order: 'asc' });
      const messages = await client.call('tasks_messages', { task_id: task.id, limit: 200 });
      return { ...shown(task), run: null, runs: runs.data.map(shown), messages: messages.data.map(shown) };
    }),
  );
}

/** Records of all kinds that people write, the conflicts, the log of a machine, and its newest hours. */
export async function digestOf(client: Client, machine: string): Promise<string> {
  const page = { limit: 200, order: 'asc' } as const;
  const machines = (await client.call('equipment_list', page)).data.map(
    ({ id, unit_number, name, status, labels, aliases, operator_id, location_id }) => ({
      ...{ id, unit_number, name, status, labels, aliases, operator_id, location_id },
    }),
  );
  const tickets = (await client.call('repair_tickets_list', page)).data.map(shown);
  const boards = (await client.call('dashboards_list', page)).data.map(shown);
  const playlists = (await client.call('playlists_list', page)).data.map(shown);
  const people = [
    ...(await client.call('operators_list', page)).data.map(shown),
    ...(await client.call('mechanics_list', page)).data.map(shown),
  ];
  const tasks = await tasksOf(client);
  const conflicts = (await client.call('sync_conflicts_list', {})).data.map(({ record, path, kind, values }) => ({
    ...{ id: record.id, path, kind },
    values: values.map(({ id }) => id).sort(),
  }));
  const events = (await client.call('equipment_events', { id: machine, limit: 200 })).data.map(({ id }) => id).sort();
  const { meters } = await client.call('equipment_get', { id: machine });
  const hours = meters.map(({ kind, value }) => ({ kind, value }));
  const state = canonicalJson({
    ...{ machines, tickets, boards, playlists, people, tasks, events, hours },
    conflicts: conflicts.map(canonicalJson).sort(),
  });
  return state.replaceAll(NEWER, '"unknown"');
}
