/** Two boxes with one identity: a person at head office sees both and chooses one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '#test/support/until.ts';
import { ASK_MS } from './ends.ts';
import { twoBoxes } from './two-boxes.ts';

test('[Y215] [Y216] [Y217] head office shows both boxes with one identity, and the one that a person keeps becomes the site', async () => {
  await using boxes = await twoBoxes();
  const { cloud, project, counting, alone, gateway } = boxes;
  const [site, fenced] = (await gateway()).boxes;
  assert.deepEqual([site?.fenced_at, fenced?.fenced_at === null], [null, false]);
  assert.notEqual(site?.mark, fenced?.mark);
  assert.equal((await alone.status()).box?.mark, fenced?.mark);
  assert.equal((await counting.status()).box?.mark, site?.mark);
  assert.ok(fenced?.newest_at && fenced.host.length > 0);
  assert.match((await gateway()).sentence, /Several boxes use the identity of this site/);

  await counting.kill();
  const { last_contact_at } = await gateway();
  await alone.client(project).call('equipment_create', { unit_number: 'HT-9' });
  await alone.kill();
  await alone.start();
  const isTold = async () => (await gateway()).boxes.some(({ mark, waiting }) => mark === fenced?.mark && waiting > 0);
  await until(isTold, 'the fenced box says what waits, with the same mark as before', ASK_MS);

  const { enrolment_id: id } = await gateway();
  const keep = (mark: string) => cloud.client().call('sync_enrolments_revoke', { id, keep: mark });
  await assert.rejects(keep('00000000'), { code: 'not_found', message: /^No box of this gateway has this mark/ });
  assert.equal((await gateway()).last_contact_at, last_contact_at, 'a call of a fenced box is no call of the site');
  await keep(fenced?.mark ?? '');
  await alone.inStep();
  const isWhole = async () => (await gateway()).boxes.every(({ fenced_at }) => fenced_at === null);
  await until(isWhole, 'the chosen box says that it is not fenced any more', ASK_MS);
  const units = async () => (await cloud.client(project).call('equipment_list', {})).data.map((one) => one.unit_number);
  assert.ok((await units()).includes('HT-9'), 'head office has what the chosen box wrote alone');

  await counting.start();
  await counting.client(project).call('equipment_create', { unit_number: 'HT-10' });
  await until(async () => (await counting.status()).state === 'fenced', 'the other box is fenced', ASK_MS);
  const other = async () => (await gateway()).boxes.find(({ fenced_at }) => fenced_at !== null);
  await until(async () => (await other()) !== undefined, 'head office shows it as fenced', ASK_MS);
  assert.notEqual((await other())?.mark, site?.mark, 'an earlier order does not name it');
  await until(async () => ((await other())?.waiting ?? 0) > 0, 'what it did not send stays on it', ASK_MS);
  assert.ok(!(await units()).includes('HT-10'));
  await keep((await other())?.mark ?? '');
  await counting.inStep();
  assert.ok((await units()).includes('HT-10'), 'it comes when a person keeps that box');
  const { data } = await cloud.client(project).call('audit_list', { of: 'gateway', subject: id, type: 'box_kept' });
  assert.equal(data.length, 2);
});
