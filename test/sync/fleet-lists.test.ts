/** The lists of head office over all its sites: machines, the machines in trouble, open repair tickets. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient } from '#contract/client.ts';
import type { Output } from '#contract/operations.ts';
import type { FleetAlert } from '#contract/site/fleet-lists.ts';
import { addMachine, connectDevice, startGateway } from '#test/support/gateway.ts';
import { until } from '#test/support/until.ts';

const CLOUD = { HEADFRAME_ROLE: 'cloud' };

const unitsOf = ({ data }: { data: { unit_number: string | null }[] }) => data.map(({ unit_number }) => unit_number);

test('[Y100] head office lists the machines of all sites by site, page by page, and finds them by part of a number', async () => {
  await using cloud = await startGateway(undefined, {}, CLOUD);
  const projects: string[] = [];
  for (const name of ['North', 'South', 'East']) {
    const { project } = await cloud.client.call('projects_create', { name, timezone: 'UTC' });
    projects.push(project.id);
    for (const n of [1, 2, 3]) await cloud.project(project.id).call('equipment_create', { unit_number: `HT-0${n}` });
  }
  const [north = '', south = ''] = projects;
  await cloud.project(south).call('equipment_create', { unit_number: 'Dozer-7', name: 'The red one' });
  const read = async (more: object = {}) => {
    const found: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await cloud.client.call('fleet_equipment_list', { limit: 2, ...more, ...(cursor && { cursor }) });
      assert.ok(page.data.length <= 2);
      found.push(...page.data.map(({ site, unit_number }) => `${site.name} ${unit_number}`));
      if (page.next_cursor === null) return found;
      assert.equal(page.has_more, true);
      cursor = page.next_cursor;
    }
  };
  const all = ['HT-01', 'HT-02', 'HT-03'];
  const wanted = ['North', 'South', 'East'].flatMap((name) =>
    [...all, ...(name === 'South' ? ['Dozer-7'] : [])].map((unit) => `${name} ${unit}`),
  );
  assert.deepEqual(await read(), wanted);
  assert.deepEqual(
    await read({ site: south }),
    wanted.filter((one) => one.startsWith('South')),
  );
  assert.deepEqual(await read({ q: 'dozer' }), ['South Dozer-7']);
  assert.deepEqual(await read({ q: 'red' }), ['South Dozer-7']);
  assert.deepEqual(await read({ q: 'ht-02' }), ['North HT-02', 'South HT-02', 'East HT-02']);
  const [one] = (await cloud.client.call('fleet_equipment_list', { limit: 1 })).data;
  assert.deepEqual(one?.site, { project_id: north, name: 'North', connected: null, last_contact_at: null });
  await assert.rejects(cloud.client.call('fleet_equipment_list', { site: 'prj_01aryz6s41tsv4rrffq69g5fa0' }), {
    code: 'project_not_found',
  });

  // A key of one project sees this project alone.
  const { secret } = await cloud.client.call('keys_create', {
    name: 'North only',
    role: 'viewer',
    project_ids: [north],
  });
  const viewer = createClient({ base_url: cloud.node.http, key: secret });
  assert.deepEqual(unitsOf(await viewer.call('fleet_equipment_list', {})), all);
  await assert.rejects(viewer.call('fleet_equipment_list', { site: south }), { code: 'project_not_found' });
  // A machine that got another number is found by it at once.
  const id = one?.id ?? '';
  await cloud.project(north).call('equipment_update', { id, unit_number: 'HT-99' });
  assert.deepEqual(await read({ q: 'ht-99' }), ['North HT-99']);
});

test('[Y100] a machine of a site has its live values, its trouble and its open tickets, and says when the site was heard', async () => {
  await using cloud = await startGateway(undefined, {}, CLOUD);
  await using site = await startGateway();
  const north = await site.client.call('projects_create', { name: 'Quarry North', timezone: 'UTC' });
  const south = await site.client.call('projects_create', { name: 'Quarry South', timezone: 'UTC' });
  const here = site.project(north.project.id);
  const { code } = await cloud.client.call('sync_enrolments_create', { name: 'Quarries' });
  await site.client.call('sync_link_set', { cloud_url: cloud.node.http, code });
  const machine = await addMachine(here, 'HT-01');
  const { equipment_id } = machine;
  await site.project(south.project.id).call('equipment_create', { unit_number: 'EX-05' });
  const device = await connectDevice(site.node.mqttPort, machine);
  await device.publishAsync(
    `v1/devices/${machine.device_id}/telemetry`,
    JSON.stringify({ values: { 'engine.hours': 4511.5, 'engine.speed': 1500 } }),
    { qos: 1 },
  );
  await here.call('repair_tickets_create', { equipment_id, title: 'Brake fades', safety_critical: true });
  await here.call('repair_tickets_create', { equipment_id, title: 'Mirror' });
  const read = async (more: object = {}) => cloud.client.call('fleet_equipment_list', more);
  await until(async () => {
    const { data } = await read();
    const [one] = data;
    return data.length === 2 && one?.open_tickets === 2 && one.engine_hours === 4511.5;
  }, 'head office has the machines, the tickets and the hours');
  const troubled = await read({ in_trouble: true });
  assert.deepEqual(unitsOf(troubled), ['HT-01']);
  assert.equal(troubled.not_ranked, 0);
  const [one] = troubled.data;
  assert.equal(one?.attention?.reasons[0]?.cause, 'safety');
  assert.deepEqual([one?.site.name, one?.site.connected], ['Quarry North', true]);
  assert.ok(Date.parse(one?.site.last_contact_at ?? '') > 0);
  assert.deepEqual((await read({ in_trouble: true, site: south.project.id })).data, []);
  await device.endAsync();
});

test('[Y101] head office lists the open repair tickets of all sites, safety first, then by priority, the earliest first', async () => {
  await using cloud = await startGateway(undefined, {}, CLOUD);
  const made: [string, string, object][] = [
    ['North', 'low and old', { priority: 'low' }],
    ['North', 'high and old', { priority: 'high' }],
    ['South', 'critical', { priority: 'critical' }],
    ['South', 'high and new', { priority: 'high' }],
    ['North', 'dangerous', { priority: 'medium', safety_critical: true }],
  ];
  const projects = new Map<string, { id: string; machine: string }>();
  for (const name of ['North', 'South']) {
    const { project } = await cloud.client.call('projects_create', { name, timezone: 'UTC' });
    const { id } = await cloud.project(project.id).call('equipment_create', { unit_number: `HT-${name}` });
    projects.set(name, { id: project.id, machine: id });
  }
  for (const [name, title, more] of made) {
    const { id, machine } = projects.get(name) ?? { id: '', machine: '' };
    await cloud.project(id).call('repair_tickets_create', { equipment_id: machine, title, ...more });
  }
  const { id: north = '', machine = '' } = projects.get('North') ?? {};
  const canceled = await cloud
    .project(north)
    .call('repair_tickets_create', { equipment_id: machine, title: 'Nothing' });
  await cloud.project(north).call('repair_tickets_update', { id: canceled.id, status: 'canceled' });
  const read = async (more: object = {}) => {
    const found: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await cloud.client.call('fleet_repair_tickets_list', {
        limit: 2,
        ...more,
        ...(cursor && { cursor }),
      });
      for (const { site, title, unit_number } of page.data) {
        assert.equal(unit_number, `HT-${site.name}`);
        found.push(title);
      }
      if (page.next_cursor === null) return found;
      cursor = page.next_cursor;
    }
  };
  assert.deepEqual(await read(), ['dangerous', 'critical', 'high and old', 'high and new', 'low and old']);
  assert.deepEqual(await read({ site: north }), ['dangerous', 'high and old', 'low and old']);
  const { secret } = await cloud.client.call('keys_create', {
    name: 'North only',
    role: 'viewer',
    project_ids: [north],
  });
  const viewer = createClient({ base_url: cloud.node.http, key: secret });
  const { data } = await viewer.call('fleet_repair_tickets_list', {});
  assert.deepEqual(
    data.map(({ title }) => title),
    ['dangerous', 'high and old', 'low and old'],
  );
});

test('[Y102] the machines in trouble of more sites than rankings can be open are in one order, page by page', async () => {
  await using cloud = await startGateway(undefined, {}, CLOUD);
  const count = 70;
  const expected: string[][] = [[], []];
  let last = '';
  for (let n = 0; n < count; n++) {
    const { project } = await cloud.client.call('projects_create', { name: `Site ${n}`, timezone: 'UTC' });
    last = project.id;
    const safety = n % 5 === 0;
    const status = safety || n % 2 === 0 ? 'down' : 'available';
    const { id: equipment_id } = await cloud.project(last).call('equipment_create', { unit_number: `HT-${n}`, status });
    if (safety)
      await cloud.project(last).call('repair_tickets_create', { equipment_id, title: 'Brakes', safety_critical: true });
    if (status === 'down') expected[safety ? 0 : 1]?.push(`HT-${n}`);
  }
  const read = async (limit: number, more: object = {}) => {
    const found: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await cloud.client.call('fleet_equipment_list', {
        ...{ in_trouble: true, limit, ...more },
        ...(cursor && { cursor }),
      });
      assert.equal(page.not_ranked, 0);
      found.push(...page.data.map(({ unit_number }) => unit_number));
      if (page.next_cursor === null) return found;
      cursor = page.next_cursor;
    }
  };
  // Safety first, then down alone; of one score the earliest site. Scores rise with time, by less than the difference of the two groups, and
  // those of earlier sites rise first. So the order does not depend on how long this test takes.
  assert.deepEqual(await read(200), expected.flat());
  assert.deepEqual(await read(7), expected.flat());
  assert.deepEqual(
    await read(200, { q: 'ht-6' }),
    expected.flat().filter((unit) => unit.startsWith('HT-6')),
  );
  assert.deepEqual(await read(200, { site: last }), []);
  // A machine of the last site that is reported now is the first at once.
  const [{ id = '' } = {}] = (await cloud.project(last).call('equipment_list', {})).data;
  await cloud.project(last).call('equipment_update', { id, status: 'down' });
  assert.deepEqual(await read(200, { site: last }), [`HT-${count - 1}`]);
  assert.equal((await read(200)).includes(`HT-${count - 1}`), true);
  await cloud.project(last).call('equipment_update', { id, status: 'available' });
  assert.deepEqual(await read(200), expected.flat());
});

test('[Y150] head office lists the active alerts of all sites, the gravest first, the newest first of one severity', async () => {
  await using cloud = await startGateway(undefined, {}, CLOUD);
  await using site = await startGateway();
  const { code } = await cloud.client.call('sync_enrolments_create', { name: 'Quarries' });
  await site.client.call('sync_link_set', { cloud_url: cloud.node.http, code });
  const ids: string[] = [];
  /** Speeds of one machine raise an alert of each rule whose limit they pass. */
  const alarm = async (name: string, rules: readonly [string, 'info' | 'warning' | 'critical'][]) => {
    const { project } = await site.client.call('projects_create', { name, timezone: 'UTC' });
    ids.push(project.id);
    const here = site.project(project.id);
    for (const [rule, severity] of rules)
      await here.call('alert_rules_create', { name: rule, signal: 'vehicle.speed', op: 'gt', value: 60, severity });
    const machine = await addMachine(here, `HT-${name}`);
    const device = await connectDevice(site.node.mqttPort, machine);
    await device.publishAsync(
      `v1/devices/${machine.device_id}/telemetry`,
      JSON.stringify({ values: { 'vehicle.speed': 75 } }),
      { qos: 1 },
    );
    await until(
      async () => (await here.call('alerts_list', { state: 'active' })).data.length >= rules.length,
      'the alerts of the site',
    );
    await device.endAsync();
  };
  await alarm('North', [['a warning', 'warning']]);
  await alarm('South', [['grave', 'critical']]);
  await alarm('East', [['a newer warning', 'warning']]);
  const read = async (more: object = {}) => {
    const found: FleetAlert[] = [];
    for (let cursor: string | undefined; ; ) {
      const page: Output<'fleet_alerts_list'> = await cloud.client.call('fleet_alerts_list', {
        limit: 1,
        ...more,
        ...(cursor && { cursor }),
      });
      found.push(...page.data);
      if (page.next_cursor === null) return found;
      cursor = page.next_cursor;
    }
  };
  const rulesOf = (alerts: FleetAlert[]) => alerts.map(({ rule_name }) => rule_name);
  // Alerts travel first; for a moment head office has one whose project and machine are still on their way.
  await until(async () => {
    const alerts = await read();
    return alerts.length === 3 && alerts.every(({ site: at, unit_number }) => unit_number === `HT-${at.name}`);
  }, 'the alerts at head office, with the names of their sites and machines');
  assert.deepEqual(rulesOf(await read()), ['grave', 'a newer warning', 'a warning']);
  assert.deepEqual(rulesOf(await read({ site: ids[0] })), ['a warning']);
  const { secret } = await cloud.client.call('keys_create', {
    ...{ name: 'South only', role: 'viewer' as const, project_ids: [ids[1] ?? ''] },
  });
  const viewer = createClient({ base_url: cloud.node.http, key: secret });
  const { data } = await viewer.call('fleet_alerts_list', {});
  assert.deepEqual(
    data.map(({ rule_name, severity }) => [rule_name, severity]),
    [['grave', 'critical']],
  );
});
