import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationError } from '#contract/base/errors.ts';
import type { Input } from '#contract/operations.ts';
import { as, openRig } from '#test/support/handler-rig.ts';

const code = (wanted: string) => (error: OperationError) => error.code === wanted;

test('[A112] an admin with access to a project can change it, and the change is audited', async () => {
  await using rig = await openRig();
  const id = rig.project;
  const shift_pattern = [{ name: 'long', starts: '05:30', ends: '17:30' }];
  const changed = await rig.call(
    'projects_update',
    { id, timezone: 'Australia/Perth', units: 'us', url: 'https://example.org/', shift_pattern },
    { if_match: 1 },
  );
  assert.deepEqual(
    [changed.timezone, changed.units, changed.url, changed.name, changed.revision],
    ['Australia/Perth', 'us', 'https://example.org/', 'North Pit', 2],
  );
  assert.deepEqual((await rig.call('projects_get', { id })).shift_pattern, shift_pattern);
  await assert.rejects(rig.call('projects_update', { id, name: 'x' }, { if_match: 1 }), code('revision_mismatch'));
  const log = await rig.call('audit_list', { of: 'gateway', subject: id, type: 'updated' });
  assert.deepEqual(log.data[0]?.data, { fields: ['url', 'timezone', 'units', 'shift_pattern'] });
  const restricted = as('admin', { project_ids: [rig.project] });
  assert.equal((await rig.call('projects_update', { id, url: null }, restricted)).url, null);
  await assert.rejects(
    rig.call('projects_update', { id: rig.other, name: 'x' }, { ...restricted, project: rig.other }),
    code('project_not_found'),
  );
  await assert.rejects(rig.call('projects_update', { id, name: 'x' }, as('supervisor')), code('permission_denied'));
});

test('[A112] invalid fields of a project are refused', async () => {
  await using rig = await openRig();
  const id = rig.project;
  const bad: Omit<Input<'projects_update'>, 'id'>[] = [
    { timezone: 'Mars/Olympus' },
    { language: 'english please' },
    { name: ' ' },
    { url: 'not a url' },
    { shift_pattern: [] },
    { shift_pattern: [{ name: 'a', starts: '25:00', ends: '06:00' }] },
    {
      shift_pattern: [
        { name: 'a', starts: '06:00', ends: '14:00' },
        { name: 'a', starts: '14:00', ends: '22:00' },
      ],
    },
    {
      shift_pattern: [
        { name: 'day', starts: '06:00', ends: '18:00' },
        { name: 'night', starts: '17:00', ends: '05:00' },
      ],
    },
    {
      shift_pattern: [
        { name: 'early', starts: '05:00', ends: '06:00' },
        { name: 'night', starts: '18:00', ends: '05:30' },
      ],
    },
    {
      shift_pattern: [
        { name: 'all', starts: '06:00', ends: '06:00' },
        { name: 'more', starts: '07:00', ends: '08:00' },
      ],
    },
  ];
  for (const input of bad)
    await assert.rejects(
      rig.call('projects_update', { id, ...input }),
      code('parameter_invalid'),
      JSON.stringify(input),
    );
  await assert.rejects(
    rig.call('projects_update', { id, simulated: true } as Input<'projects_update'>),
    code('read_only_field'),
  );
  const three = [
    { name: 'early', starts: '06:00', ends: '14:00' },
    { name: 'late', starts: '14:00', ends: '22:00' },
    { name: 'night', starts: '22:00', ends: '06:00' },
  ];
  assert.deepEqual((await rig.call('projects_update', { id, shift_pattern: three })).shift_pattern, three);
});

test('[A112] projects are found by name and by whether they are simulated', async () => {
  await using rig = await openRig();
  const { project } = await rig.call('projects_create', { name: 'Demo quarry', simulated: true });
  const ids = async (query: object) => (await rig.call('projects_list', query)).data.map(({ id }) => id);
  assert.deepEqual(await ids({ simulated: true }), [project.id]);
  assert.deepEqual(await ids({ q: 'north' }), [rig.project]);
  assert.deepEqual(await ids({ simulated: false }), [rig.other, rig.project]);
});
