/** What head office knows of its sites, and which operations each end serves. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operations } from '#contract/operations.ts';
import { isServedBy, type NodeRole } from '#contract/served.ts';
import { startGateway } from '#test/support/gateway.ts';
import { until } from '#test/support/until.ts';

const CLOUD = { HEADFRAME_ROLE: 'cloud' };

test('[Y75] pages know exactly which operations a site and head office do not serve', async () => {
  for (const role of ['gateway', 'cloud'] as const satisfies NodeRole[]) {
    await using node = await startGateway(undefined, {}, { HEADFRAME_ROLE: role });
    const answer = await fetch(`${node.node.http}/api/v1/operations`);
    const { data } = (await answer.json()) as { data: { name: string }[] };
    const served = data.map(({ name }) => name).sort();
    const expected = Object.keys(operations).filter((name) => isServedBy(role, name));
    assert.deepEqual(served, expected.sort(), role);
    assert.equal((await node.client.call('health_get', {})).role, role);
  }
});

test('[Y70] a person chooses how long a code is valid, and a code that is not taken says why', async () => {
  await using cloud = await startGateway(undefined, {}, CLOUD);
  const make = async (hours: number) =>
    (await cloud.client.call('sync_enrolments_create', { name: 'Quarry', hours })).code;
  const enrol = (code: string) =>
    cloud.client.call('sync_enrol', { code, gateway_id: 'gw_01aryz6s41tsv4rrffq69g5fav', version: '1' }).then(
      () => 'taken',
      (error: Error) => error.message,
    );
  const used = await make(1);
  assert.equal(await enrol(used), 'taken');
  assert.match(await enrol(used), /was used already/);
  assert.match(await enrol('ABCD-EFGH-JKLM'), /does not know this code/);
  const withdrawn = await make(744);
  const { data } = await cloud.client.call('sync_enrolments_list', {});
  await cloud.client.call('sync_enrolments_revoke', { id: data[0]?.id ?? '' });
  assert.match(await enrol(withdrawn), /has withdrawn this code/);
  await assert.rejects(make(745), /hours/);
});

test('[Y90] head office knows when it heard each site and what the site said, also after a restart', async () => {
  await using cloud = await startGateway(undefined, {}, CLOUD);
  await using site = await startGateway();
  const { project } = await site.client.call('projects_create', { name: 'Quarry North', timezone: 'UTC' });
  const { code } = await cloud.client.call('sync_enrolments_create', { name: 'Quarry North' });
  await site.client.call('sync_link_set', { cloud_url: cloud.node.http, code });
  await until(async () => (await site.client.call('sync_status', {})).state === 'in_step', 'the site is in step');
  const read = async () => (await cloud.client.call('sync_status', {})).gateways[0];
  await until(async () => {
    const gateway = await read();
    return gateway?.version != null && gateway.projects.length === 1 && gateway.waiting_here === 0;
  }, 'head office knows the version of the site');
  const gateway = await read();
  assert.deepEqual([gateway?.problems, gateway?.projects], [0, [project.id]]);
  assert.match(gateway?.sentence ?? '', /^Connected\./);
  await site.client.call('sync_link_remove', {});
  const heard = (await read())?.last_contact_at;
  const there = cloud.project(project.id);
  await there.call('projects_update', { id: project.id, name: 'Quarry N' });
  assert.equal((await read())?.waiting_here, 1);
  await cloud.node[Symbol.asyncDispose]();
  await using again = await startGateway(cloud.folder, {}, CLOUD);
  const [kept] = (await again.client.call('sync_status', {})).gateways;
  assert.deepEqual([kept?.last_contact_at, kept?.version, kept?.waiting_here], [heard, gateway?.version, 1]);
});
