/** An upload whose gateway is killed goes on where its file ended: a real process, `kill -9`, a real socket. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { createClient } from '#contract/client.ts';
import { temporaryFolder } from '#test/store/kit.ts';
import { eventually, OWNER_KEY } from '#test/support/gateway.ts';

const CHILD = join(import.meta.dirname, '..', '..', 'support', 'gateway-child.ts');

async function start(folder: string): Promise<{ child: ChildProcess; http: string }> {
  const child = spawn(process.execPath, [CHILD, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  assert.ok(child.stdout);
  for await (const line of createInterface({ input: child.stdout })) {
    const told = JSON.parse(line) as { event: string; http: string };
    if (told.event === 'ready') return { child, http: told.http };
  }
  throw new Error('the gateway did not start');
}
const ended = (child: ChildProcess) => new Promise<void>((resolve) => child.once('exit', () => resolve()));

test('[W244] after kill -9 an upload has at least the offset that HEAD returned, and can be completed', async () => {
  using folder = temporaryFolder();
  const file = randomBytes(6_000_000);
  let { child, http } = await start(folder.path);
  try {
    const owner = createClient({ base_url: http, key: OWNER_KEY });
    const { project } = await owner.call('projects_create', { name: 'North Pit' });
    const { device, credential } = await createClient({ base_url: http, key: OWNER_KEY, project_id: project.id }).call(
      'devices_provision',
      { serial: 'CL-1' },
    );
    const headers = { authorization: `Bearer ${credential.key}`, 'tus-resumable': '1.0.0' };
    const made = await fetch(`${http}/api/v1/devices/${device.id}/media`, {
      method: 'POST',
      headers: { ...headers, 'upload-length': String(file.length) },
    });
    const path = new URL(made.headers.get('location') ?? '').pathname;
    const offset = async () => {
      const head = await fetch(`${http}${path}`, { method: 'HEAD', headers });
      return Number(head.headers.get('upload-offset'));
    };
    const socket = connect(Number(new URL(http).port), '127.0.0.1');
    socket.on('error', () => {});
    socket.write(
      `PATCH ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${headers.authorization}\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\nContent-Type: application/offset+octet-stream\r\nContent-Length: ${file.length}\r\n\r\n`,
    );
    socket.write(file.subarray(0, 2_500_000));
    const told = await eventually(offset, (bytes) => bytes > 0);
    const gone = ended(child);
    child.kill('SIGKILL');
    await gone;
    socket.destroy();
    ({ child, http } = await start(folder.path));
    const from = await offset();
    assert.ok(from >= told && from <= 2_500_000, `told ${told}, found ${from}`);
    const rest = await fetch(`${http}${path}`, {
      method: 'PATCH',
      headers: { ...headers, 'upload-offset': String(from), 'content-type': 'application/offset+octet-stream' },
      body: new Uint8Array(file.subarray(from)),
    });
    assert.equal(rest.status, 204);
    const content = await fetch(`${http}/api/v1/artifacts/${rest.headers.get('artifact-id')}/content`, {
      headers: { authorization: `Bearer ${OWNER_KEY}`, 'project-id': project.id },
    });
    const hash = createHash('sha256').update(Buffer.from(await content.arrayBuffer()));
    assert.equal(hash.digest('hex'), createHash('sha256').update(file).digest('hex'));
  } finally {
    const gone = child.exitCode === null && child.signalCode === null ? ended(child) : undefined;
    child.kill('SIGKILL');
    await gone;
  }
});
