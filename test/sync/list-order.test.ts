/** The order of lists at a site and head office, as real processes. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Client } from '#contract/client.ts';
import { until } from '#test/support/until.ts';
import { apart, End, enrol, type TwoEnds, twoEnds } from './ends.ts';

const HOOK = pathToFileURL(join(import.meta.dirname, '..', 'support', 'other-version.ts')).href;
/** A version that does not copy the order of most lists. */
const EARLIER = { NODE_OPTIONS: `--import=${HOOK}`, TEST_VERSION: 'unordered' };

/** A machine that is down with a ticket, and two mechanics whose ids are sorted by their names. */
async function begin(client: Client) {
  const { id: machine } = await client.call('equipment_create', { unit_number: 'HT-1' });
  await client.call('equipment_update', { id: machine, status: 'down' });
  const make = async (name: string) => (await client.call('mechanics_create', { name })).id;
  const [ana, bo, cy] = [await make('Ana'), await make('Bo'), await make('Cy')];
  const ticket = await client.call('repair_tickets_create', {
    ...{ equipment_id: machine, title: 'Leak', priority: 'critical' as const },
    assigned_mechanic_ids: [bo, ana],
  });
  return { machine, ticket: ticket.id, ana, bo, cy };
}

const assigned = async (client: Client, id: string) =>
  (await client.call('repair_tickets_get', { id })).assigned_mechanic_ids;

/** Who is on the machine, as the ranking of trouble says. */
async function ownerOf(client: Client, id: string): Promise<string | null | undefined> {
  const { attention } = await client.call('equipment_get', { id, include: 'attention' });
  return attention?.reasons.find(({ owner }) => owner !== null)?.owner;
}

/** Waits until both ends show these mechanics in this order. */
async function both({ here, there }: Pick<TwoEnds, 'here' | 'there'>, id: string, expected: readonly string[]) {
  for (const client of [here, there])
    await until(
      async () => String(await assigned(client, id).catch(() => [])) === String(expected),
      'an end shows the order',
    );
}

test('[Y240] both ends show the mechanics of a ticket in the order that a person wrote, and the same one as its owner', async () => {
  await using ends = await twoEnds();
  const { site, here, there } = ends;
  const { machine, ticket, ana, bo, cy } = await begin(here);
  const places = await here.call('equipment_create', { unit_number: 'HT-2', aliases: ['T9', 'T1'] });
  const certified = await here.call('operators_create', {
    name: 'Di',
    certifications: [
      { code: 'Z', expires_on: null },
      { code: 'A', expires_on: null },
    ],
  });
  await both(ends, ticket, [bo, ana]);
  for (const client of [here, there]) {
    await until(async () => (await ownerOf(client, machine)) === 'Bo', 'Bo is the owner');
    await until(async () => (await client.call('operators_list', {})).data.length === 1, 'the operator is there');
    assert.deepEqual((await client.call('equipment_get', { id: places.id })).aliases, ['T9', 'T1']);
    const { certifications } = await client.call('operators_get', { id: certified.id });
    assert.deepEqual(
      certifications.map(({ code }) => code),
      ['Z', 'A'],
    );
  }
  // Head office writes another order, and an edit of another field keeps it.
  await there.call('repair_tickets_update', { id: ticket, assigned_mechanic_ids: [cy, bo, ana] });
  await both(ends, ticket, [cy, bo, ana]);
  await here.call('repair_tickets_update', { id: ticket, title: 'Leak at the pump' });
  // Two people write an order at one time: the later one shows, and nobody is asked.
  await apart(
    ends,
    () => here.call('repair_tickets_update', { id: ticket, assigned_mechanic_ids: [bo, cy, ana] }),
    () => there.call('repair_tickets_update', { id: ticket, assigned_mechanic_ids: [ana, bo, cy] }),
  );
  await both(ends, ticket, [ana, bo, cy]);
  for (const client of [here, there])
    await until(async () => (await ownerOf(client, machine)) === 'Ana', 'Ana is the owner');
  assert.deepEqual((await there.call('sync_conflicts_list', {})).data, []);
  await site.inStep();
  const [receipt] = (await site.client().call('sync_verify', {})).data;
  assert.equal(receipt?.verdict, 'complete', receipt?.sentence);
});

for (const office of ['this', 'an earlier'] as const)
  test(`[Y242] an earlier site, with head office of ${office} version: after the updates both ends show the order that a person wrote at the site`, async () => {
    const version = office === 'this' ? {} : EARLIER;
    await using cloud = await new End({ HEADFRAME_ROLE: 'cloud' }).start(version);
    await using site = await new End({}).start(EARLIER);
    const project = await enrol(cloud, site, `http://127.0.0.1:${cloud.port}`);
    const [here, there] = [site.client(project), cloud.client(project)];
    const { ticket, ana, bo } = await begin(here);
    await until(async () => String(await assigned(there, ticket).catch(() => [])) === `${ana},${bo}`, 'the ticket');
    assert.deepEqual(await assigned(here, ticket), [bo, ana]);
    const { revision } = await here.call('repair_tickets_get', { id: ticket });
    await site.inStep();
    await cloud.kill();
    await cloud.start();
    await site.kill();
    await site.start();
    await both({ here, there }, ticket, [bo, ana]);
    assert.equal((await here.call('repair_tickets_get', { id: ticket })).revision, revision);
    await site.inStep();
    const [receipt] = (await site.client().call('sync_verify', {})).data;
    assert.equal(receipt?.verdict, 'complete', receipt?.sentence);
  });

test('[Y242] an earlier head office keeps an order that it does not know when a person edits the record there, and an order of that person counts after its update', async () => {
  await using cloud = await new End({ HEADFRAME_ROLE: 'cloud' }).start(EARLIER);
  await using site = await new End({}).start();
  const project = await enrol(cloud, site, `http://127.0.0.1:${cloud.port}`);
  const [here, there] = [site.client(project), cloud.client(project)];
  const { ticket, ana, bo, cy } = await begin(here);
  await until(async () => String(await assigned(there, ticket).catch(() => [])) === `${ana},${bo}`, 'the ticket');
  await there.call('repair_tickets_update', { id: ticket, title: 'Leak at the pump' });
  await there.call('repair_tickets_update', { id: ticket, assigned_mechanic_ids: [cy, ana, bo] });
  await until(async () => String(await assigned(here, ticket)) === `${bo},${ana},${cy}`, 'the site has the third one');
  assert.equal((await here.call('repair_tickets_get', { id: ticket })).title, 'Leak at the pump');
  await site.inStep();
  const receipt = async () => (await site.client().call('sync_verify', {})).data[0]?.verdict;
  assert.equal(await receipt(), 'complete');
  await cloud.kill();
  await cloud.start();
  await both({ here, there }, ticket, [cy, ana, bo]);
  await site.inStep();
  assert.equal(await receipt(), 'complete');
});

test('[Y287] a site goes back to an earlier version, a person gives a list another order there, and after the second update both ends show it', async () => {
  await using ends = await twoEnds();
  const { site, here, there } = ends;
  const { ticket, machine, ana, bo, cy } = await begin(here);
  const other = await here.call('repair_tickets_create', {
    ...{ equipment_id: machine, title: 'Belt', priority: 'low' as const },
    assigned_mechanic_ids: [cy, ana],
  });
  for (const [id, expected] of [[ticket, [bo, ana]] as const, [other.id, [cy, ana]] as const])
    await both(ends, id, expected);
  await site.inStep();
  for (const [order, title] of [
    [[cy, bo, ana], 'Belt of the fan'],
    [[bo, cy, ana], 'Belt of the pump'],
  ] as const) {
    await site.kill();
    await site.start(EARLIER);
    await here.call('repair_tickets_update', { id: ticket, assigned_mechanic_ids: [...order] });
    // A change of head office, from which the earlier version makes a list in the order of its names.
    await there.call('repair_tickets_update', { id: other.id, title });
    await until(async () => String(await assigned(here, other.id)) === `${ana},${cy}`, 'the order of the names');
    await until(
      async () => String(await assigned(there, ticket)) !== String(order),
      'head office shows the earlier order',
    );
    await site.inStep();
    await site.kill();
    await site.start();
    await both(ends, ticket, order);
    await both(ends, other.id, [cy, ana]);
    await site.inStep();
    const [receipt] = (await site.client().call('sync_verify', {})).data;
    assert.equal(receipt?.verdict, 'complete', receipt?.sentence);
  }
});
