/** Two processes of head office with one PostgreSQL database. */
import assert from 'node:assert/strict';
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { type Client, createClient } from '#contract/client.ts';
import { readControl } from '#settings/control-file.ts';
import { startGateway } from '#test/support/gateway.ts';
import { noPostgres, type PostgresServer, startPostgres } from '#test/support/postgres.ts';
import { until } from '#test/support/until.ts';
import { End, enrol } from './ends.ts';
import { startOffices, type TwoOffices } from './offices.ts';

const HOOK = pathToFileURL(join(import.meta.dirname, '..', 'support', 'other-version.ts')).href;

let server: PostgresServer;

const twoOffices = (more: Readonly<Record<string, string>> = {}): Promise<TwoOffices> => startOffices(server, more);

/** A client without a key. */
const open = ({ port }: End): Client => createClient({ base_url: `http://127.0.0.1:${port}` });

/** The `headframe` command on the computer of a process. */
async function commander({ folder }: End): Promise<Client> {
  const control = await readControl(folder);
  assert.ok(control !== undefined);
  return createClient({ base_url: control.http, key: control.token });
}

const newProject = async (client: Client): Promise<string> =>
  (await client.call('projects_create', { name: 'Yard', timezone: 'UTC' })).project.id;

if (noPostgres) test('two processes of head office', { skip: noPostgres }, () => {});
else {
  before(async () => {
    server = await startPostgres();
  });
  after(() => server[Symbol.asyncDispose]());

  test('[S106] a call that arrives at both processes at the same time with one key has one effect, and both give its answer', async () => {
    await using offices = await twoOffices();
    const { one, other } = offices;
    const project = await newProject(one.client());
    const make = async (end: End, unit_number: string): Promise<readonly [number, string | undefined]> => {
      const answer = await fetch(`http://127.0.0.1:${end.port}/api/v1/equipment`, {
        method: 'POST',
        headers: {
          ...{ authorization: `Bearer ${end.key}`, 'project-id': project, 'idempotency-key': `key-${unit_number}` },
          'content-type': 'application/json',
        },
        body: JSON.stringify({ unit_number }),
      });
      return [answer.status, ((await answer.json()) as { id?: string }).id];
    };
    for (let i = 0; i < 60; i++) {
      const [[a, first], [b, second]] = await Promise.all([make(one, `HT-${i}`), make(other, `HT-${i}`)]);
      assert.deepEqual([a, b, second], [201, 201, first]);
      assert.match(String(first), /^eq_/);
    }
    const { data } = await other.client(project).call('equipment_list', { limit: 200 });
    assert.equal(data.length, 60);
  });

  test('[S114] a list that one process began goes on at the other, and a key that one made and revoked counts at both', async () => {
    await using offices = await twoOffices();
    const { one, other } = offices;
    const project = await newProject(one.client());
    for (let i = 0; i < 5; i++) await one.client(project).call('equipment_create', { unit_number: `HT-${i}` });
    const seen: string[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < 3; page++) {
      const end = page % 2 === 0 ? one : other;
      const list = await end
        .client(project)
        .call('equipment_list', { limit: 2, ...(cursor !== undefined && { cursor }) });
      seen.push(...list.data.map(({ unit_number }) => unit_number));
      cursor = list.next_cursor ?? undefined;
    }
    assert.deepEqual(seen.sort(), ['HT-0', 'HT-1', 'HT-2', 'HT-3', 'HT-4']);
    const { key, secret } = await one.client().call('keys_create', { name: 'Reports', role: 'viewer' });
    const read = async (end: End): Promise<number> =>
      (
        await fetch(`http://127.0.0.1:${end.port}/api/v1/equipment`, {
          headers: { authorization: `Bearer ${secret}`, 'project-id': project },
        })
      ).status;
    assert.deepEqual([await read(one), await read(other)], [200, 200]);
    await one.client().call('keys_revoke', { id: key.id });
    assert.equal(await read(one), 401);
    await until(async () => (await read(other)) === 401, 'the other process refuses the key');
  });

  test('[Y291] an order of a list that a process of the earlier version writes beside an updated one reaches the site', async () => {
    const version = (name: string) => ({ NODE_OPTIONS: `--import=${HOOK}`, TEST_VERSION: name });
    const settings = { HEADFRAME_ROLE: 'cloud', HEADFRAME_DATABASE: await server.database() };
    await using updated = await new End(settings).start(version('hasty'));
    await using earlier = new End(settings);
    copyFileSync(join(updated.folder, 'secret.key'), join(earlier.folder, 'secret.key'));
    await earlier.start(version('unordered'));
    await using site = await new End({}).start();
    const project = await enrol(updated, site, `http://127.0.0.1:${updated.port}`);
    const here = site.client(project);
    const { id } = await here.call('equipment_create', { unit_number: 'HT-1', aliases: ['T9', 'T1'] });
    const aliases = async (client: Client): Promise<string> =>
      String((await client.call('equipment_get', { id }).catch(() => undefined))?.aliases);
    const [there, beside] = [updated.client(project), earlier.client(project)];
    await until(async () => (await aliases(there)) === 'T9,T1', 'the updated process shows the order of the site');
    await site.inStep();
    await beside.call('equipment_update', { id, aliases: ['T5', 'T9', 'T1'] });
    for (const client of [here, there])
      await until(async () => (await aliases(client)) === 'T5,T9,T1', 'the order that a person wrote');
    await site.inStep();
    const [receipt] = (await site.client().call('sync_verify', {})).data;
    assert.equal(receipt?.verdict, 'complete', receipt?.sentence);
  });

  test('[S118] a code that one process makes works at the other, once: claim codes, codes of screens and of local sign-in', async () => {
    await using offices = await twoOffices();
    const { one, other } = offices;
    const both = [one, other];
    const fulfilled = (tries: readonly PromiseSettledResult<unknown>[]): number =>
      tries.filter(({ status }) => status === 'fulfilled').length;
    let user_id = '';
    for (let i = 0; i < 6; i++) {
      const { code } = await (await commander(both[i % 2] as End)).call('claim_code', {});
      const claim = { code, name: `Nora ${i}`, passphrase: `correct horse battery ${i}` };
      const tries = await Promise.allSettled(both.map((end) => open(end).call('account_claim', claim)));
      assert.equal(fulfilled(tries), 1, `claim ${i}`);
      const { data } = await other.client().call('users_list', {});
      user_id = data.at(-1)?.id ?? '';
    }
    for (let i = 0; i < 6; i++) {
      const { code } = await (await commander(both[i % 2] as End)).call('local_code', { user_id });
      const tries = await Promise.allSettled(both.map((end) => open(end).call('local_sign_in', { code })));
      assert.equal(fulfilled(tries), 1, `local sign-in ${i}`);
    }
    const project = await newProject(one.client());
    const playlists = await Promise.all(
      both.map((end, i) => end.client(project).call('playlists_create', { name: `Canteen ${i}`, items: [] })),
    );
    for (let i = 0; i < 6; i++) {
      const screen = open(both[i % 2] as End);
      const { user_code, device_code = '' } = await screen.call('display_pairings_create', {});
      const approve = (end: End, n: number) =>
        end.client(project).call('display_pairings_approve', { user_code, object_id: playlists[n]?.id ?? '' });
      assert.equal(fulfilled(await Promise.allSettled(both.map(approve))), 1, `pairing ${i}`);
      const polls = await Promise.all(both.map((end) => open(end).call('display_pairings_poll', { device_code })));
      assert.deepEqual(
        polls.map(({ status }) => status),
        ['approved', 'approved'],
      );
    }
  });

  test('[S118] at most eight screens of one address wait at both processes together, and each process counts requests by itself', async () => {
    await using offices = await twoOffices({ HEADFRAME_REQUESTS_PER_MINUTE: '60' });
    const { one, other } = offices;
    const made = await Promise.all(
      Array.from({ length: 10 }, (_, i) => open(i % 2 === 0 ? one : other).call('display_pairings_create', {})),
    );
    const polls = await Promise.allSettled(
      made.map(({ device_code = '' }) => open(other).call('display_pairings_poll', { device_code })),
    );
    assert.equal(polls.filter(({ status }) => status === 'fulfilled').length, 8);
    const read = async (end: End): Promise<number> =>
      (await fetch(`http://127.0.0.1:${end.port}/api/v1/keys`, { headers: { authorization: `Bearer ${one.key}` } }))
        .status;
    await until(async () => (await read(one)) === 429, 'one process refuses requests');
    assert.equal(await read(other), 200);
  });

  test('[S116] a setup whose process is killed goes on in the other process, and makes each machine once', async () => {
    await using offices = await twoOffices();
    const { one, other } = offices;
    // The process that started first does the background work; after it was killed, the other one.
    for (const [holder, survivor] of [
      [one, other],
      [other, one],
    ] as const) {
      const project_id = await newProject(survivor.client());
      const client = survivor.client(project_id);
      const prompt = 'HT-01 to HT-150 are Cat 777G haul trucks. EX-01 to EX-50 are Komatsu PC1250 excavators.';
      const { setup } = await client.call('projects_setup', { project_id, prompt });
      const read = async () => (await client.call('tasks_get', { task_id: setup.task.id })).run;
      await until(async () => (await read())?.status !== 'pending', 'the setup begins');
      await holder.kill();
      await until(async () => (await read())?.status === 'completed', 'the setup is complete');
      const machines: string[] = [];
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page = await client.call('equipment_list', { limit: 200, ...(cursor !== undefined && { cursor }) });
        machines.push(...page.data.map(({ unit_number }) => unit_number));
        cursor = page.next_cursor;
      }
      assert.deepEqual([machines.length, new Set(machines).size], [200, 200]);
      await holder.start();
    }
  });

  test('[S114] a process with another key file than the others is refused by name', async () => {
    const settings = { HEADFRAME_ROLE: 'cloud', HEADFRAME_DATABASE: await server.database() };
    await using one = await startGateway(undefined, {}, settings);
    await assert.rejects(startGateway(undefined, {}, settings), (error: Error & { code?: string }) => {
      assert.equal(error.code, 'key_differs');
      assert.match(error.message, /Copy secret\.key from the data folder of one of them/);
      return true;
    });
    await one.node[Symbol.asyncDispose]();
    // Nobody has the key any more: the administrator deletes the row, as the message says.
    rmSync(join(one.folder, 'secret.key'));
    await assert.rejects(startGateway(one.folder, {}, settings), /secret\.key/);
    await server.query(settings.HEADFRAME_DATABASE, "DELETE FROM headframe.local WHERE id='sealing_keys'");
    await (await startGateway(one.folder, {}, settings)).node[Symbol.asyncDispose]();
  });

  test('[S114] a site that reaches a process at random is in step, and hears of news', async () => {
    await using offices = await twoOffices();
    await using site = await new End({}).start();
    const { one, other, balancer } = offices;
    const project = await enrol(one, site, `http://127.0.0.1:${balancer.port}`);
    await site.inStep();
    const { id } = await site.client(project).call('equipment_create', { unit_number: 'HT-1', name: 'Truck' });
    const nameAt = async (end: End): Promise<string | null> =>
      (await end.client(project).call('equipment_get', { id })).name;
    await until(async () => (await nameAt(other).catch(() => null)) === 'Truck', 'the machine is at head office');
    for (const [end, name] of [
      [one, 'Truck of one'],
      [other, 'Truck of the other'],
    ] as const) {
      await end.client(project).call('equipment_update', { id, name });
      await until(async () => (await nameAt(site)) === name, 'the rename is at the site');
    }
    await site.inStep();
    assert.ok(balancer.count('/api/v1/sync/messages').every((count) => count > 0));
    // Both processes give the same states, so the site does not ask again and again.
    const hints = balancer.count('/api/v1/sync/hints').reduce((sum, count) => sum + count, 0);
    assert.ok(hints < 100, `${hints} hints`);
    const heard = async (end: End) =>
      (await end.status()).gateways.map(({ name, version }) => [name, version !== null]);
    for (const end of [one, other])
      await until(
        async () => JSON.stringify(await heard(end)) === '[["Quarry North",true]]',
        'a process knows the site',
      );
  });
}
