/**
 * Twenty tasks of a site, done by an agent that may only read `tools/list` and errors (`agent-script.ts`), on the demo site.
 *
 * Run: npm run proof:agent [-- FOLDER [QUERY]]
 * FOLDER is a checkout of this repository (default: this one), so that two versions can be compared. QUERY is added to the address, for
 * example `?profile=all`. Prints for each task whether it was done, the calls, and the bytes of the answers; then the sums.
 */
import { join, resolve } from 'node:path';
import type { Client } from '#contract/client.ts';
import { type Body, createAgent, type Send } from './agent-script.ts';
import { startSite } from './agent-site.ts';

type Agent = Awaited<ReturnType<typeof createAgent>>;

interface Task {
  readonly say: string;
  /** Does the task, and returns the answer for the person. */
  run(agent: Agent): Promise<unknown>;
  /** Looks at the site over REST, and decides whether the task is done. */
  check(client: Client, answer: unknown): Promise<boolean>;
}

const items = (body: Body): Body[] => (body.data ?? []) as Body[];
const most = (list: readonly Body[], field: string): Body | undefined =>
  list.toSorted((a, b) => Number(b[field] ?? -1) - Number(a[field] ?? -1))[0];
const isRed = (machine: Body): boolean => Number((machine.dtc_counts as Body | undefined)?.red_stop ?? 0) > 0;
const machineOf = async (client: Client, unit_number: string) =>
  (await client.call('equipment_list', { unit_number })).data[0];
const ticketOf = async (client: Client) => (await client.call('repair_tickets_list', { q: 'Red stop lamp' })).data[0];
/** The day of the last day shift that has begun: the shift begins at 6 o'clock. */
const day = new Date(Date.now() - 6 * 3_600_000).toISOString().slice(0, 10);
const mostUsed = async (client: Client, field: 'idle_hours' | 'fuel_used_l') => {
  const { data } = await client.call('equipment_list', { limit: 200 });
  return data.toSorted((a, b) => (b[field] ?? -1) - (a[field] ?? -1))[0]?.unit_number;
};

const READS: readonly Task[] = [
  {
    say: 'Which machine idles most?',
    run: async (agent) => most(items(await agent.do('list machines with their hours')), 'idle_hours')?.unit_number,
    check: async (client, answer) => answer === (await mostUsed(client, 'idle_hours')),
  },
  {
    say: 'Which machine has burned most fuel?',
    run: async (agent) => most(items(await agent.do('list machines with their fuel')), 'fuel_used_l')?.unit_number,
    check: async (client, answer) => answer === (await mostUsed(client, 'fuel_used_l')),
  },
  {
    say: 'Why is LD-2 silent?',
    async run(agent) {
      const [device] = items(await agent.do('list devices', { equipment: 'LD-2' }));
      return agent.do('diagnose why a device has no data', { device: device?.id });
    },
    async check(client, answer) {
      const [device] = (await client.call('devices_list', { serial: 'SN-4711' })).data;
      return JSON.stringify(answer).includes(device?.id ?? 'none') && JSON.stringify(answer).includes('remedy');
    },
  },
  {
    say: 'Which lamps and alerts are active now?',
    run: async (agent) => items(await agent.do('list alerts active', { state: 'active' })).map(({ id }) => id),
    check: async (client, answer) =>
      (await client.call('alerts_list', { state: 'active' })).data.some(({ id }) => (answer as unknown[]).includes(id)),
  },
  {
    say: 'Where does HT-01 work?',
    async run(agent) {
      const { location_id } = await agent.do('get a machine', { equipment: 'HT-01' });
      return (await agent.do('get a location', { location: location_id })).name;
    },
    check: async (client, answer) => (await client.call('locations_list', {})).data.some(({ name }) => name === answer),
  },
  {
    say: 'How did the engine speed of HT-02 change in the last day?',
    run: async (agent) =>
      (await agent.do('read stored values of a machine', { equipment: 'HT-02', signals: ['engine.speed'] })).series,
    check: async (_, answer) => Array.isArray(answer) && answer.length === 1,
  },
  {
    say: 'Compare the idle hours of EX-01 and WL-01 over the last day.',
    run: async (agent) =>
      (
        await agent.do('compare stored values of several machines', {
          equipment: ['EX-01'],
          signals: ['engine.idle_hours'],
        })
      ).series,
    check: async (_, answer) => Array.isArray(answer) && answer.length === 1,
  },
  {
    say: 'From which device and run do the engine hours of HT-01 come?',
    async run(agent) {
      const read = await agent.do('get a machine with provenance', { equipment: 'HT-01' });
      const of = (body: Body) => (body.context as { fields?: Record<string, Body> } | undefined)?.fields?.engine_hours;
      const more =
        of(read) ?? of(await agent.do('get a machine with provenance', { equipment: 'HT-01', include: 'provenance' }));
      return more?.run_id;
    },
    check: async (client, answer) =>
      answer === (await machineOf(client, 'HT-01'))?.context.fields?.engine_hours?.run_id && answer !== undefined,
  },
  {
    say: 'What service is due?',
    run: async (agent) => items(await agent.do('list what service is due on machines')).length,
    check: async (client, answer) => answer === (await client.call('maintenance_list', {})).data.length,
  },
  {
    say: 'What happened to WL-02 lately?',
    run: async (agent) => items(await agent.do('read the event log of a machine', { equipment: 'WL-02' })).length,
    check: async (_, answer) => Number(answer) > 0,
  },
];

const WRITES: readonly Task[] = [
  {
    say: 'Open a ticket for the red lamp.',
    async run(agent) {
      const red = items(await agent.do('list machines with their trouble codes')).find(isRed);
      await agent.do('flag a machine for repair', {
        equipment: red?.id,
        title: 'Red stop lamp',
        safety_critical: true,
      });
    },
    check: async (client) => (await ticketOf(client))?.equipment_id === (await machineOf(client, 'WL-02'))?.id,
  },
  {
    say: 'Give that ticket to Marta (badge M-3).',
    async run(agent) {
      const [ticket] = items(await agent.do('list repair tickets', { q: 'Red stop lamp' }));
      await agent.do('update a repair ticket assignment', { repair_ticket: ticket?.id, mechanic: 'M-3' });
    },
    check: async (client) => ((await ticketOf(client))?.assigned_mechanic_ids.length ?? 0) === 1,
  },
  {
    say: 'Put it on hold: parts are missing.',
    async run(agent) {
      const [ticket] = items(await agent.do('list repair tickets', { q: 'Red stop lamp' }));
      await agent.do('update a repair ticket status', {
        repair_ticket: ticket?.id,
        status: 'on_hold',
        hold_reason: 'parts',
      });
    },
    check: async (client) => (await ticketOf(client))?.status === 'on_hold',
  },
  {
    say: 'Write on the ticket that the pump is ordered.',
    async run(agent) {
      const [ticket] = items(await agent.do('list repair tickets', { q: 'Red stop lamp' }));
      const facts = { repair_ticket: ticket?.id, type: 'remark', data: { text: 'Pump ordered' } };
      await agent.do('append a comment event to the log of a repair ticket', facts);
    },
    async check(client) {
      const id = (await ticketOf(client))?.id ?? '';
      return (await client.call('repair_tickets_events', { id, type: 'comment' })).data.length === 1;
    },
  },
  {
    say: 'LD-2 is down: broken bucket.',
    run: (agent) =>
      agent.do('update the status of a machine', { equipment: 'LD-2', status: 'down', reason: 'Broken bucket' }),
    check: async (client) => (await machineOf(client, 'LD-2'))?.status === 'down',
  },
  {
    say: 'Ana (badge B-17) drives HT-06 today.',
    run: (agent) => agent.do('set who drives a machine', { equipment: 'HT-06', operator: 'B-17' }),
    async check(client) {
      const [ana] = (await client.call('operators_list', { q: 'B-17' })).data;
      return ana !== undefined && (await machineOf(client, 'HT-06'))?.operator_id === ana.id;
    },
  },
  {
    say: 'HT-01 got 300 litres of fuel.',
    run: (agent) =>
      agent.do('append an event to the log of a machine: fuel added', {
        equipment: 'HT-01',
        type: 'refuelled',
        data: { liters: 300 },
      }),
    async check(client) {
      const id = (await machineOf(client, 'HT-01'))?.id ?? '';
      return (await client.call('equipment_events', { id, type: 'fuel.added' })).data.length === 1;
    },
  },
  {
    say: 'Acknowledge the gravest alert.',
    async run(agent) {
      const [alert] = items(await agent.do('list alerts active', { state: 'active', severity: 'critical' }));
      return (await agent.do('acknowledge an alert', { alert: alert?.id })).id;
    },
    check: async (client, answer) => (await client.call('alerts_get', { id: String(answer) })).acknowledged_at !== null,
  },
  {
    say: 'Tell me when a coolant gets over 105 degrees for a minute.',
    run: (agent) =>
      agent.do('create an alert rule with a threshold', {
        name: 'Hot coolant',
        signal: 'engine.coolant_temperature',
        op: 'gt',
        value: 105,
        for_seconds: 60,
      }),
    check: async (client) => (await client.call('alert_rules_list', { q: 'Hot coolant' })).data.length === 1,
  },
  {
    say: 'Hand over the day shift.',
    async run(agent) {
      const [place] = items(await agent.do('list locations'));
      const facts = { location: place?.id, shift: 'day', date: day };
      const { report } = await agent.do('compute a draft of a shift report', facts);
      return (await agent.do('submit the report of a shift', report as Body)).id;
    },
    check: async (client, answer) =>
      (await client.call('shift_reports_get', { id: String(answer) })).object === 'shift_report',
  },
];

const [folder = join(import.meta.dirname, '..', '..'), query = ''] = process.argv.slice(2);
await using site = await startSite(resolve(folder));
const agent = await createAgent(sender(`${site.mcp}${query}`, site.key));
process.stdout.write(`${agent.count.tools} tools, ${agent.count.list} bytes\n`);
let done = 0;
for (const task of [...READS, ...WRITES]) {
  const { calls, bytes } = agent.count;
  agent.begin();
  let words = 'done';
  try {
    const answer = await task.run(agent);
    if (await task.check(site.client, answer)) done++;
    else words = `wrong: ${JSON.stringify(answer)?.slice(0, 200)}`;
  } catch (error) {
    words = `failed: ${(error as Error).message}`;
  }
  process.stdout.write(
    `${task.say} ${words}; ${agent.count.calls - calls} calls, ${agent.count.bytes - bytes} bytes (${agent.trace().join(', ')})\n`,
  );
}
const { calls, bytes, list } = agent.count;
process.stdout.write(
  `${done} of ${READS.length + WRITES.length} tasks done, ${calls} calls, ${bytes} bytes of answers, ${list} bytes of list\n`,
);

/** Sends requests as a client does, and counts the bytes of the bodies. */
function sender(url: string, key: string): Send {
  let id = 0;
  return async (method, params) => {
    const answer = await fetch(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: ++id, method, ...(params === undefined ? {} : { params }) }),
    });
    const text = await answer.text();
    const { result, error } = JSON.parse(text) as { result?: unknown; error?: { message: string } };
    if (error !== undefined) throw new Error(error.message);
    return { result, bytes: Buffer.byteLength(text) };
  };
}
