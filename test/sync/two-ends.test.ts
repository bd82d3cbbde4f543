/** A site and head office as two real processes on SQLite, with a proxy between them that cuts, delays and repeats. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '#contract/client.ts';
import { Random } from '#test/sim/random.ts';
import { headframe } from '#test/support/command.ts';
import { NO_HARM, startCutProxy } from '#test/support/cut-proxy.ts';
import { addMachine } from '#test/support/gateway.ts';
import { killsOf } from '#test/support/kills.ts';
import { TEST_SEED } from '#test/support/seed.ts';
import { until } from '#test/support/until.ts';
import { End, enrol } from './ends.ts';

const nameOf = async (client: Client, id: string): Promise<string | null> => {
  try {
    return (await client.call('equipment_get', { id })).name;
  } catch {
    return null;
  }
};

/** Both ends say that head office has everything. */
async function assertComplete(site: End): Promise<void> {
  const { data } = await site.client().call('sync_verify', {});
  assert.deepEqual(
    data.map(({ verdict, sentence }) => [verdict, sentence]),
    data.map(() => ['complete', 'Head office has everything that this site made and holds.']),
  );
  assert.ok(data.length > 0);
}

test('[Y70] [Y71] a site enrols with a code, and a rename at head office arrives at the site', async () => {
  await using cloud = await new End({ HEADFRAME_ROLE: 'cloud' }).start();
  await using site = await new End({}).start();
  assert.equal((await site.status()).state, 'off');
  const project = await enrol(cloud, site, `http://127.0.0.1:${cloud.port}`);
  const [here, there] = [site.client(project), cloud.client(project)];
  const { id } = await here.call('equipment_create', { unit_number: 'HT-1', name: 'Truck' });
  await until(async () => (await nameOf(there, id)) === 'Truck', 'the machine is at head office');
  await there.call('equipment_update', { id, name: 'Truck of head office' });
  await until(async () => (await nameOf(here, id)) === 'Truck of head office', 'the rename is at the site');
  await site.inStep();
  await assertComplete(site);
  const status = await cloud.status();
  assert.deepEqual(
    [status.role, status.gateways.map(({ name, projects }) => [name, projects])],
    ['cloud', [['Quarry North', [project]]]],
  );
});

test('[Y72] edits that both ends made without a link merge, and both ends show the same', async () => {
  await using cloud = await new End({ HEADFRAME_ROLE: 'cloud' }).start();
  await using site = await new End({}).start();
  await using proxy = await startCutProxy(cloud.port, TEST_SEED);
  const project = await enrol(cloud, site, `http://127.0.0.1:${proxy.port}`);
  const [here, there] = [site.client(project), cloud.client(project)];
  const { id } = await here.call('equipment_create', { unit_number: 'HT-1', name: 'Truck' });
  await until(async () => (await nameOf(there, id)) === 'Truck', 'the machine is at head office');
  proxy.cut();
  await until(async () => (await site.status()).state === 'offline', 'the site knows that it is offline');
  await here.call('equipment_update', { id, model: '777G', labels: { crew: 'A' } });
  await there.call('equipment_update', { id, name: 'Big truck', labels: { owner: 'Head office' } });
  const offline = await site.status();
  assert.match(offline.sentence, /no connection to head office.* works on/);
  assert.ok(offline.projects[0]?.lanes.some(({ lane, waiting }) => lane === 'work' && waiting > 0));
  proxy.open();
  await until(async () => (await nameOf(here, id)) === 'Big truck', 'the rename is at the site');
  await site.inStep();
  for (const client of [here, there]) {
    const { name, model, labels } = await client.call('equipment_get', { id });
    assert.deepEqual([name, model, labels], ['Big truck', '777G', { crew: 'A', owner: 'Head office' }]);
  }
  await assertComplete(site);
});

test('[Y73] kill -9 of either end and cut, delayed and repeated requests lose nothing and do nothing twice', async () => {
  const random = new Random(TEST_SEED);
  await using cloud = await new End({ HEADFRAME_ROLE: 'cloud' }).start();
  await using site = await new End({}).start();
  await using proxy = await startCutProxy(cloud.port, TEST_SEED);
  const project = await enrol(cloud, site, `http://127.0.0.1:${proxy.port}`);
  await site.inStep();
  proxy.harm = { before: 0.1, after: 0.15, again: 0.1, delay_ms: 15 };
  const machines: string[] = [];
  for (let round = 0; round < killsOf(6); round++) {
    for (let i = 0; i < 8; i++) {
      const { id } = await site.client(project).call('equipment_create', { unit_number: `U-${round}-${i}` });
      machines.push(id);
      const other = random.pick(machines);
      const end = random.chance(0.5) ? site : cloud;
      if ((await nameOf(end.client(project), other)) !== null)
        await end.client(project).call('equipment_update', { id: other, name: `name ${round}.${i}` });
    }
    const victim = random.chance(0.5) ? site : cloud;
    await victim.kill();
    await victim.start();
  }
  proxy.harm = NO_HARM;
  await site.inStep();
  const lists = await Promise.all(
    [site, cloud].map(async (end) => {
      const { data } = await end.client(project).call('equipment_list', { limit: 200 });
      return data.map(({ id, unit_number, name }) => [id, unit_number, name]).sort();
    }),
  );
  assert.equal(lists[0]?.length, machines.length);
  assert.deepEqual(lists[0], lists[1]);
  const events = await Promise.all(
    [site, cloud].map(async (end) => {
      const ids: string[] = [];
      for (const id of machines) {
        const { data } = await end.client(project).call('equipment_events', { id, limit: 200 });
        ids.push(...data.map((event) => event.id));
      }
      return ids.sort();
    }),
  );
  assert.deepEqual(events[0], events[1]);
  await assertComplete(site);
  assert.ok(proxy.counts.before + proxy.counts.after + proxy.counts.again > 0, JSON.stringify(proxy.counts));
});

test('[Y74] a revoked gateway is refused at the next contact, says so, and works on', async () => {
  await using cloud = await new End({ HEADFRAME_ROLE: 'cloud' }).start();
  await using site = await new End({}).start();
  const project = await enrol(cloud, site, `http://127.0.0.1:${cloud.port}`);
  await site.inStep();
  const { data } = await cloud.client().call('sync_enrolments_list', {});
  await cloud.client().call('sync_enrolments_revoke', { id: data[0]?.id ?? '' });
  await site.client(project).call('equipment_create', { unit_number: 'HT-2' });
  await site.reaches('revoked');
  assert.match((await site.status()).sentence, /revoked this gateway/);
  assert.equal((await site.client(project).call('equipment_list', {})).data.length, 1);
  assert.equal((await cloud.client(project).call('equipment_list', {})).data.length, 0);
});

test('[Y25] of two boxes with one disk one is fenced: it says so and works on alone', async () => {
  await using cloud = await new End({ HEADFRAME_ROLE: 'cloud' }).start();
  await using site = await new End({}).start();
  const project = await enrol(cloud, site, `http://127.0.0.1:${cloud.port}`);
  await site.inStep();
  await site.kill();
  await using copy = site.clone();
  await Promise.all([site.start(), copy.start()]);
  const boxes = [site, copy];
  for (const [i, box] of boxes.entries())
    await box.client(project).call('equipment_create', { unit_number: `HT-${i}` });
  // Each contact of one box after a contact of the other one shows that there are two. A change makes a contact; without one, a box calls
  // once a minute.
  for (const [i, box] of [...boxes, ...boxes].entries()) {
    await until(async () => !['connecting', 'catching_up'].includes((await box.status()).state ?? ''), 'a contact');
    await box.client(project).call('equipment_create', { unit_number: `HT-1${i}` });
  }
  await until(async () => {
    const states = await Promise.all(boxes.map(async (box) => (await box.status()).state));
    return states.includes('fenced');
  }, 'one of the boxes knows that it is fenced');
  const statuses = await Promise.all(boxes.map((box) => box.status()));
  const fenced = statuses.findIndex(({ state }) => state === 'fenced');
  assert.equal(statuses.filter(({ state }) => state === 'fenced').length, 1);
  assert.match(statuses[fenced]?.sentence ?? '', /Another computer uses the identity of this gateway/);
  const alone = boxes[fenced] as End;
  await alone.client(project).call('equipment_create', { unit_number: 'HT-9' });
  await boxes[1 - fenced]?.inStep();
});

test('[Y77] `headframe verify --sync` compares both ends and keeps a receipt, and says when head office is away', async () => {
  await using cloud = await new End({ HEADFRAME_ROLE: 'cloud' }).start();
  await using site = await new End({}).start();
  const alone = await headframe(['verify', '--sync', '--data', site.folder]);
  assert.deepEqual([alone.code !== 0, alone.stderr], [true, 'This site is not connected to head office.\n']);
  const project = await enrol(cloud, site, `http://127.0.0.1:${cloud.port}`);
  await site.client(project).call('equipment_create', { unit_number: 'HT-1' });
  const { code, stdout } = await headframe(['verify', '--sync', '--json', '--data', site.folder]);
  const { whole, receipts } = JSON.parse(stdout.toString());
  assert.deepEqual([code, whole, receipts.length, receipts[0]?.verdict], [0, true, 1, 'complete']);
  await cloud.kill();
  const away = await headframe(['verify', '--sync', '--data', site.folder]);
  assert.match(away.stderr, /^Head office cannot be reached/);
  const { data } = await site.client().call('sync_receipts_list', {});
  assert.deepEqual(
    data.map(({ id, project_id }) => [id, project_id]),
    [[receipts[0]?.id, project]],
  );
});

test('[Y78] head office shows the values that a site measured', async () => {
  await using cloud = await new End({ HEADFRAME_ROLE: 'cloud' }).start();
  await using site = await new End({}).start();
  const project = await enrol(cloud, site, `http://127.0.0.1:${cloud.port}`);
  const [here, there] = [site.client(project), cloud.client(project)];
  const { device, equipment_id: id } = await addMachine(here, 'HT-1');
  await here.call('devices_telemetry', { id: device, points: [{ values: { 'engine.hours': 1_234.5 } }] });
  const hours = async (client: Client) => {
    try {
      return (await client.call('equipment_get', { id })).meters.map(({ value }) => value);
    } catch {
      return [];
    }
  };
  await until(async () => (await hours(here))[0] === 1_234.5, 'the site has the value');
  await until(async () => (await hours(there))[0] === 1_234.5, 'head office has the value');
  await cloud.kill();
  await cloud.start();
  assert.deepEqual(await hours(there), [1_234.5]);
});
