/** The state of a project as people see it, as one text, to compare two ends. */
import { canonicalJson } from '#contract/base/canonical-json.ts';
import type { Client } from '#contract/client.ts';

/** Fields that each end has for itself. */
const OWN: ReadonlySet<string> = new Set(['revision', 'updated_at', 'context', 'history_from', 'replication']);

function shown(record: object): unknown {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !OWN.has(name)));
}

/** Records of all kinds that people write, the conflicts, the log of a machine, and its newest hours. */
export async function digestOf(client: Client, machine: string): Promise<string> {
  const page = { limit: 200, order: 'asc' } as const;
  const machines = (await client.call('equipment_list', page)).data.map(
    ({ id, unit_number, name, status, labels, operator_id, location_id }) => ({
      ...{ id, unit_number, name, status, labels, operator_id, location_id },
    }),
  );
  const tickets = (await client.call('repair_tickets_list', page)).data.map(shown);
  const boards = (await client.call('dashboards_list', page)).data.map(shown);
  const conflicts = (await client.call('sync_conflicts_list', {})).data.map(({ record, path, kind, values }) => ({
    ...{ id: record.id, path, kind },
    values: values.map(({ id }) => id).sort(),
  }));
  const events = (await client.call('equipment_events', { id: machine, limit: 200 })).data.map(({ id }) => id).sort();
  const { meters } = await client.call('equipment_get', { id: machine });
  const hours = meters.map(({ kind, value }) => ({ kind, value }));
  return canonicalJson({
    ...{ machines, tickets, boards, events, hours },
    conflicts: conflicts.map(canonicalJson).sort(),
  });
}
