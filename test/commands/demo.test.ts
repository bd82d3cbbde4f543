import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { textOf } from '#contract/base/told.ts';
import { type Client, createClient } from '#contract/client.ts';
import type { Equipment } from '#contract/fleet/equipment.ts';
import { ROSTER } from '#simulator/machines.ts';
import { dateOf, shiftAt } from '#simulator/people.ts';
import { eventually } from '#test/support/gateway.ts';

const cli = join(import.meta.dirname, '..', '..', 'gateway', 'commands', 'cli.ts');
const folder = mkdtempSync(join(tmpdir(), 'headframe-demo-'));
const data = join(folder, 'data');
let child: ChildProcess | undefined;
after(() => {
  child?.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const HOUR_MS = 3_600_000;

interface Demo {
  readonly tv: string;
  readonly client: Client;
}

/** Starts the demo and waits until its machines report. */
async function demo(...flags: string[]): Promise<Demo> {
  const args = [
    cli,
    'demo',
    '--host',
    '127.0.0.1',
    '--port',
    '0',
    '--mqtt-port',
    '0',
    '--bucket-port',
    '0',
    '--data',
    data,
    ...flags,
  ];
  child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    const said = JSON.parse(line);
    if (said.event !== 'demo') continue;
    child.stdout?.resume();
    const { http, token } = JSON.parse(readFileSync(join(`${data}-demo`, 'control.json'), 'utf8'));
    const { data: projects } = await createClient({ base_url: http, key: token }).call('projects_list', {});
    assert.equal(projects.length, 1);
    assert.equal(projects[0]?.simulated, true);
    return { tv: said.tv, client: createClient({ base_url: http, key: token, project_id: projects[0]?.id ?? null }) };
  }
  throw new Error('the demo ended before its machines reported');
}

async function end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
  const ended = child as ChildProcess;
  ended.kill(signal);
  const [code] = await once(ended, 'exit');
  return code;
}

const machines = async (client: Client): Promise<Equipment[]> =>
  (await client.call('equipment_list', { limit: 200, order: 'asc' })).data;

test('the demo is a living site through the real broker, and goes on after a kill where it was', async () => {
  const first = await demo();
  const unit = (name: string, all: readonly Equipment[]) => all.find((each) => each.unit_number === name);
  const tellsAll = ({ last_live_data_at, engine_hours, fuel_remaining_pct }: Equipment) =>
    last_live_data_at !== null && engine_hours !== null && fuel_remaining_pct !== null;
  const living = await eventually(
    () => machines(first.client),
    (now) =>
      now.length === ROSTER.length &&
      now.every(tellsAll) &&
      unit('HT-03', now)?.dtc_counts?.active === 2 &&
      now.some((each) => each.live_status === 'running'),
  );
  assert.deepEqual(living.map((each) => each.unit_number).sort(), ROSTER.map((row) => row.unit).sort());
  assert.equal(unit('WL-02', living)?.status, 'down');
  assert.equal(unit('HT-05', living)?.status, 'maintenance');
  const { data: devices } = await first.client.call('devices_list', { limit: 200 });
  assert.ok(devices.length === ROSTER.length && devices.every((device) => device.device_id.startsWith('sim-')));
  assert.equal((await fetch(first.tv)).status, 200);

  const call = first.client.call.bind(first.client);
  const tickets = (await call('repair_tickets_list', { limit: 200 })).data;
  for (const status of ['flagged', 'in_progress', 'on_hold', 'fixed', 'closed'])
    assert.ok(
      tickets.some((one) => one.status === status),
      status,
    );
  assert.ok(tickets.some(({ source }) => source.kind === 'inspection'));
  // A machine that stands still does so since its ticket, on every screen.
  for (const name of ['WL-02', 'HT-05']) {
    const id = unit(name, living)?.id ?? '';
    const ticket = tickets.find((one) => one.equipment_id === id);
    const { status, status_since, attention } = await call('equipment_get', { id, include: 'attention' });
    assert.equal(status_since, ticket?.flagged_at, name);
    const reason = attention?.reasons.find(({ cause }) => cause === 'down');
    assert.equal(reason?.since, status === 'down' ? ticket?.flagged_at : undefined);
    const { states } = await call('equipment_story', { id });
    assert.deepEqual([...new Set(states.map(({ state }) => state))].at(-1), status === 'down' ? 'down' : 'service');
  }
  await eventually(
    async () => (await call('maintenance_list', { limit: 200 })).data.flatMap(({ plans }) => plans),
    (plans) => ['ok', 'due_soon', 'due'].every((state) => plans.some((one) => one.state === state)),
  );
  const counts = async () => [
    (await call('operators_list', { limit: 200 })).data.length,
    (await call('mechanics_list', { limit: 200 })).data.length,
    (await call('inspections_list', { limit: 200 })).data.length,
    (await call('shift_reports_list', { limit: 200 })).data.length,
  ];
  assert.deepEqual(await counts(), [10, 3, 3, 1]);
  assert.ok(living.some(({ operator_id }) => operator_id !== null));
  const [handed] = (await call('shift_reports_list', { limit: 1 })).data;
  const ended_ms = Date.parse(handed?.shift.ends_at ?? '');
  assert.ok(ended_ms <= Date.now() && Date.now() - ended_ms < 13 * 3_600_000, JSON.stringify(handed?.shift));

  // The first pages of the TV have what managers ask for: where machines are, and the day in sentences with its numbers.
  const boards = new Map((await call('dashboards_list', {})).data.map(({ id, name }) => [id, name]));
  const [playlist] = (await call('playlists_list', { limit: 1, order: 'asc' })).data;
  assert.deepEqual(
    playlist?.items.slice(0, 3).map(({ dashboard_id }) => boards.get(dashboard_id ?? '')),
    ['Fleet now', 'Where they are', 'Today and yesterday'],
  );
  const [project] = (await call('projects_list', {})).data;
  const { days } = await call('projects_get', { id: project?.id ?? '', include: 'days' });
  const told = days?.today.sentences.map((one) => textOf(one)).join('\n') ?? '';
  // Just after midnight nothing is measured yet.
  const measured = [
    /^Machines worked [1-9]/m,
    /^Machines used at least [1-9]\d* L of fuel, by the meters of 12 of 12 machines\.$/m,
  ];
  const isLate = days !== undefined && days.today.to_ms - days.today.from_ms > HOUR_MS;
  for (const said of [
    ...(isLate ? measured : []),
    /^Oldest open repair: RT-\S+ on EX-02, 1 day old\.$/m,
    /^Down now: 1 \(WL-02\)\./m,
  ])
    assert.match(told, said);

  await end('SIGKILL');
  const second = await demo();
  assert.equal(new URL(second.tv).pathname, new URL(first.tv).pathname);
  const before = new Map(living.map((each) => [each.id, each]));
  const later = await eventually(
    () => machines(second.client),
    (now) => now.every((each) => String(each.last_live_data_at) > String(before.get(each.id)?.last_live_data_at)),
  );
  assert.equal(later.length, ROSTER.length);
  const again = (await second.client.call('repair_tickets_list', { limit: 200 })).data;
  assert.deepEqual(again.map(({ id }) => id).sort(), tickets.map(({ id }) => id).sort());
  for (const each of later) assert.ok(Number(each.engine_hours) >= Number(before.get(each.id)?.engine_hours));
  for (const { id } of later) {
    const { data: events } = await second.client.call('equipment_events', { id, type: 'meter.reset' });
    assert.deepEqual(events, []);
  }
  assert.equal(await end('SIGTERM'), 0);

  const third = await demo('--fresh');
  assert.notEqual(new URL(third.tv).pathname, new URL(first.tv).pathname);
  assert.equal(await end('SIGTERM'), 0);
});

test('the demo keeps off a folder that holds a real gateway, and off one where it runs', async () => {
  const running = await demo();
  const again = spawn(process.execPath, [cli, 'demo', '--fresh', '--data', data], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [said] = await once(again.stderr, 'data');
  assert.match(String(said), /A demo runs on .*; stop it first/);
  assert.equal((await fetch(running.tv)).status, 200);
  assert.equal(await end('SIGTERM'), 0);

  rmSync(join(`${data}-demo`, 'demo.json'));
  assert.ok(existsSync(join(`${data}-demo`, 'store')));
  const real = spawn(process.execPath, [cli, 'demo', '--data', data], { stdio: ['ignore', 'ignore', 'pipe'] });
  const [refusal] = await once(real.stderr, 'data');
  assert.match(String(refusal), /contains the data of a gateway that is not a demo/);
});

test('the demo knows the shift of a time and the one before it', () => {
  const at = (day: number, hour: number, minute = 0) => Date.UTC(2026, 10, day, hour, minute);
  const names = (ms: number) => {
    const { index, name } = shiftAt(ms, 0);
    const before = shiftAt(ms - 12 * 3_600_000, 0);
    assert.equal(before.index, index - 1);
    return [`${dateOf(index)} ${name}`, `${dateOf(index - 1)} ${before.name}`];
  };
  assert.deepEqual(names(at(27, 6)), ['2026-11-27 day', '2026-11-26 night']);
  assert.deepEqual(names(at(27, 17, 59)), ['2026-11-27 day', '2026-11-26 night']);
  assert.deepEqual(names(at(27, 18)), ['2026-11-27 night', '2026-11-27 day']);
  assert.deepEqual(names(at(28, 0, 30)), ['2026-11-27 night', '2026-11-27 day']);
});
