/** The demo site of the agent's tasks: the simulated quarry of `headframe demo`, and a few people, machines and services that tasks speak of. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Client, createClient } from '#contract/client.ts';
import { eventually } from '#test/support/gateway.ts';

export interface AgentSite extends AsyncDisposable {
  /** Address of the MCP endpoint. */
  readonly mcp: string;
  /** A key with the role `agent` for the one project of the site. */
  readonly key: string;
  /** The REST client with which the checks look at the site. */
  readonly client: Client;
}

/** Starts the demo of a checkout on free ports, and waits until its machines report. */
export async function startSite(repository: string): Promise<AgentSite> {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-agent-'));
  const data = join(folder, 'data');
  const cli = join(repository, 'gateway', 'commands', 'cli.ts');
  const ports = ['--port', '--mqtt-port', '--bucket-port'].flatMap((name) => [name, '0']);
  const secure = ['HTTPS', 'MQTTS', 'BUCKET_TLS'].map((name) => [`HEADFRAME_${name}_PORT`, '0']);
  const child = spawn(process.execPath, [cli, 'demo', '--host', '127.0.0.1', '--data', data, ...ports], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...Object.fromEntries(secure) },
  });
  await demoOf(child);
  const { http, token } = JSON.parse(readFileSync(join(`${data}-demo`, 'control.json'), 'utf8'));
  const node = createClient({ base_url: http, key: token });
  const project_id = (await node.call('projects_list', {})).data[0]?.id ?? '';
  const client = createClient({ base_url: http, key: token, project_id });
  await addPeople(client);
  const { secret } = await node.call('keys_create', { name: 'agent', role: 'agent', project_ids: [project_id] });
  await eventually(
    () => client.call('equipment_list', { limit: 200 }),
    ({ data: machines }) =>
      machines.some(({ dtc_counts }) => (dtc_counts?.red_stop ?? 0) > 0) &&
      machines.filter(({ idle_hours, fuel_used_l }) => idle_hours !== null && fuel_used_l !== null).length >= 8,
  );
  await eventually(
    () => client.call('alerts_list', { state: 'active' }),
    ({ data: alerts }) => alerts.length > 0,
  );
  return {
    mcp: `${http}/mcp`,
    key: secret ?? '',
    client,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await once(child, 'exit');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function demoOf(child: ChildProcess): Promise<void> {
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    if (JSON.parse(line).event !== 'demo') continue;
    child.stdout?.resume();
    return;
  }
  throw new Error('the demo ended before its machines reported');
}

/** Adds a loader whose logger has never sent, people with badges, and a service. */
async function addPeople(client: Client): Promise<void> {
  const loader = await client.call('equipment_create', { unit_number: 'LD-2', name: 'Loader 2', kind: 'wheel_loader' });
  await client.call('devices_provision', { serial: 'SN-4711', kind: 'can_logger', equipment_id: loader.id });
  await client.call('operators_create', { name: 'Ana Lima', badge_id: 'B-17' });
  await client.call('mechanics_create', { name: 'Marta Ruiz', badge_id: 'M-3', trades: ['diesel'] });
  await client.call('maintenance_plans_create', { name: 'Oil service', kind: 'haul_truck', every_hours: 250 });
}
