import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationError } from '#contract/base/errors.ts';
import { as, openRig } from '#test/support/handler-rig.ts';

const code = (wanted: string) => (error: OperationError) => error.code === wanted;

test('[A100] creating and revoking a key is audited with the caller and without the secret', async () => {
  await using rig = await openRig();
  const commits: string[][] = [];
  rig.store.changes((changes) => commits.push(changes.map(({ document }) => document.object).sort()));
  const { key, secret } = await rig.call('keys_create', { name: 'shift lead', role: 'supervisor' });
  await rig.call('keys_revoke', { id: key.id }, as('admin'));
  assert.deepEqual(commits, [
    ['audit', 'key'],
    ['audit', 'key'],
  ]);
  const log = await rig.call('audit_list', { of: 'gateway', subject: key.id, order: 'asc' });
  assert.deepEqual(
    log.data.map(({ type, actor, project_id }) => [type, actor.id, actor.door, project_id]),
    [
      ['created', 'key_owner', 'rest', null],
      ['revoked', 'key_admin', 'rest', null],
    ],
  );
  assert.ok(!JSON.stringify(log).includes(secret));
  const byActor = await rig.call('audit_list', { of: 'gateway', actor: 'key_admin' });
  assert.deepEqual(
    byActor.data.map(({ subject }) => subject),
    [{ object: 'key', id: key.id }],
  );
  const byType = await rig.call('audit_list', { of: 'gateway', type: 'created', subject: rig.project });
  assert.deepEqual(byType.data[0]?.data, { name: 'North Pit' });
});

test("[A100] the gateway's own audit log is not for a key of some projects, nor any for those who are no admins", async () => {
  await using rig = await openRig();
  const restricted = as('admin', { project_ids: [rig.project] });
  assert.deepEqual((await rig.call('audit_list', {}, restricted)).data, []);
  await assert.rejects(rig.call('audit_list', { of: 'gateway' }, restricted), code('permission_denied'));
  for (const role of ['supervisor', 'viewer', 'agent', 'device'] as const)
    await assert.rejects(rig.call('audit_list', {}, as(role)), code('permission_denied'));
});

test('[A846] the export has the entries of all projects in order of their numbers, page by page', async () => {
  await using rig = await openRig();
  await rig.call('locations_create', { name: 'Pit' });
  await rig.call('locations_create', { name: 'Pit' }, { project: rig.other });
  const all = await rig.call('audit_export', { limit: 200 });
  assert.deepEqual(
    all.data.map(({ chain }) => chain?.number),
    all.data.map((_, i) => i + 1),
  );
  assert.deepEqual([all.has_more, all.next_after], [false, all.data.length]);
  const projects = new Set(all.data.map(({ project_id }) => project_id));
  assert.deepEqual(projects, new Set([null, rig.project, rig.other]));
  const paged: unknown[] = [];
  for (let after = 0, more = true; more; ) {
    const page = await rig.call('audit_export', { limit: 2, after });
    paged.push(...page.data);
    ({ next_after: after, has_more: more } = page);
  }
  assert.deepEqual(paged, all.data);
  assert.deepEqual((await rig.call('audit_export', { after: all.next_after })).next_after, all.next_after);
  const listed = await rig.call('audit_list', { order: 'asc' });
  assert.deepEqual(
    listed.data,
    all.data.filter((entry) => entry.project_id === rig.project),
  );
});

test('[A846] the export is for owners and admins of all projects', async () => {
  await using rig = await openRig();
  assert.ok((await rig.call('audit_export', {}, as('admin'))).data.length > 0);
  const restricted = as('admin', { project_ids: [rig.project] });
  await assert.rejects(rig.call('audit_export', {}, restricted), code('permission_denied'));
  for (const role of ['supervisor', 'mechanic', 'operator', 'viewer', 'agent', 'device'] as const)
    await assert.rejects(rig.call('audit_export', {}, as(role)), code('permission_denied'));
});
