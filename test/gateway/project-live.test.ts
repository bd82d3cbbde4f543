/** The stream of the office page, from a real gateway over HTTP. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProjectDelta, ProjectSnapshot } from '#contract/site/project-live.ts';
import { addMachine, connectDevice, startGateway, type TestGateway } from '#test/support/gateway.ts';

interface Event {
  readonly name: string;
  readonly data: unknown;
}

/** Opens the stream of a project; `next` waits for the first event that fits, a minute at most. */
async function openStream(gateway: TestGateway, project_id: string) {
  const client = gateway.project(project_id);
  const stop = new AbortController();
  const answer = await fetch(client.url('project_live', {}), { headers: client.headers(), signal: stop.signal });
  const events: Event[] = [];
  let wake = () => {};
  let bytes = 0;
  const read = async () => {
    let text = '';
    for await (const chunk of answer.body ?? []) {
      bytes += chunk.length;
      text += Buffer.from(chunk).toString();
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const [name = '', data = ''] = text
          .slice(0, end)
          .split('\n')
          .map((line) => line.slice(line.indexOf(' ') + 1));
        events.push({ name, data: JSON.parse(data) });
        text = text.slice(end + 2);
      }
      wake();
    }
  };
  const reading = read().catch(() => {});
  return {
    answer,
    get bytes() {
      return bytes;
    },
    async next<T>(name: string, fits: (data: T) => boolean): Promise<T> {
      const deadline = AbortSignal.timeout(60_000);
      for (;;) {
        const found = events.find((event) => event.name === name && fits(event.data as T));
        if (found !== undefined) return found.data as T;
        if (deadline.aborted) throw new Error(`no such ${name}: ${JSON.stringify(events).slice(0, 1_000)}`);
        await new Promise<void>((done) => {
          wake = done;
          deadline.addEventListener('abort', () => done());
        });
      }
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await reading;
    },
  };
}

const FRAME = '(1700000000.000000) can0 0CF00400#F0FFFFE02EFFFFFF';

test('[A450] the office stream starts with a row for each machine and sends each changed row once', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const client = gateway.project(project.id);
  const machine = await addMachine(client, 'HT-01');
  await client.call('equipment_create', { unit_number: 'HT-02' });
  await using stream = await openStream(gateway, project.id);
  const first = await stream.next<ProjectSnapshot>('snapshot', () => true);
  assert.deepEqual(first.machines.map(({ unit_number }) => unit_number).sort(), ['HT-01', 'HT-02']);
  assert.equal(first.machines_total, 2);

  const device = await connectDevice(gateway.node.mqttPort, machine);
  await device.publishAsync(`v1/devices/${machine.device_id}/can`, FRAME, { qos: 1 });
  const heard = await stream.next<ProjectDelta>('delta', ({ devices }) =>
    devices.some(({ id, messages_total }) => id === machine.device && messages_total === 1),
  );
  assert.ok(
    heard.machines.every(({ unit_number }) => unit_number !== 'HT-02'),
    'an unchanged machine is not sent',
  );
  await device.endAsync();

  await client.call('equipment_update', { id: machine.equipment_id, status: 'down' });
  const down = await stream.next<ProjectDelta>('delta', ({ machines }) =>
    machines.some(({ status }) => status === 'down'),
  );
  assert.ok(down.changed.includes('equipment'));
  await client.call('repair_tickets_create', { title: 'Brake', equipment_id: machine.equipment_id });
  await stream.next<ProjectDelta>('delta', ({ changed }) => changed.includes('repair_ticket'));
});

test('[A450] the row of a machine names its devices after a link and after a new link', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const client = gateway.project(project.id);
  await using stream = await openStream(gateway, project.id);
  await stream.next<ProjectSnapshot>('snapshot', () => true);
  const rowWith = (unit: string, ids: readonly string[]) =>
    stream.next<ProjectDelta>('delta', ({ machines }) =>
      machines.some((row) => row.unit_number === unit && row.device_ids.join() === ids.join()),
    );
  const [one, two] = [
    await client.call('equipment_create', { unit_number: 'HT-01' }),
    await client.call('equipment_create', { unit_number: 'HT-02' }),
  ];
  // The stream has sent both machines before the device exists.
  await rowWith('HT-01', []);
  await rowWith('HT-02', []);
  const { device } = await client.call('devices_provision', {
    serial: 'SN-1',
    kind: 'can_logger',
    equipment_id: one.id,
  });
  await rowWith('HT-01', [device.id]);
  await client.call('telemetry_devices_link', { links: [{ serial: 'SN-1', equipment_id: two.id, source: 'api' }] });
  const moved = await rowWith('HT-02', [device.id]);
  assert.deepEqual(moved.machines.find(({ id }) => id === one.id)?.device_ids, [], 'the earlier machine loses it');
});

test('[A451] the office stream shows only its project and needs a key', async () => {
  await using gateway = await startGateway();
  const made = await Promise.all(['North', 'South'].map((name) => gateway.client.call('projects_create', { name })));
  const [north, south] = made.map(({ project }) => project.id) as [string, string];
  await gateway.project(south).call('equipment_create', { unit_number: 'SECRET-1' });
  await using stream = await openStream(gateway, north);
  const first = await stream.next<ProjectSnapshot>('snapshot', () => true);
  assert.deepEqual(first.machines, []);
  await gateway.project(south).call('equipment_create', { unit_number: 'SECRET-2' });
  await gateway.project(north).call('equipment_create', { unit_number: 'HT-01' });
  const delta = await stream.next<ProjectDelta>('delta', ({ machines }) => machines.length > 0);
  assert.deepEqual(
    delta.machines.map(({ unit_number }) => unit_number),
    ['HT-01'],
  );

  const without = await fetch(`${gateway.node.http}/api/v1/project-live`, { headers: { 'Project-ID': north } });
  assert.equal(without.status, 401);
  await without.body?.cancel();
});
