/** Runs each program of `examples/` as a process of its own, against a real gateway. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { openSealer } from '#gateway/sealer.ts';
import { addMachine, eventually, lastingPort, OWNER_KEY, startGateway } from '#test/support/gateway.ts';
import { openRig } from '#test/support/handler-rig.ts';
import { until } from '#test/support/until.ts';
import { startWebhooks } from '#watchers/webhooks.ts';

const folder = join(import.meta.dirname, '..', '..', 'examples');
const programs = readdirSync(folder).filter((name) => name.endsWith('.ts'));
const tested = new Set<string>();

/** The output of an example. */
async function run(name: string, env: Record<string, string>, ...args: string[]): Promise<string[]> {
  tested.add(name);
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, name), ...args], {
    env: { PATH: process.env.PATH ?? '', ...env },
    timeout: 60_000,
  });
  return stdout.trim().split('\n');
}

async function site() {
  const gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'Pit' });
  const env = { GATEWAY_URL: gateway.node.http, GATEWAY_KEY: OWNER_KEY, PROJECT_ID: project.id };
  return {
    gateway,
    client: gateway.project(project.id),
    env,
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  };
}

test('examples/rest.ts creates a machine and lists the fleet, and reports an error of the gateway', async () => {
  await using one = await site();
  const lines = await run('rest.ts', one.env, 'HT-7');
  const { data } = await one.client.call('equipment_list', {});
  assert.deepEqual(
    data.map(({ unit_number }) => unit_number),
    ['HT-7'],
  );
  assert.equal(lines[0], `created ${data[0]?.id}`);
  assert.equal(lines[1], 'HT-7 unknown no engine hours');
  assert.match(lines[2] ?? '', /unit_number/);
  await assert.rejects(run('rest.ts', one.env, 'HT-7'), /409 already_exists/);
});

test('examples/mcp-client.ts lists the tools and calls one', async () => {
  await using one = await site();
  await one.client.call('equipment_create', { unit_number: 'HT-8' });
  const [tools, machine] = await run('mcp-client.ts', one.env);
  assert.match(tools ?? '', /^\d{2,} tools$/);
  assert.equal(machine, 'HT-8 unknown');
});

test('examples/mqtt-device.ts publishes a frame and a value that reach its machine', async () => {
  await using one = await site();
  const machine = await addMachine(one.client, 'HT-9');
  const lines = await run('mqtt-device.ts', {
    GATEWAY_MQTT: `mqtt://127.0.0.1:${one.gateway.node.mqttPort}`,
    DEVICE_ID: machine.device_id,
    DEVICE_KEY: machine.key,
  });
  assert.deepEqual(lines, ['frame acknowledged', 'value acknowledged']);
  const equipment = await eventually(
    () => one.client.call('equipment_get', { id: machine.equipment_id }),
    (now) => now.engine_hours !== null && now.fuel_remaining_pct !== null,
  );
  assert.deepEqual([equipment.engine_hours, equipment.fuel_remaining_pct], [4200, 61.5]);
});

test('examples/bucket-upload.ts stores a file of its device', async () => {
  await using one = await site();
  const { id } = await one.client.call('devices_create', { device_id: 'truck-14', serial: 'CL-14' });
  const info = await one.client.call('devices_provision_info', { serial: 'CL-14' });
  const claim_id = info.hmac.secret_ref.split('/').at(-1) ?? '';
  const { secret } = await one.client.call('devices_hmac_claim', { id, claim_id });
  const temporary = mkdtempSync(join(tmpdir(), 'headframe-example-'));
  try {
    const file = join(temporary, 'drive.log');
    const text = '(1760000000.000000) can0 18FEE500#20480100FFFFFFFF\n';
    writeFileSync(file, text);
    const lines = await run(
      'bucket-upload.ts',
      {
        GATEWAY_BUCKET: `http://127.0.0.1:${one.gateway.node.bucketPort}`,
        DEVICE_ID: 'truck-14',
        ACCESS_KEY: info.hmac.access_key_id,
        SECRET_KEY: secret ?? '',
      },
      file,
    );
    assert.deepEqual(lines, [`stored truck-14/00000001/00000001.log, ${text.length} bytes`]);
    const { data } = await one.client.call('artifacts_list', {});
    assert.deepEqual([data.length, data[0]?.device_id, data[0]?.bytes], [1, id, text.length]);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
});

/** Starts the receiver; its lines arrive in a list. */
async function startReceiver(secret: string, port: number): Promise<{ lines: string[]; child: ChildProcess }> {
  tested.add('webhook-receiver.ts');
  const child = spawn(process.execPath, [join(folder, 'webhook-receiver.ts')], {
    env: { PATH: process.env.PATH ?? '', WEBHOOK_SECRET: secret, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => lines.push(line));
  await until(() => lines.length > 0);
  return { lines, child };
}

test('examples/webhook-receiver.ts takes a delivery of the gateway, prints a repeated one once, and refuses a wrong signature', async () => {
  await using rig = await openRig();
  rig.now = Date.now();
  const port = await lastingPort();
  const { endpoint, secret } = await rig.call('webhook_endpoints_create', {
    url: `http://receiver.test:${port}/`,
    kinds: ['note'],
    allow_private: true,
  });
  // The gateway sends nothing to its own machine, so the test allows the address of the receiver.
  await using webhooks = await startWebhooks({
    store: rig.store,
    sealer: openSealer(rig.folder),
    clock: rig.clock,
    random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
    log: () => {},
    tickMs: null,
    request: { resolve: async () => ['127.0.0.1'], permits: () => true },
  });
  const { lines, child } = await startReceiver(secret, port);
  try {
    const machine = await rig.call('equipment_create', { unit_number: 'HT-1' });
    await rig.call('equipment_append_event', { id: machine.id, type: 'note', data: { text: 'x' } });
    for (let i = 0; i < 4; i++) await webhooks.tick();
    await until(() => lines.length === 2);
    const [delivery] = (await rig.call('webhook_deliveries_list', { id: endpoint.id })).data;
    assert.deepEqual([delivery?.state, lines[1]?.split(' ')[0]], ['delivered', 'note']);
    await rig.call('webhook_deliveries_redeliver', { id: endpoint.id, delivery_id: delivery?.id ?? '' });
    for (let i = 0; i < 4; i++) await webhooks.tick();
    const forged = await fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      headers: {
        'webhook-id': 'msg_1',
        'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
        'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}`,
      },
      body: '{"type":"note"}',
    });
    assert.equal(forged.status, 401);
    assert.equal(lines.length, 2);
  } finally {
    child.kill();
  }
});

test('each example has a test and a paragraph in examples/README.md', () => {
  const page = readFileSync(join(folder, 'README.md'), 'utf8');
  assert.deepEqual([...tested].sort(), programs.toSorted());
  for (const name of programs) assert.ok(page.includes(`[${name}](${name})`), name);
});
