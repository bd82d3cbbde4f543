/** Ends that cannot take what the other one sends, as real processes: the exchange of everything else goes on. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Client } from '#contract/client.ts';
import { until } from '#test/support/until.ts';
import { End, twoEnds } from './ends.ts';

const HOOK = pathToFileURL(join(import.meta.dirname, '..', 'support', 'other-version.ts')).href;
const version = (name: 'small' | 'stuck') => ({ NODE_OPTIONS: `--import=${HOOK}`, TEST_VERSION: name });

/** A ticket that the version `small` cannot take. */
const longTicket = (client: Client, equipment_id: string, title: string) =>
  client.call('repair_tickets_create', { equipment_id, title, description: 'Oil '.repeat(900) });
const machines = async (client: Client) => (await client.call('equipment_list', { limit: 10 })).data.length;
const tickets = async (client: Client) => (await client.call('repair_tickets_list', { limit: 10 })).data.length;
const TITLES = ['Leak', 'Crack', 'Noise', 'Smoke', 'Wear'];

test('[Y200] [Y201] [Y202] a head office whose quarantine is full goes on, says what it lacks, and gets it after its update', async () => {
  await using ends = await twoEnds();
  const { cloud, site, here, there } = ends;
  const { id } = await here.call('equipment_create', { unit_number: 'HT-1' });
  await until(async () => (await machines(there)) === 1, 'the machine is at head office');
  await cloud.kill();
  await cloud.start(version('small'));
  for (const title of TITLES) await longTicket(here, id, title);
  await here.call('equipment_create', { unit_number: 'HT-2' });
  await until(async () => (await machines(there)) === 2, 'the exchange goes on');
  const gateway = async () => (await cloud.status()).gateways[0];
  await until(async () => ((await gateway())?.not_taken ?? 0) >= TITLES.length, 'head office counts what it lacks');
  assert.match(
    (await gateway())?.sentence ?? '',
    /noted the names, and the site keeps the records\. Update head office/,
  );
  await until(async () => (await site.status()).projects[0]?.waiting === 0, 'nothing waits at the site');
  const status = await site.status();
  assert.deepEqual([status.state, status.projects[0]?.in_step], ['catching_up', false]);
  assert.match(status.sentence, /^Head office could not take changes of .* Update head office/);
  const [receipt] = (await site.client().call('sync_verify', {})).data;
  assert.equal(receipt?.verdict, 'incomplete');
  assert.match(receipt?.sentence ?? '', /noted the names, and this site keeps the records/);
  await cloud.kill();
  await cloud.start();
  await until(async () => (await tickets(there)) === TITLES.length, 'head office has the tickets after its update');
  await site.inStep();
  const [after] = (await site.client().call('sync_verify', {})).data;
  assert.equal(after?.verdict, 'complete', after?.sentence);
  await until(async () => (await gateway())?.not_taken === 0, 'head office lacks nothing');
});

test('[Y200] [Y201] [Y202] a site whose quarantine is full goes on, says what it lacks, and gets it after its update', async () => {
  await using ends = await twoEnds();
  const { site, here, there } = ends;
  const { id } = await here.call('equipment_create', { unit_number: 'HT-1' });
  await until(async () => (await machines(there)) === 1, 'the machine is at head office');
  await site.kill();
  await site.start(version('small'));
  for (const title of TITLES) await longTicket(there, id, title);
  await there.call('equipment_create', { unit_number: 'HT-2' });
  await until(async () => (await machines(here)) === 2, 'the exchange goes on');
  const project = async () => (await site.status()).projects[0];
  await until(async () => ((await project())?.not_taken ?? 0) >= TITLES.length, 'the site counts what it lacks');
  await until(async () => (await site.status()).state === 'catching_up', 'the site is not in step');
  assert.match((await site.status()).sentence, /This site could not take changes of .* Update this site/);
  const [receipt] = (await site.client().call('sync_verify', {})).data;
  assert.notEqual(receipt?.verdict, 'complete');
  await site.kill();
  await site.start();
  await until(async () => (await tickets(here)) === TITLES.length, 'the site has the tickets after its update');
  await site.inStep();
  assert.equal((await project())?.not_taken, 0);
  const [after] = (await site.client().call('sync_verify', {})).data;
  assert.equal(after?.verdict, 'complete', after?.sentence);
});

test('[Y181] a comparison that makes no progress stops the exchange of its project only', async () => {
  await using cloud = await new End({ HEADFRAME_ROLE: 'cloud' }).start(version('stuck'));
  await using site = await new End({}).start();
  const names = ['Large', 'Small'] as const;
  const [large, small] = (await Promise.all(
    names.map(async (name) => (await site.client().call('projects_create', { name, timezone: 'UTC' })).project.id),
  )) as [string, string];
  // So many that more than 128 have the same leaf of a digest.
  for (let i = 0; i < 260; i++) await site.client(large).call('equipment_create', { unit_number: `HT-${i}` });
  await site.client(small).call('equipment_create', { unit_number: 'EX-1' });
  const { code } = await cloud.client().call('sync_enrolments_create', { name: 'Quarry North' });
  await site.client().call('sync_link_set', { cloud_url: `http://127.0.0.1:${cloud.port}`, code });
  const project = async (id: string) => (await site.status()).projects.find(({ project_id }) => project_id === id);
  await until(async () => (await site.status()).error?.code === 'comparison_stuck', 'the site says that it is stuck');
  await until(async () => (await project(small))?.in_step === true, 'the other project is in step');
  assert.equal((await project(large))?.in_step, false);
  const there = cloud.client(small);
  assert.equal(await machines(there), 1);
  await site.client(small).call('equipment_create', { unit_number: 'EX-2' });
  await until(async () => (await machines(there)) === 2, 'the exchange of the other project goes on');
  const { state, sentence, next_try_at } = await site.status();
  assert.deepEqual([state, next_try_at], ['catching_up', null]);
  assert.match(sentence, /comparison of a project makes no progress/);
  await cloud.kill();
  await cloud.start();
  await site.kill();
  await site.start();
  await site.inStep();
  const [last] = (await cloud.client(large).call('equipment_list', { limit: 1, q: 'HT-259' })).data;
  assert.equal(last?.unit_number, 'HT-259');
});
