/** A site of a newer version writes values that head office does not know. Both run as real processes. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { type Client, ClientError } from '#contract/client.ts';
import type { Input, OperationName } from '#contract/operations.ts';
import { createDatabase, noPostgres, startPostgres } from '#test/support/postgres.ts';
import { until } from '#test/support/until.ts';
import { End, enrol } from './ends.ts';

const HOOK = pathToFileURL(join(import.meta.dirname, '..', 'support', 'other-version.ts')).href;
const NEWER = { NODE_OPTIONS: `--import=${HOOK}`, TEST_VERSION: 'newer' };

/** Input with values that this version of the contract does not have. */
const newer = <N extends OperationName>(_: N, input: Record<string, unknown>) => input as unknown as Input<N>;

/** The first event of the live stream of a board, as text. */
async function boardText(end: End, client: Client, board: string): Promise<string> {
  const url = client.url('live', { kind: 'dashboard', object_id: board });
  const stop = new AbortController();
  const { body } = await fetch(url, { headers: client.headers(), signal: stop.signal });
  let text = '';
  const decoder = new TextDecoder();
  try {
    for await (const bytes of body ?? []) {
      text += decoder.decode(bytes as Uint8Array, { stream: true });
      if (text.includes('HT-1') && text.includes('"widgets"')) return text;
    }
  } finally {
    stop.abort();
  }
  throw new Error(`the stream of ${end.port} ended: ${text}`);
}

/** Waits until a list of head office has an item, and returns the list. */
async function listed<T extends { data: readonly unknown[] }>(list: () => Promise<T>, what: string): Promise<T> {
  await until(async () => (await list()).data.length > 0, `head office has ${what}`);
  return await list();
}

test('[Y180] head office shows tickets, rules, alerts, plans, boards and actions with values of a newer version, and keeps the values when other fields change', async () => {
  await using cloud = await new End({ HEADFRAME_ROLE: 'cloud' }).start();
  await using site = await new End({}).start(NEWER);
  const project = await enrol(cloud, site, `http://127.0.0.1:${cloud.port}`);
  const [here, there] = [site.client(project), cloud.client(project)];
  const { id: machine } = await here.call('equipment_create', { unit_number: 'HT-1' });
  await here.call('equipment_update', newer('equipment_update', { id: machine, status: 'parked' }));
  const ticket = await here.call(
    'repair_tickets_create',
    newer('repair_tickets_create', { equipment_id: machine, title: 'Leak', type: 'warranty', priority: 'urgent' }),
  );
  for (const status of ['in_progress', 'waiting'])
    await here.call('repair_tickets_update', newer('repair_tickets_update', { id: ticket.id, status }));
  const lamp = { name: 'New lamp', signal: 'dtc.new', op: 'gte', value: 1, severity: 'emergency' };
  const rule = await here.call('alert_rules_create', newer('alert_rules_create', lamp));
  const service = { plan_id: null, from: 'due', hours_left: null, km_left: null, days_left: null };
  const due = { name: 'Due', signal: 'maintenance.service', severity: 'emergency', service, actions: [] };
  await here.call('alert_rules_create', newer('alert_rules_create', due));
  const oil = { name: 'Oil', equipment_id: machine, due_on: '2026-01-01', action: 'email' };
  const plan = await here.call('maintenance_plans_create', newer('maintenance_plans_create', oil));
  const place = (x: number) => ({ x, y: 0, w: 4, h: 6 });
  const board = await here.call(
    'dashboards_create',
    newer('dashboards_create', {
      name: 'Wall',
      widgets: [
        { type: 'gauge', position: place(0) },
        { type: 'status_board', position: place(4) },
        { type: 'alert_feed', query: { min_severity: 'critical' }, position: place(8) },
      ],
    }),
  );
  const wipe = { name: 'Shift', items: [{ dashboard_id: board.id }], transition: 'wipe' };
  const playlist = await here.call('playlists_create', newer('playlists_create', wipe));
  const call = { label: 'Call', emoji: '📣', prompt: 'Call the crew', scope: 'crew', placement: ['home'] };
  const action = await here.call('custom_actions_create', newer('custom_actions_create', call));

  const actions = await listed(() => there.call('custom_actions_list', {}), 'the action');
  const alerts = await listed(() => there.call('alerts_list', { state: 'active' }), 'the alert');
  await until(
    async () => (await there.call('repair_tickets_get', { id: ticket.id })).status === 'unknown',
    'head office has the last move of the ticket',
  );
  const tickets = await there.call('repair_tickets_list', {});
  const rules = await there.call('alert_rules_list', { limit: 100 });
  const shown = {
    ticket: tickets.data.map(({ title, type, priority, status }) => [title, type, priority, status]),
    rule: rules.data.filter(({ id }) => id === rule.id).map((one) => [one.name, one.signal, one.severity]),
    alert: alerts.data.map(({ condition, severity }) => [condition, severity]),
    plan: (await there.call('maintenance_plans_list', {})).data.map((one) => [one.name, one.action]),
    board: (await there.call('dashboards_get', { id: board.id })).widgets.map(({ type }) => type),
    playlist: (await there.call('playlists_get', { id: playlist.id })).transition,
    action: actions.data.map(({ label, scope }) => [label, scope]),
  };
  assert.deepEqual(shown, {
    ticket: [['Leak', 'unknown', 'unknown', 'unknown']],
    rule: [['New lamp', 'unknown', 'unknown']],
    alert: [['service', 'unknown']],
    plan: [['Oil', 'unknown']],
    board: ['unknown', 'status_board', 'alert_feed'],
    playlist: 'unknown',
    action: [['Call', 'unknown']],
  });
  assert.deepEqual(
    tickets.warnings?.map(({ code, id }) => [code, id]),
    [['values_unknown', ticket.id]],
  );
  assert.match(tickets.warnings?.[0]?.message ?? '', /status is waiting/);
  // A filter on a value does not find a value that is not known.
  assert.deepEqual((await there.call('repair_tickets_list', { priority: 'critical' })).data, []);
  const urgent = there.call('repair_tickets_list', newer('repair_tickets_list', { priority: 'unknown' }));
  await assert.rejects(urgent, (error) => error instanceof ClientError && error.code === 'parameter_invalid');

  // A screen shows the machine, says that it does not know the tile, and hides no alert.
  const text = await boardText(cloud, there, board.id);
  assert.match(text, /does not know it/);
  assert.match(text, /"status":"unknown"/);
  assert.match(text, /"severity":"critical"/);

  // The lists of all sites show them, too.
  const all = await there.call('fleet_alerts_list', {});
  assert.deepEqual(
    all.data.map(({ condition, severity, unit_number }) => [condition, severity, unit_number]),
    [['service', 'unknown', 'HT-1']],
  );
  await until(
    async () => (await there.call('fleet_equipment_list', { in_trouble: true })).data[0]?.unit_number === 'HT-1',
    'the machine with the alert is in trouble',
  );
  const [from, to] = [new Date(Date.now() - 3_600_000), new Date(Date.now() + 3_600_000)].map((at) => at.toISOString());
  const story = await there.call('equipment_story', { id: machine, from, to });
  assert.deepEqual(
    [story.alerts.map(({ severity }) => severity), story.tickets.map(({ status }) => status)],
    [['unknown'], ['unknown']],
  );

  // Edits of other fields keep the values. A move of the ticket is refused by name.
  await there.call('repair_tickets_update', { id: ticket.id, title: 'Leak at the pump' });
  const { revision } = await there.call('alert_rules_get', { id: rule.id });
  await there.call('alert_rules_update', { id: rule.id, name: 'Lamp' }, { if_match: revision });
  await there.call('maintenance_plans_update', { id: plan.id, name: 'Engine oil' });
  await there.call('dashboards_update', { id: board.id, name: 'Office' });
  await there.call('playlists_update', { id: playlist.id, name: 'Night' });
  await there.call('custom_actions_update', { id: action.id, label: 'Radio' });
  const move = there.call('repair_tickets_update', { id: ticket.id, status: 'in_progress' });
  await assert.rejects(move, (error) => error instanceof ClientError && /the status waiting/.test(error.message));
  const kept = async () => {
    const [one, lamps, service_plan] = [
      await here.call('repair_tickets_get', { id: ticket.id }),
      await here.call('alert_rules_get', { id: rule.id }),
      await here.call('maintenance_plans_get', { id: plan.id }),
    ];
    const [wall, loop, crew] = [
      await here.call('dashboards_get', { id: board.id }),
      await here.call('playlists_get', { id: playlist.id }),
      await here.call('custom_actions_get', { id: action.id }),
    ];
    return [
      [one.title, one.type, one.priority, one.status],
      [lamps.name, lamps.signal, lamps.severity],
      [service_plan.name, service_plan.action],
      [wall.name, wall.widgets[0]?.type],
      [loop.name, loop.transition],
      [crew.label, crew.scope],
    ].join(';');
  };
  const expected =
    'Leak at the pump,warranty,urgent,waiting;Lamp,dtc.new,emergency;Engine oil,email;Office,gauge;Night,wipe;Radio,crew';
  let last = '';
  await until(async () => {
    last = await kept();
    return last === expected;
  }, `the site has the edits`).catch((error: unknown) => {
    throw new Error(`${String(error)}: ${last}`);
  });
});

/** Starts head office and a site of a newer version, and makes one ticket on site with a status that head office does not know. */
async function waitingTicket(cloud: End, site: End) {
  const project = await enrol(cloud, site, `http://127.0.0.1:${cloud.port}`);
  const [here, there] = [site.client(project), cloud.client(project)];
  const { id: machine } = await here.call('equipment_create', { unit_number: 'HT-1' });
  const { id: mechanic } = await here.call('mechanics_create', { name: 'Ines Pol' });
  const { id } = await here.call('repair_tickets_create', {
    ...{ equipment_id: machine, title: 'Leak', priority: 'critical', safety_critical: true },
    assigned_mechanic_ids: [mechanic],
  });
  // Tickets that are over must not come back.
  const over = await here.call('repair_tickets_create', { equipment_id: machine, title: 'Old' });
  await here.call('repair_tickets_update', { id: over.id, status: 'canceled' });
  for (const status of ['in_progress', 'waiting'])
    await here.call('repair_tickets_update', newer('repair_tickets_update', { id, status }));
  await until(
    async () => (await cloud.client().call('projects_list', {})).data.some((one) => one.id === project),
    'head office has the project',
  );
  const read = async () => (await there.call('repair_tickets_list', {})).data.map(({ status }) => status);
  await until(async () => (await read()).join() === 'canceled,unknown', 'head office has both tickets');
  return { there, mechanic, id };
}

async function provesOpen(cloud: End, site: End): Promise<void> {
  const { there, mechanic, id } = await waitingTicket(cloud, site);
  const unknown = await there.call('repair_tickets_list', { status: 'unknown' });
  assert.deepEqual(
    unknown.data.map((one) => [one.id, one.status]),
    [[id, 'unknown']],
  );
  const write = newer('repair_tickets_update', { id, status: 'unknown' });
  const refused = there.call('repair_tickets_update', write);
  await assert.rejects(refused, (error) => error instanceof ClientError && error.code === 'parameter_invalid');

  // The lists over all sites: the ticket, the count of the machine, and the machine in trouble.
  const inAll = async () => {
    const repairs = await there.call('fleet_repair_tickets_list', {});
    const machines = await there.call('fleet_equipment_list', { in_trouble: true });
    return [
      ...repairs.data.map((one) => [one.id, one.status, one.title]),
      ...machines.data.map((one) => [one.open_tickets, one.attention?.reasons[0]?.cause]),
    ];
  };
  const expected = [
    [id, 'unknown', 'Leak'],
    [1, 'safety'],
  ];
  await until(async () => (await inAll()).length === 2, 'both lists have the ticket');
  assert.deepEqual(await inAll(), expected);
  const { data: people } = await there.call('mechanics_list', {});
  assert.deepEqual(
    people.map((one) => [one.id, one.open_ticket_ids]),
    [[mechanic, [id]]],
  );

  // The column of the wall, and no other column.
  const board = await there.call('dashboards_create', {
    name: 'Wall',
    widgets: [
      { type: 'ticket_board', position: { x: 0, y: 0, w: 6, h: 6 } },
      { type: 'status_board', position: { x: 6, y: 0, w: 6, h: 6 } },
    ],
  });
  const text = await boardText(cloud, there, board.id);
  assert.match(text, /"status":"unknown","label":"Unknown status","count":1,"cards":\[\{[^\]]*"title":"Leak"/);
  for (const status of ['flagged', 'in_progress', 'on_hold', 'fixed'])
    assert.match(text, new RegExp(`"status":"${status}","label":"[A-Za-z ]*","count":0`));

  // After a start head office reads the same from its documents.
  await cloud.kill();
  await cloud.start();
  await until(async () => (await inAll()).length === 2, 'both lists have the ticket after a start');
  assert.deepEqual(await inAll(), expected);
}

test('[Y250] a ticket whose status only a newer version knows is open in every list, count, ranking and board of head office', async () => {
  await using cloud = await new End({ HEADFRAME_ROLE: 'cloud' }).start();
  await using site = await new End({}).start(NEWER);
  await provesOpen(cloud, site);
});

test('[Y250] the same with head office on PostgreSQL', { skip: noPostgres }, async () => {
  await using server = await startPostgres();
  const database = await createDatabase(server.url);
  await using cloud = await new End({ HEADFRAME_ROLE: 'cloud', HEADFRAME_DATABASE: database }).start();
  await using site = await new End({}).start(NEWER);
  await provesOpen(cloud, site);
});
