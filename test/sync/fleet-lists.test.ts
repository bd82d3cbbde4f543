/** The lists of head office over all its sites: machines, the machines in trouble, open repair tickets. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient } from '#contract/client.ts';
import { MOST_RANKED_SITES } from '#contract/site/fleet-lists.ts';
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

test('[Y102] of more sites than one list ranks, those with the most alerts are ranked, and the list says how many are left out', async () => {
  await using cloud = await startGateway(undefined, {}, CLOUD);
  const count = MOST_RANKED_SITES + 2;
  let last = '';
  for (let n = 0; n < count; n++) {
    const { project } = await cloud.client.call('projects_create', { name: `Site ${n}`, timezone: 'UTC' });
    last = project.id;
    await cloud.project(last).call('equipment_create', { unit_number: `HT-${n}`, status: n === 0 ? 'down' : 'in_use' });
  }
  const { data, not_ranked } = await cloud.client.call('fleet_equipment_list', { in_trouble: true });
  assert.deepEqual([not_ranked, data.map(({ unit_number }) => unit_number)], [2, ['HT-0']]);
  const alone = await cloud.client.call('fleet_equipment_list', { in_trouble: true, site: last });
  assert.equal(alone.not_ranked, 0);
  const found = await cloud.client.call('fleet_equipment_list', { limit: 200 });
  assert.equal(found.data.length, count);
});
