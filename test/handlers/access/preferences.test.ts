import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationError } from '#contract/base/errors.ts';
import { as, openRig } from '#test/support/handler-rig.ts';

const code = (wanted: string) => (error: OperationError) => error.code === wanted;
const at = (minute: number) => `2026-11-21T13:${String(minute).padStart(2, '0')}:00.000Z`;

test("[A108] a project has one preference from its first day, under two names; another project's does not exist", async () => {
  await using rig = await openRig();
  const own = await rig.call('preferences_get', { id: rig.project });
  assert.deepEqual(own.notifications, { read: {}, cleared: {}, read_before: null });
  assert.equal((await rig.call('preferences_get', { id: own.id })).id, own.id);
  assert.match(own.id, /^prf_[0-9a-z]{26}$/);
  const theirs = await rig.call('preferences_get', { id: rig.other }, { project: rig.other });
  assert.notEqual(theirs.id, own.id);
  for (const id of [theirs.id, rig.other, 'prf_none'])
    await assert.rejects(rig.call('preferences_get', { id }), code('not_found'));
});

test('[A108] concurrent merges lose no marker, and a call without new markers writes nothing', async () => {
  await using rig = await openRig();
  const id = rig.project;
  await Promise.all(
    ['a', 'b', 'c', 'd'].map((name, i) =>
      rig.call('preferences_update', { id, notifications: { read: { [name]: at(i), shared: at(i) } } }),
    ),
  );
  const { notifications, revision } = await rig.call('preferences_get', { id });
  assert.deepEqual(notifications.read, { a: at(0), b: at(1), c: at(2), d: at(3), shared: at(3) });
  const same = await rig.call('preferences_update', { id, notifications: { read: { shared: at(1) } } });
  assert.equal(same.revision, revision);
  const log = await rig.call('audit_list', { subject: same.id });
  assert.deepEqual(
    log.data.map(({ data }) => data),
    Array.from({ length: 4 }, () => ({ fields: ['read'] })),
  );
});

test('[A108] a marker in the future is set to now, in any time offset, and a viewer sets no marker', async () => {
  await using rig = await openRig();
  const id = rig.project;
  const made = await rig.call('preferences_update', {
    id,
    notifications: { read: { x: '2031-01-01T00:00:00Z', y: '2026-11-21T15:10:00+02:00' }, read_before: at(5) },
  });
  assert.ok((made.notifications.read.x ?? '~') <= new Date(rig.now).toISOString());
  assert.equal(made.notifications.read.y, at(10));
  await assert.rejects(
    rig.call('preferences_update', { id, notifications: {} }, as('viewer')),
    code('permission_denied'),
  );
  await assert.rejects(
    rig.call('preferences_update', { id, notifications: { cleared: { z: at(1) } } }, { if_match: 1 }),
    code('revision_mismatch'),
  );
});

test('[A108] a project without a preference has an empty one, which the first marker stores', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('preferences_get', { id: rig.project });
  const [stored] = await rig.store.view(rig.project).find('records', { object: 'preference', limit: 2 });
  assert.ok(stored);
  await rig.store
    .view(rig.project)
    .commit([{ collection: 'records', id, object: 'preference', data: stored.data, expected: 1, deleted: true }]);
  const empty = await rig.call('preferences_get', { id: rig.project });
  assert.deepEqual([empty.id, empty.revision, empty.notifications.read_before], [id, 0, null]);
  const marks = ['a', 'b'].map((name, i) => ({ id, notifications: { read: { [name]: at(i) } } }));
  await Promise.all(marks.map((input) => rig.call('preferences_update', input)));
  const { notifications } = await rig.call('preferences_get', { id });
  assert.deepEqual(notifications.read, { a: at(0), b: at(1) });
});
