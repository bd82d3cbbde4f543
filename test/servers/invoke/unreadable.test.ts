/**
 * Documents in the store that this version cannot read: a newer version of the gateway wrote them before somebody installed an older one.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import type { Write } from '#contract/base/view.ts';
import { ClientError } from '#contract/client.ts';
import { openStore } from '#store/open-store.ts';
import { startRig } from '#test/servers/rig.ts';
import { temporaryFolder } from '#test/store/kit.ts';
import { addMachine, startGateway } from '#test/support/gateway.ts';

const random = (bytes: number) => new Uint8Array(randomBytes(bytes));

async function refusal(promise: Promise<unknown>): Promise<ClientError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof ClientError, `expected a refusal, got ${error}`);
  return error;
}

/** Makes a project with machines in a new data folder. Returns its id and the ids of the machines. */
async function siteWith(folder: string, units: readonly string[]): Promise<{ project_id: string; ids: string[] }> {
  await using gateway = await startGateway(folder);
  const { project } = await gateway.client.call('projects_create', { name: 'P' });
  const ids: string[] = [];
  for (const unit of units) ids.push((await addMachine(gateway.project(project.id), unit)).equipment_id);
  return { project_id: project.id, ids };
}

/** Writes a machine as a newer version would have stored it. */
async function changeMachine(
  folder: string,
  project_id: string,
  id: string,
  change: (data: Record<string, unknown>) => Record<string, unknown>,
): Promise<void> {
  await using store = await openStore({ folder, clock: Date.now, random });
  const view = store.view(project_id);
  const machine = await view.get('records', id);
  assert.ok(machine);
  const write: Write = { collection: 'records', id, object: machine.object, data: change(machine.data) };
  await view.commit([{ ...write, expected: machine.revision }]);
}

test('[H13] a list leaves out an unreadable document; a warning and health name it, and a read of it is document_unreadable', async () => {
  using temporary = temporaryFolder();
  const folder = temporary.path;
  const { project_id, ids } = await siteWith(folder, ['HT-1', 'HT-2', 'HT-3', 'HT-4']);
  const [good = '', renamed = '', restructured = '', extended = ''] = ids;
  // A field with another type, a field that is gone, and a field that this version does not know.
  await changeMachine(folder, project_id, renamed, (data) => ({ ...data, oem_name: { en: 'Caterpillar' } }));
  await changeMachine(folder, project_id, restructured, ({ aliases: _, labels: __, ...rest }) => rest);
  await changeMachine(folder, project_id, extended, (data) => ({ ...data, warranty: { until: '2031-01-01' } }));

  {
    await using gateway = await startGateway(folder);
    const client = gateway.project(project_id);
    const list = await client.call('equipment_list', { order: 'asc' });
    assert.deepEqual(
      list.data.map(({ id }) => id),
      [good, extended],
    );
    assert.deepEqual(
      list.warnings?.map(({ code, id }) => [code, id]).toSorted(),
      [
        ['document_unreadable', renamed],
        ['document_unreadable', restructured],
      ].toSorted(),
    );
    assert.match(list.warnings?.find(({ id }) => id === renamed)?.message ?? '', /oem_name/);

    for (const id of [renamed, restructured]) {
      const error = await refusal(client.call('equipment_get', { id }));
      assert.deepEqual([error.status, error.code, error.error?.param], [500, 'document_unreadable', 'id']);
      assert.match(error.message, new RegExp(`${id} does not fit the schema of this version`));
    }

    const health = await client.call('health_get', {});
    const problem = health.problems.find(({ code }) => code === 'documents_unreadable');
    assert.match(problem?.message ?? '', /^2 stored documents do not fit/);
    assert.match(problem?.message ?? '', new RegExp(renamed));

    // The unknown field is not served, and a change of another field keeps it.
    assert.ok(!('warranty' in (await client.call('equipment_get', { id: extended }))));
    await client.call('equipment_update', { id: extended, name: 'Extended' });
  }
  await using store = await openStore({ folder, clock: Date.now, random });
  const stored = await store.view(project_id).get('records', extended);
  assert.deepEqual([stored?.data.name, stored?.data.warranty], ['Extended', { until: '2031-01-01' }]);
});

test('[H13] a status that this version does not know is shown as unknown, named, and kept when another field changes', async () => {
  using temporary = temporaryFolder();
  const folder = temporary.path;
  const { project_id, ids } = await siteWith(folder, ['HT-1', 'HT-2']);
  for (const id of ids)
    await changeMachine(folder, project_id, id, (data) => ({ ...data, status: `parked ${String(data.unit_number)}` }));
  const [first = '', second = ''] = ids;
  {
    await using gateway = await startGateway(folder);
    const client = gateway.project(project_id);
    const { data, warnings } = await client.call('equipment_list', { order: 'asc' });
    assert.deepEqual(
      data.map(({ id, status }) => [id, status]),
      ids.map((id) => [id, 'unknown']),
    );
    assert.deepEqual(
      warnings?.map(({ code, id }) => [code, id]),
      ids.map((id) => ['values_unknown', id]),
    );
    assert.equal((await client.call('equipment_get', { id: first })).status, 'unknown');
    const { status, name } = await client.call('equipment_update', { id: first, name: 'Renamed' });
    assert.deepEqual([status, name], ['unknown', 'Renamed']);
    const refused = await refusal(client.call('equipment_update', { id: first, status: 'unknown' as 'down' }));
    assert.equal(refused.code, 'parameter_invalid');
    const found = async () => {
      await client.call('equipment_list', {});
      return (await gateway.client.call('health_get', {})).problems.find(({ code }) => code === 'values_unknown')
        ?.message;
    };
    assert.match((await found()) ?? '', /2 stored documents have .*status is parked HT-2/);
    await client.call('equipment_update', { id: second, status: 'down' });
    assert.match((await found()) ?? '', /1 stored document has .*status is parked HT-1/);
  }
  await using store = await openStore({ folder, clock: Date.now, random });
  const stored = await store.view(project_id).get('records', first);
  assert.deepEqual([stored?.data.name, stored?.data.status], ['Renamed', 'parked HT-1']);
});

test('[H13] after a failed read of one document health names it', async () => {
  using temporary = temporaryFolder();
  const folder = temporary.path;
  const { project_id, ids } = await siteWith(folder, ['HT-1', 'HT-2']);
  const [renamed = '', restructured = ''] = ids;
  await changeMachine(folder, project_id, renamed, (data) => ({ ...data, oem_name: { en: 'Caterpillar' } }));
  await changeMachine(folder, project_id, restructured, ({ aliases: _, labels: __, ...rest }) => rest);
  await using gateway = await startGateway(folder);
  const client = gateway.project(project_id);
  for (const id of ids) assert.equal((await refusal(client.call('equipment_get', { id }))).code, 'document_unreadable');
  const { problems } = await client.call('health_get', {});
  const problem = problems.find(({ code }) => code === 'documents_unreadable');
  for (const id of ids) assert.match(problem?.message ?? '', new RegExp(id));
});

test('[H13] a list without unreadable documents has no warnings, and health forgets a document that was repaired', async () => {
  await using rig = await startRig();
  const client = rig.client();
  const board = await client.call('dashboards_create', { name: 'A' });
  assert.ok(!('warnings' in (await client.call('dashboards_list', {}))));
  const view = rig.store.view(rig.project);
  const stored = await view.get('records', board.id);
  assert.ok(stored);
  const write = { collection: 'records', id: board.id, object: 'dashboard' } as const;
  await view.commit([{ ...write, data: { ...stored.data, theme: 7 } }]);
  const list = await client.call('dashboards_list', {});
  assert.deepEqual([list.data, list.warnings?.length], [[], 1]);
  assert.deepEqual(
    rig.http.problems().map(({ code }) => code),
    ['documents_unreadable'],
  );
  await client.call('dashboards_list', {});
  assert.equal(rig.log.filter((line) => line.includes('does not fit the schema')).length, 1, 'logged once');
  await view.commit([{ ...write, data: stored.data }]);
  assert.deepEqual(rig.http.problems(), []);
  assert.equal((await client.call('dashboards_list', {})).data.length, 1);
});

test('[H13] a page with only unreadable documents has a cursor for the next page', async () => {
  await using rig = await startRig();
  const client = rig.client();
  const view = rig.store.view(rig.project);
  for (const name of ['A', 'B', 'C', 'D']) {
    const { id } = await client.call('dashboards_create', { name });
    const stored = await view.get('records', id);
    if (name < 'C')
      await view.commit([
        { collection: 'records', id, object: 'dashboard', data: { ...stored?.data, widgets: 'none' } },
      ]);
  }
  const first = await client.call('dashboards_list', { limit: 2, order: 'asc' });
  assert.deepEqual([first.data.length, first.warnings?.length, first.has_more], [0, 2, true]);
  const second = await client.call('dashboards_list', { limit: 2, order: 'asc', cursor: first.next_cursor ?? '' });
  assert.deepEqual(
    second.data.map(({ name }) => name),
    ['C', 'D'],
  );
});
