/** Files between a site and head office as two real processes, with cuts and kills. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Client } from '#contract/client.ts';
import { Random } from '#test/sim/random.ts';
import { NO_HARM, startCutProxy } from '#test/support/cut-proxy.ts';
import { addMachine, OWNER_KEY, startGateway, uploadFile } from '#test/support/gateway.ts';
import { killsOf } from '#test/support/kills.ts';
import { TEST_SEED } from '#test/support/seed.ts';
import { until } from '#test/support/until.ts';
import { End, enrol } from './ends.ts';

const sha = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** A picture of one pixel, with bytes after its end that make it different from others. */
const pictureOf = (more: Uint8Array = new Uint8Array()): Buffer =>
  Buffer.concat([
    Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
      'base64',
    ),
    more,
  ]);

/** The content of a file at an end; the code of the error if the end does not have it. */
async function contentOf(end: End, project: string, id: string): Promise<Buffer | string> {
  const headers = { authorization: `Bearer ${OWNER_KEY}`, 'project-id': project };
  const response = await fetch(`http://127.0.0.1:${end.port}/api/v1/artifacts/${id}/content`, { headers });
  if (response.status === 200) return Buffer.from(await response.arrayBuffer());
  return ((await response.json()) as { error: { code: string } }).error.code;
}

async function arrives(end: End, project: string, id: string, content: Uint8Array): Promise<void> {
  let last: unknown;
  await until(async () => {
    const found = await contentOf(end, project, id).catch((error: unknown) => String(error));
    last = typeof found === 'string' ? found : `${found.length} bytes`;
    return typeof found !== 'string' && sha(found) === sha(content);
  }, `the file ${id} is at the other end`).catch((error: unknown) => {
    throw new Error(`${String(error)}: ${String(last)}`);
  });
}

const photo = async (client: Client, equipment: string, content: Buffer): Promise<string> =>
  (await client.call('equipment_upload_photo', { id: equipment, content_base64: content.toString('base64') })).id;

/** What the link used. */
async function budgetOf(site: End) {
  const { budget } = await site.status();
  if (budget === null) throw new Error('a site has a budget');
  return budget;
}

/** A site that is enrolled at head office, with one machine. */
async function pair(cloud: End, site: End, url = `http://127.0.0.1:${cloud.port}`) {
  const project = await enrol(cloud, site, url);
  const [here, there] = [site.client(project), cloud.client(project)];
  const machine = await addMachine(here, 'HT-1');
  await site.inStep();
  return { project, here, there, machine };
}

test('[Y87] a photo of the site arrives at head office, and a photo of head office at the site', async () => {
  await using cloud = await new End({ HEADFRAME_ROLE: 'cloud' }).start();
  await using site = await new End({}).start();
  const { project, here, there, machine } = await pair(cloud, site);
  const [ours, theirs] = [pictureOf(Buffer.from('site')), pictureOf(Buffer.from('head office'))];
  const up = await photo(here, machine.equipment_id, ours);
  const down = await photo(there, machine.equipment_id, theirs);
  await arrives(cloud, project, up, ours);
  await arrives(site, project, down, theirs);
  for (const client of [here, there])
    for (const id of [up, down])
      await until(
        async () => (await client.call('artifacts_get', { id })).replication === 'cloud',
        'the file is marked as being at both ends',
      );
  const state = await there.call('artifacts_transfer', { id: up });
  assert.deepEqual([state.state, state.received, state.sentence], ['here', ours.length, 'Head office has this file.']);
});

test('[Y81] a log arrives once and whole through cuts and kills, and little of it is sent twice', async (t) => {
  const bytes = Number(process.env.TEST_FILE_MB ?? 12) << 20;
  const random = new Random(TEST_SEED);
  await using cloud = await new End({ HEADFRAME_ROLE: 'cloud' }).start();
  await using site = await new End({}).start();
  await using proxy = await startCutProxy(cloud.port, TEST_SEED);
  const { project, machine } = await pair(cloud, site, `http://127.0.0.1:${proxy.port}`);
  await site.inStep();
  const content = randomBytes(bytes);
  proxy.cut();
  const id = await uploadFile(`http://127.0.0.1:${site.port}`, machine, 'log.bin', content);
  proxy.harm = { ...NO_HARM, delay_ms: 6 };
  proxy.open();
  const kills = killsOf(3);
  const faults = [...Array<string>(2 * kills).fill('cut'), ...Array<string>(kills).fill('kill')];
  const before = proxy.counts.up;
  for (let i = 0; faults.length > 0; i++) {
    const next = before + (bytes * (i + 1)) / (3 * kills + 1);
    await until(() => Promise.resolve(proxy.counts.up >= next), `the link has moved ${next} bytes`);
    const [fault] = faults.splice(random.int(faults.length), 1);
    if (fault === 'cut') {
      proxy.cut();
      proxy.open();
    } else {
      const victim = random.chance(0.5) ? site : cloud;
      await victim.kill();
      await victim.start();
    }
  }
  await arrives(cloud, project, id, content);
  await until(async () => (await site.status()).files?.waiting === 0, 'the site knows that the file arrived');
  const sent = (proxy.counts.up - before) / bytes;
  t.diagnostic(`${bytes} bytes, ${2 * kills} cuts, ${kills} kills: ${sent.toFixed(3)} bytes sent for each byte`);
  assert.ok(sent < 1.5, `${sent} bytes were sent for each byte`);
  const { data } = await cloud.client(project).call('artifacts_list', { sha256: sha(content) });
  assert.equal(data.length, 1);
});

test('[Y82] content that head office has is not sent again', async () => {
  await using cloud = await new End({ HEADFRAME_ROLE: 'cloud' }).start();
  await using site = await new End({}).start();
  await using proxy = await startCutProxy(cloud.port, TEST_SEED);
  const { project, machine } = await pair(cloud, site, `http://127.0.0.1:${proxy.port}`);
  const content = randomBytes(3 << 20);
  const base = `http://127.0.0.1:${site.port}`;
  await arrives(cloud, project, await uploadFile(base, machine, 'one.bin', content), content);
  const before = proxy.counts.up;
  const again = await uploadFile(base, machine, 'two.bin', content);
  await arrives(cloud, project, again, content);
  assert.ok(proxy.counts.up - before < 1 << 20, `${proxy.counts.up - before} bytes were sent`);
});

test('[Y85] the check of custody finds a file that head office lost, and the site sends it again', async () => {
  await using cloud = await new End({ HEADFRAME_ROLE: 'cloud' }).start();
  await using site = await new End({}).start();
  const { project, here, machine } = await pair(cloud, site);
  const pictures = [pictureOf(Buffer.from('a')), pictureOf(Buffer.from('b'))];
  const ids: string[] = [];
  for (const picture of pictures) {
    const id = await photo(here, machine.equipment_id, picture);
    await arrives(cloud, project, id, picture);
    ids.push(id);
  }
  await until(async () => (await site.status()).files?.waiting === 0, 'the site knows that the files arrived');
  const verify = async () => (await site.client().call('sync_verify', {})).data[0];
  assert.equal((await verify())?.verdict, 'complete');
  const lost = pictures[0] as Buffer;
  const pathOf = (end: End) => join(end.folder, 'artifacts', sha(lost).slice(0, 2), sha(lost));
  rmSync(pathOf(cloud));
  const found = await verify();
  assert.deepEqual([found?.verdict, found?.files_waiting, found?.files_lost_total], ['not_settled', 1, 0]);
  assert.match(found?.sentence ?? '', /1 file still waits to be sent/);
  await arrives(cloud, project, ids[0] as string, lost);
  assert.equal((await verify())?.verdict, 'complete');
  for (const end of [cloud, site]) rmSync(pathOf(end));
  const gone = await verify();
  assert.deepEqual([gone?.verdict, gone?.files_lost], ['incomplete', [ids[0]]]);
  assert.match(gone?.sentence ?? '', /content of 1 file is lost: neither end has it/);
});

test('[Y83] on a metered link a large file waits, head office says so, and it comes when a person asks for it', async () => {
  await using cloud = await new End({ HEADFRAME_ROLE: 'cloud' }).start();
  await using site = await new End({}).start();
  const { project, here, there, machine } = await pair(cloud, site);
  await site.client().call('sync_budget_set', { metered: true });
  const [large, small] = [randomBytes(2 << 20), pictureOf()];
  const base = `http://127.0.0.1:${site.port}`;
  const id = await uploadFile(base, machine, 'large.bin', large);
  await arrives(cloud, project, await photo(here, machine.equipment_id, small), small);
  await until(async () => (await contentOf(cloud, project, id)) === 'content_not_here', 'head office knows the file');
  await until(async () => (await site.status()).files?.paused?.why === 'metered', 'the site says why it waits');
  await until(
    async () => /costs money/.test((await there.call('artifacts_transfer', { id })).sentence),
    'head office says why the file waits',
  );
  const before = await there.call('artifacts_transfer', { id });
  assert.deepEqual([before.state, before.bytes, before.received], ['waiting', large.length, 0]);
  assert.match(before.sentence, /2\.1 MB\) is at Quarry North\. The link costs money/);
  const asked = await there.call('artifacts_fetch', { id });
  assert.notEqual(asked.wanted_at, null);
  await site.client().call('sync_budget_set', { metered: false, file_hours: hoursAway() });
  await arrives(cloud, project, id, large);
  const used = await budgetOf(site);
  assert.ok(used.file_bytes > large.length && used.sent_bytes > used.file_bytes, JSON.stringify(used));
  await site.kill();
  await site.start();
  const after = await budgetOf(site);
  assert.ok(after.file_bytes > large.length / 2, `the counts survive a kill: ${JSON.stringify(after)}`);
});

/** Hours that are not now. */
function hoursAway(): { from: string; to: string }[] {
  const hour = (more: number) => `${String((new Date().getUTCHours() + more) % 24).padStart(2, '0')}:00`;
  return [{ from: hour(6), to: hour(8) }];
}

test('[Y84] files wait for their hours and for the next month, and nothing else waits with them', async () => {
  await using cloud = await new End({ HEADFRAME_ROLE: 'cloud' }).start();
  await using site = await new End({}).start();
  const { project, here, there, machine } = await pair(cloud, site);
  await site.client().call('sync_budget_set', { file_hours: hoursAway() });
  const content = pictureOf(Buffer.from('later'));
  const id = await photo(here, machine.equipment_id, content);
  await until(async () => (await site.status()).files?.paused?.why === 'window', 'the site waits for the hours');
  const until_ms = Date.parse((await site.status()).files?.paused?.until ?? '') - Date.now();
  assert.ok(until_ms > 5 * 3_600_000 - 60_000 && until_ms <= 6 * 3_600_000, String(until_ms));
  await here.call('equipment_update', { id: machine.equipment_id, name: 'Truck' });
  await until(
    async () => (await there.call('equipment_get', { id: machine.equipment_id })).name === 'Truck',
    'the rename is at head office',
  );
  assert.equal(await contentOf(cloud, project, id), 'content_not_here');
  await site.client().call('sync_budget_set', { bytes_per_month: 1_000_000 });
  const big = await uploadFile(`http://127.0.0.1:${site.port}`, machine, 'big.bin', randomBytes(1 << 20));
  await arrives(cloud, project, id, content);
  await until(async () => (await site.status()).files?.paused?.why === 'budget', 'the site waits for the next month');
  await until(async () => (await contentOf(cloud, project, big)) === 'content_not_here', 'head office knows the file');
  // In an emergency a person lifts all limits for some time.
  const at = (ms: number) => new Date(Date.now() + ms).toISOString();
  const lifted = { bytes_per_month: 1_000_000, override_until: at(3_600_000) };
  await assert.rejects(
    site.client().call('sync_budget_set', { ...lifted, override_until: at(32 * 86_400_000) }),
    /31 days/,
  );
  await site.client().call('sync_budget_set', lifted);
  await until(async () => typeof (await contentOf(cloud, project, big)) !== 'string', 'the file arrives');
  assert.equal((await budgetOf(site)).state, 'free');
  await site.client().call('sync_budget_set', { ...lifted, override_until: at(-1_000) });
  assert.equal((await budgetOf(site)).state, 'used_up');
});

test('[Y42] when the bytes of the month are used up, only alerts are sent, and the site says so', async () => {
  await using cloud = await new End({ HEADFRAME_ROLE: 'cloud' }).start();
  await using site = await new End({}).start();
  const { here, there, machine } = await pair(cloud, site);
  const used = await budgetOf(site);
  await uploadFile(`http://127.0.0.1:${site.port}`, machine, 'log.bin', randomBytes(1_200_000));
  await until(async () => (await budgetOf(site)).sent_bytes > used.sent_bytes + 1_200_000, 'the file was sent');
  await site.inStep();
  await site.client().call('sync_budget_set', { bytes_per_month: 1_000_000 });
  await here.call('equipment_update', { id: machine.equipment_id, name: 'Truck' });
  await until(async () => /used up. Only alerts are sent/.test((await site.status()).sentence), 'the site says so');
  const ticket = await here.call('repair_tickets_create', {
    equipment_id: machine.equipment_id,
    title: 'Brake failure',
    safety_critical: true,
  });
  await until(async () => {
    const { data } = await there.call('repair_tickets_list', {});
    return data.some(({ id }) => id === ticket.id);
  }, 'the ticket about safety is at head office');
  assert.notEqual((await there.call('equipment_get', { id: machine.equipment_id })).name, 'Truck');
  assert.equal((await budgetOf(site)).state, 'used_up');
  await until(async () => {
    const [gateway] = (await cloud.status()).gateways;
    return gateway?.link === 'used_up' && gateway.contact_s === 3_600;
  }, 'head office knows that the site calls once an hour');
  await site.client().call('sync_budget_set', {});
  await until(
    async () => (await there.call('equipment_get', { id: machine.equipment_id })).name === 'Truck',
    'the rename is at head office',
  );
});

test('[Y86] a full disk at head office is named at the site, and everything but files goes on', async () => {
  const disk = { free: 90e9 };
  const outside = { readDisk: async () => ({ free: disk.free, total: 100e9 }) };
  await using cloud = await startGateway(undefined, outside, { HEADFRAME_ROLE: 'cloud' });
  await using site = await startGateway();
  const { project } = await site.client.call('projects_create', { name: 'Quarry', timezone: 'UTC' });
  const { code } = await cloud.client.call('sync_enrolments_create', { name: 'Quarry' });
  await site.client.call('sync_link_set', { cloud_url: cloud.node.http, code });
  const [here, there] = [site.project(project.id), cloud.project(project.id)];
  const machine = await addMachine(here, 'HT-1');
  disk.free = 100;
  const id = await uploadFile(site.node.http, machine, 'log.bin', randomBytes(300_000));
  const files = async () => (await site.client.call('sync_status', {})).files;
  await until(async () => (await files())?.error?.code === 'storage_full', 'the site names the full disk');
  assert.match((await files())?.error?.message ?? '', /disk of head office has no room/);
  await here.call('equipment_update', { id: machine.equipment_id, name: 'Truck' });
  await until(
    async () => (await there.call('equipment_get', { id: machine.equipment_id })).name === 'Truck',
    'the rename is at head office',
  );
  disk.free = 90e9;
  await until(async () => (await there.call('artifacts_transfer', { id })).state === 'here', 'the file arrives');
  await until(async () => (await files())?.error === null, 'the site names no full disk any more');
});

test('[Y81] head office refuses wrong bytes and wrong places by name, and takes the right bytes afterwards', async () => {
  await using cloud = await startGateway(undefined, {}, { HEADFRAME_ROLE: 'cloud' });
  await using site = await startGateway();
  const { project } = await site.client.call('projects_create', { name: 'Quarry', timezone: 'UTC' });
  const { code } = await cloud.client.call('sync_enrolments_create', { name: 'Quarry' });
  await site.client.call('sync_link_set', { cloud_url: cloud.node.http, code });
  const machine = await addMachine(site.project(project.id), 'HT-1');
  await site.client.call('sync_budget_set', { file_hours: hoursAway() });
  const content = randomBytes(1_000);
  const id = await uploadFile(site.node.http, machine, 'log.bin', content);
  await until(async () => {
    const there = cloud.project(project.id).call('artifacts_transfer', { id });
    return await there.then(({ state }) => state === 'waiting').catch(() => false);
  }, 'head office knows the file');
  // Another gateway, and this one with a credential of its own.
  const enrolled = async (gateway_id: string) => {
    const made = await cloud.client.call('sync_enrolments_create', { name: 'x' });
    return (await cloud.client.call('sync_enrol', { code: made.code, gateway_id, version: '1' })).secret;
  };
  const other = await enrolled('gw_01aryz6s41tsv4rrffq69g5fbb');
  const mine = await enrolled((await site.client.call('sync_status', {})).gateway_id);
  const put = async (key: string, sha256: string, from: number, bytes: Uint8Array) => {
    const response = await fetch(`${cloud.node.http}/api/v1/sync/projects/${project.id}/files/${sha256}`, {
      method: 'PUT',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/octet-stream',
        'content-range': `bytes ${from}-${from + bytes.length - 1}/${content.length}`,
      },
      body: new Uint8Array(bytes),
    });
    if (response.status === 204) return response.headers.get('upload-offset');
    return ((await response.json()) as { error: { code: string } }).error.code;
  };
  const wrong = Buffer.from(content);
  wrong[999] = (wrong[999] as number) ^ 1;
  assert.equal(await put(other, sha(content), 0, content), 'permission_denied');
  assert.equal(await put(OWNER_KEY, sha(content), 0, content), 'permission_denied');
  assert.equal(await put(mine, sha(wrong), 0, wrong), 'not_found');
  assert.equal(await put(mine, sha(content), 7, content.subarray(7)), 'upload_offset_mismatch');
  assert.equal(await put(mine, sha(content), 0, Buffer.concat([content, content])), 'payload_too_large');
  assert.equal(await put(mine, sha(content), 0, wrong), 'checksum_mismatch');
  assert.equal(await put(mine, sha(content), 0, content.subarray(0, 400)), '400');
  assert.equal(await put(mine, sha(content), 400, content.subarray(400)), '1000');
  assert.equal(await put(mine, sha(content), 0, content), '1000');
  assert.equal((await cloud.project(project.id).call('artifacts_transfer', { id })).state, 'here');
});
