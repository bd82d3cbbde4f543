/**
 * Stored history and backups against a real gateway process whose system clock jumps by years:
 *
 *   samples stored and sealed, two backups ─▶ start with each wrong clock, and jump while it runs ─▶ nothing is deleted
 *                                          ─▶ start 31 days later, which a clock may be ─▶ the samples are deleted
 *
 * `node test/faults/clock-history.ts` prints a line for each check and `N passed, N failed` at the end; needs `apt-get install faketime`.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startBackups } from '#store/file/backup.ts';
import { addMachine, eventually, type TestMachine } from '#test/support/gateway.ts';
import { Gateway } from './clock-gateway.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;
const COUNT = 4_096;

let passed = 0;
let failed = 0;

function check(what: string, holds: boolean, detail: unknown = ''): void {
  if (holds) passed++;
  else failed++;
  process.stdout.write(`  ${holds ? 'ok  ' : 'FAIL'} ${what} ${JSON.stringify(detail)}\n`);
}

interface Site {
  readonly project: string;
  readonly machine: TestMachine;
  readonly from: number;
}

/** Returns the samples and the statistics of minutes that can be read, as digests, and what was deleted. */
async function historyOf(gateway: Gateway, { project, machine, from }: Site): Promise<string> {
  const client = gateway.client(project);
  const range = { from: new Date(from).toISOString(), to: new Date(from + COUNT * 1_000).toISOString() };
  const read = (resolution: string) =>
    client.call('equipment_telemetry', { id: machine.equipment_id, signals: ['engine.hours'], ...range, resolution });
  const [samples, minutes] = [await read('raw'), await read('60')];
  const { history } = await client.call('health_get', {});
  const points = (answer: typeof samples) =>
    createHash('sha256').update(JSON.stringify(answer.series)).digest('hex').slice(0, 12);
  return JSON.stringify({
    samples: points(samples),
    minutes: points(minutes),
    deleted: [samples.deleted, history.deleted],
  });
}

/** Waits until the sweep of history has worked once since the start: it then knows the size of samples and statistics. */
async function swept(gateway: Gateway): Promise<{ samples: number; minutes: number }> {
  const { history } = await eventually(
    () => gateway.client().call('health_get', {}),
    ({ history: { limits } }) => limits.every(({ bytes }) => bytes !== null),
    60,
  );
  const bytesOf = (what: string) => history.limits.find((one) => one.what === what)?.bytes ?? 0;
  return { samples: bytesOf('samples'), minutes: bytesOf('minutes') };
}

/** The names of the files of the backups. */
function backupsOf(gateway: Gateway): string[] {
  const inner = join(gateway.data, 'backup');
  return existsSync(inner) ? readdirSync(inner).sort() : [];
}

const contentOf = (gateway: Gateway): string =>
  backupsOf(gateway)
    .map((name) =>
      createHash('sha256')
        .update(readFileSync(join(gateway.data, 'backup', name)))
        .digest('hex'),
    )
    .join();

async function restart(gateway: Gateway, offset: number): Promise<void> {
  await gateway.stop();
  gateway.setClock(offset);
  await gateway.start();
}

/** Stores samples, and waits until they are sealed and have statistics. */
async function populate(gateway: Gateway): Promise<Site> {
  const { project } = await gateway.client().call('projects_create', { name: 'Clocks' });
  const client = gateway.client(project.id);
  const machine = await addMachine(client, 'T-1');
  const from = Math.floor(Date.now() / HOUR) * HOUR - 3 * HOUR;
  const points = Array.from({ length: COUNT }, (_, i) => ({
    observed_at: new Date(from + i * 1_000).toISOString(),
    values: { 'engine.hours': 1_000 + i / 3_600 },
  }));
  await client.call('devices_telemetry', { id: machine.device, points });
  await eventually(
    () =>
      client.call('equipment_telemetry', {
        id: machine.equipment_id,
        signals: ['engine.hours'],
        from: new Date(from).toISOString(),
        to: new Date(from + COUNT * 1_000).toISOString(),
      }),
    ({ series }) => series.length > 0,
  );
  // An hour later the samples may be sealed. The sweep measures the statistics once after each start.
  for (let i = 0; i < 10; i++) {
    await restart(gateway, HOUR);
    if ((await swept(gateway)).minutes > 0) break;
  }
  return { project: project.id, machine, from };
}

await using gateway = new Gateway();
await gateway.start();
const site = await populate(gateway);
const sizes = await swept(gateway);
check('samples and statistics are stored', sizes.samples > 0 && sizes.minutes > 0, sizes);
await gateway.stop();
for (const at of [0, 1]) {
  await using backups = startBackups({ folder: gateway.data, clock: () => Date.now() + at, log: () => {} });
  await backups.now();
}
await restart(gateway, HOUR);
const before = await historyOf(gateway, site);
const files = backupsOf(gateway);
const content = contentOf(gateway);
check('there are two backups with packs', files.filter((name) => name.endsWith('.pack')).length > 0, files);

const jumps = { '+10 years': 10 * YEAR, '-1 year': -YEAR, '1970': 60_000 - Date.now(), '+2 years': 2 * YEAR };
for (const [name, jump] of Object.entries(jumps)) {
  await restart(gateway, jump);
  await swept(gateway);
  const told = (await gateway.client().call('health_get', {})).problems.map(({ code }) => code);
  check(
    `a start at ${name}: health reports the clock`,
    told.some((code) => code.startsWith('clock_')),
    told,
  );
  check(`a start at ${name}: no sample and no statistics are deleted`, (await historyOf(gateway, site)) === before);
  await restart(gateway, HOUR);
  await swept(gateway);
  gateway.setClock(jump);
  await eventually(
    () => gateway.client().call('health_get', {}),
    ({ problems }) => problems.some(({ code }) => code.startsWith('clock_')),
  );
  check(`a jump to ${name} while it runs: nothing is deleted`, (await historyOf(gateway, site)) === before);
  await restart(gateway, HOUR);
  await swept(gateway);
  check(`after ${name} the history is the same`, (await historyOf(gateway, site)) === before);
  check(`after ${name} the backups are the same`, contentOf(gateway) === content, backupsOf(gateway).length);
}
// The other side: a clock that may be right ends the samples, so the checks above can fail.
await restart(gateway, 32 * DAY);
await swept(gateway);
const after = await eventually(
  () => historyOf(gateway, site),
  (found) => found !== before,
  60,
);
check(
  'after 32 days the samples are deleted, and the deletion is named',
  /"because":"age"/.test(after),
  after.slice(0, 400),
);
process.stdout.write(`${passed} passed, ${failed} failed\n`);
if (failed > 0) process.exitCode = 1;
