import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { OperationError } from '#contract/base/errors.ts';
import { SKILL_LIMITS, type SkillRevisionData } from '#contract/work/skill.ts';
import { as, openRig } from '#test/support/handler-rig.ts';

const code = (wanted: string) => (error: OperationError) => error.code === wanted;
const sha = (text: string | Uint8Array) => createHash('sha256').update(text).digest('hex');
const leaf = (path: string, bytes: string | Uint8Array) => sha(`leaf\n${path}\n${sha(bytes)}`);
const node = (left: string, right: string) => sha(`node\n${left}\n${right}`);

const BYTES = Uint8Array.from({ length: 256 }, (_, i) => i);
const FILES = [
  { path: 'scripts/run.sh', content: 'echo ø\n' },
  { path: 'SKILL.md', content: '# Fuel' },
  { path: 'logo.png', content_base64: Buffer.from(BYTES).toString('base64') },
];
const SKILL = { skill_id: 'fuel', name: 'Fuel', version: '1.2', files: FILES };
const HASH = `sha256:${node(node(leaf('SKILL.md', '# Fuel'), leaf('logo.png', BYTES)), leaf('scripts/run.sh', 'echo ø\n'))}`;

test('[A111] the hash is a Merkle root over sorted paths and contents, and contents are returned unchanged', async () => {
  await using rig = await openRig();
  const made = await rig.call('skills_import', { ...SKILL, expected_hash: HASH });
  assert.deepEqual(
    [made.hash, made.source, made.base_catalog_hash, made.version, made.revision],
    [HASH, 'project_override', null, '1.2', 1],
  );
  assert.deepEqual(made.created_by, { type: 'workspace', id: 'key_owner', name: 'owner' });
  const read = await rig.call('skills_revision', { revision_id: made.id, include: 'content' });
  assert.deepEqual([read.verification.valid, read.verification.expected, read.verification.actual], [true, HASH, HASH]);
  assert.deepEqual(
    read.files.map(({ path, bytes }) => [path, bytes]),
    [
      ['SKILL.md', 6],
      ['logo.png', 256],
      ['scripts/run.sh', 8],
    ],
  );
  assert.deepEqual(Buffer.from(read.files[1]?.content_base64 ?? '', 'base64'), Buffer.from(BYTES));
  assert.equal((await rig.call('skills_revision', { revision_id: made.id })).files[0]?.content_base64, undefined);
  await assert.rejects(
    rig.call('skills_revision', { revision_id: made.id }, { project: rig.other }),
    code('not_found'),
  );
});

test('[A111] the same files give the same revision, in any order and concurrently; other files another one', async () => {
  await using rig = await openRig();
  const made = await Promise.all([
    rig.call('skills_import', SKILL),
    rig.call('skills_import', { ...SKILL, files: FILES.toReversed() }),
  ]);
  assert.equal(made[0].id, made[1].id);
  assert.equal(await rig.status('skills_import', SKILL), 200);
  assert.equal(await rig.status('skills_import', { ...SKILL, skill_id: 'other' }), 201);
  const changed = await rig.call('skills_import', { ...SKILL, files: [{ path: 'SKILL.md', content: '# Fuel!' }] });
  assert.notEqual(changed.id, made[0].id);
  const log = await rig.call('audit_list', { type: 'imported' });
  assert.equal(log.data.length, 3);
});

test('[A111] another expected hash imports nothing, and the error names both hashes', async () => {
  await using rig = await openRig();
  const expected_hash = `sha256:${'0'.repeat(64)}`;
  await assert.rejects(rig.call('skills_import', { ...SKILL, expected_hash }), (error: OperationError) => {
    assert.deepEqual([error.code, error.details], ['hash_mismatch', [{ expected: expected_hash, actual: HASH }]]);
    return true;
  });
  assert.deepEqual((await rig.call('audit_list', { type: 'imported' })).data, []);
});

test('[A111] reading a revision whose stored files were changed is an error', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('skills_import', SKILL);
  const view = rig.store.view(rig.project);
  const stored = await view.get<SkillRevisionData>('records', id);
  assert.ok(stored);
  const files = stored.data.files.map((file, i) => (i === 0 ? { ...file, content_base64: 'IyBFdmls' } : file));
  await view.commit([
    { collection: 'records', id, object: 'skill_revision', data: { ...stored.data, files }, expected: 1 },
  ]);
  const { verification } = await rig.call('skills_revision', { revision_id: id });
  assert.equal(verification.valid, false);
  assert.equal(verification.expected, HASH);
  assert.notEqual(verification.actual, HASH);
});

test('[A111] invalid paths, duplicate files and files over the limits are refused', async () => {
  await using rig = await openRig();
  const refused = (files: unknown, wanted: string) =>
    assert.rejects(rig.call('skills_import', { ...SKILL, files: files as typeof FILES }), code(wanted));
  for (const path of ['../a', 'a/../b', '/etc/x', 'a\\b', 'a//b', './a', '', 'a/', 'a b', '..'])
    await refused([{ path, content: '' }], 'parameter_invalid');
  assert.ok(await rig.call('skills_import', { ...SKILL, files: [{ path: '..a/b..c/.x', content: '' }] }));
  await refused([], 'parameter_invalid');
  await refused([{ path: 'a' }], 'parameter_invalid');
  await refused([{ path: 'a', content: 'x', content_base64: 'eA==' }], 'parameter_invalid');
  await refused([{ path: 'a', content_base64: 'not base64!' }], 'parameter_invalid');
  await refused(
    [
      { path: 'a', content: '1' },
      { path: 'A', content: '2' },
    ],
    'parameter_invalid',
  );
  const many = Array.from({ length: SKILL_LIMITS.files + 1 }, (_, i) => ({ path: `f${i}`, content: '' }));
  await refused(many, 'parameter_invalid');
  await refused([{ path: 'a', content: 'ø'.repeat(SKILL_LIMITS.file_bytes - 1) }], 'payload_too_large');
  const large = Array.from({ length: 5 }, (_, i) => ({ path: `f${i}`, content: 'x'.repeat(SKILL_LIMITS.file_bytes) }));
  await refused(large, 'payload_too_large');
  assert.ok(await rig.call('skills_import', { ...SKILL, files: large.slice(1) }));
  await assert.rejects(rig.call('skills_import', SKILL, as('supervisor')), code('permission_denied'));
});
