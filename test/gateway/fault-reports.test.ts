/** Fault reports over HTTP: what an address without an account can do, and what a restart keeps. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { LIMITS } from '#contract/base/limits.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';

const post = (gateway: TestGateway, token: string, body: object) =>
  fetch(`${gateway.node.http}/api/v1/fault-reports/${token}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ problem: 'engine', text: 'smokes', reporter: 'Ana', ...body }),
  });

test('[A531] a report needs no key and no project, and its token opens nothing else', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const client = gateway.project(project.id);
  const { id } = await client.call('equipment_create', { unit_number: 'HT-01' });
  const { url } = await client.call('fault_links', { equipment_id: id });
  const token = url?.split('/').at(-1) ?? '';
  assert.equal((await post(gateway, token, {})).status, 201);
  for (const path of [`equipment/${id}`, 'repair-tickets', 'projects', `displays/${token}/live`]) {
    const answer = await fetch(`${gateway.node.http}/api/v1/${path}`, {
      headers: { authorization: `Bearer ${token}`, 'project-id': project.id },
    });
    assert.ok([401, 404].includes(answer.status), `${path}: ${answer.status}`);
    await answer.body?.cancel();
  }
  assert.equal((await fetch(`${gateway.node.http}/api/v1/fault-reports`, { method: 'POST' })).status, 404);
});

test('[A533] an address sends at most ten reports a minute, with any token', async () => {
  await using gateway = await startGateway();
  const statuses: number[] = [];
  for (let i = 0; i <= LIMITS.fault_reports.value; i++)
    statuses.push((await post(gateway, `flt_${'x'.repeat(43)}`, {})).status);
  assert.deepEqual(statuses, [...Array.from({ length: LIMITS.fault_reports.value }, () => 404), 429]);
});

test('[A530] [A532] a restart keeps the code of a machine, and the answer to a repeated report', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-care-'));
  try {
    let token = '';
    let project_id = '';
    {
      await using gateway = await startGateway(folder);
      project_id = (await gateway.client.call('projects_create', { name: 'North Pit' })).project.id;
      const client = gateway.project(project_id);
      const { id } = await client.call('equipment_create', { unit_number: 'HT-01' });
      token = (await client.call('fault_links', { equipment_id: id })).url?.split('/').at(-1) ?? '';
      assert.equal((await post(gateway, token, { report_id: 'r'.repeat(16) })).status, 201);
    }
    await using gateway = await startGateway(folder);
    const again = await post(gateway, token, { report_id: 'r'.repeat(16) });
    assert.equal(((await again.json()) as { joined: boolean }).joined, false);
    assert.equal((await gateway.project(project_id).call('repair_tickets_list', {})).data.length, 1);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Sends a check from this address of the computer. Returns the status, and how many seconds to wait. */
const checkFrom = (gateway: TestGateway, localAddress: string, token: string, report_id: string) =>
  new Promise<readonly [status: number | undefined, wait_s: number]>((done, failed) => {
    const url = `${gateway.node.http}/api/v1/fault-reports/${token}/checks`;
    const headers = { 'content-type': 'application/json' };
    const sent = request(url, { method: 'POST', localAddress, headers }, (answer) => {
      answer.resume();
      answer.on('end', () => done([answer.statusCode, Number(answer.headers['retry-after'])]));
    });
    sent.on('error', failed);
    sent.end(JSON.stringify({ reporter: 'Ana', report_id }));
  });

test('[H110] beyond the limit of an hour the answer says how long to wait, and no key is needed up to there', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const client = gateway.project(project.id);
  const { id } = await client.call('equipment_create', { unit_number: 'HT-01' });
  const { url } = await client.call('fault_links', { equipment_id: id });
  const token = url?.split('/').at(-1) ?? '';
  const most = LIMITS.fault_checks_per_link.value;
  // One address sends ten a minute, so two addresses send the twelve.
  const from = (i: number) => `127.0.0.${2 + Math.floor(i / LIMITS.fault_reports.value)}`;
  for (let i = 0; i < most; i++) assert.equal((await checkFrom(gateway, from(i), token, `check-${10 + i}`))[0], 201);
  const [status, wait_s] = await checkFrom(gateway, from(most), token, 'check-99');
  assert.ok(status === 429 && wait_s > 3_000 && wait_s <= 3_600, `${status}, ${wait_s} s`);
  const [again] = await checkFrom(gateway, from(most), token, 'check-10');
  assert.equal(again, 201, 'a repeat gets its first answer');
});
