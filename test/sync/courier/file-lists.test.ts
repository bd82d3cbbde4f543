/** The bounds of the lists of files in a bundle. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { openArtifacts } from '#store/artifacts.ts';
import { openUploads } from '#store/uploads.ts';
import { type ListText, MOST_NAMED, PREFIX } from '#sync/courier/bundle-parts.ts';
import { CourierFiles } from '#sync/courier/courier-files.ts';
import { FilesReading, nameOfFile } from '#sync/courier/files-reading.ts';
import { temporaryFolder } from '#test/store/kit.ts';

const PROJECT = 'prj_0123456789abcdef';
const text = (project: string, last: boolean): ListText => ({ project, lacking: [], read: [], last, whole: true });

test('[Y279] a reader knows the names of one project at a time, and no more than 200,000', async () => {
  await using folder = await temporaryFolder();
  await using artifacts = await openArtifacts(folder.path);
  const uploads = await openUploads(folder.path, artifacts);
  const view = (): never => assert.fail('a list reads no records');
  const files = new CourierFiles({ store: { view }, artifacts, uploads, room: () => 0 });
  const reading = () => new FilesReading(files, { files: 0, file_bytes: 0 });

  const all = randomBytes(MOST_NAMED * PREFIX);
  const half = all.length / 2;
  const full = reading();
  assert.equal(full.list(text(PROJECT, false), all.subarray(0, half)), undefined);
  const named = full.list(text(PROJECT, true), all.subarray(half));
  for (const at of [0, half, all.length - PREFIX])
    assert.ok(named?.has(nameOfFile(`${all.toString('hex', at, at + PREFIX)}${'0'.repeat(32)}`)));
  assert.equal(named?.has(nameOfFile('0'.repeat(64))), false);
  // The names of the next project begin anew.
  assert.equal(
    full.list(text(`${PROJECT}0`, true), Buffer.alloc(0))?.has(nameOfFile(all.toString('hex', 0, 32))),
    false,
  );

  const damaged = { code: 'bundle_damaged' };
  const more = reading();
  more.list(text(PROJECT, false), all);
  assert.throws(() => more.list(text(PROJECT, true), randomBytes(PREFIX)), damaged);
  const mixed = reading();
  mixed.list(text(PROJECT, false), randomBytes(PREFIX));
  assert.throws(() => mixed.list(text(`${PROJECT}0`, true), randomBytes(PREFIX)), damaged);
  assert.throws(() => reading().list(text(PROJECT, true), randomBytes(PREFIX + 1)), damaged);
});
