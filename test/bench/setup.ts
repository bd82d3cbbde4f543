/**
 * How long a setup takes: `node test/bench/setup.ts`. A gateway runs as a process of its own. Prints one JSON line for each part:
 *
 *   words    a description of 200 words, ten times: from the request to the end of the run
 *   fleet    a description of 2,000 and of 5,000 machines
 *   status   the setup status of the project with the last fleet, before and after it hears 20 loggers that are on no machine
 */
import { setTimeout as pause } from 'node:timers/promises';
import { type Client, createClient } from '#contract/client.ts';
import { temporaryFolder } from '#test/store/kit.ts';
import { connectDevice, eventually, OWNER_KEY } from '#test/support/gateway.ts';
import { hello } from '#test/support/machine-hello.ts';
import { processorSeconds, quantile, startGatewayProcess } from './gateway-process.ts';

const TRIES = 10;
const LOGGERS = 20;
const WORDS = `Harrow Hill Quarry lies in the hills north of the town. We run two pits, the North Pit and the South Pit, and a crusher near the
gate. In the North Pit we have twelve Cat 777G haul trucks, HT-01 to HT-12, but HT-07 was sold. Two Hitachi EX1200 excavators, EX-01 and
EX-02, load them. In the South Pit there are six Volvo A40G trucks, AD-01 to AD-06, and one Komatsu PC490 excavator, EX-03. Three Cat 980M
wheel loaders, WL-01 to WL-03, work at the crusher. A Cat D9T dozer, DZ-01, and a Cat 16M grader, GR-01, keep the roads. There is a water
truck, WT-01. The day shift is from 06:00 to 14:00 and the late shift from 14:00 to 22:00. We have no night shift. Our operators are Ana
Ruiz, Tom Field, Marta Lind, Piet de Vries, Omar Haddad and Jane Cole. The mechanics are Karl Weber and Lucy Stone. They work in the
workshop beside the office. We want a board for the fleet on the TV in the office, and one with open repairs for the workshop. The phone of
the office is 555 0134. A new truck costs 1.4 million, so we rent two more in summer. Please tell us when a machine is silent.`;

const say = (part: string, result: object): void => console.log(JSON.stringify({ part, ...result }));
/** A description of thousands of machines, 1,000 in each sentence. */
const fleet = (thousands: number): string =>
  Array.from(
    { length: thousands },
    (_, i) => `Trucks ${'ABCDE'[i]}-0001 to ${'ABCDE'[i]}-1000 are Cat 777G haul trucks.`,
  ).join('\n');

using folder = temporaryFolder();
await using gateway = await startGatewayProcess(folder.path);
const owner = createClient({ base_url: gateway.http, key: OWNER_KEY });
const clientOf = (project_id: string): Client => createClient({ base_url: gateway.http, key: OWNER_KEY, project_id });

/** Sets a project up, and returns its client and the milliseconds until the run has ended. */
async function setUp(name: string, prompt: string): Promise<{ client: Client; project_id: string; ms: number }> {
  const from = performance.now();
  const { project, setup } = await owner.call('projects_create', { name, setup: true, prompt });
  const client = clientOf(project.id);
  const task_id = setup?.task.id ?? '';
  const { run } = await eventually(
    () => client.call('tasks_get', { task_id }),
    (task) => task.run?.terminal_event_count === 1,
  );
  if (run?.status !== 'completed') throw new Error(`the setup ended ${run?.status}`);
  return { client, project_id: project.id, ms: performance.now() - from };
}

const times: number[] = [];
for (let i = 0; i < TRIES; i++) times.push((await setUp(`Words ${i}`, WORDS)).ms);
say('words', {
  words: WORDS.split(/\s+/).length,
  first_ms: Math.round(times[0] ?? 0),
  p50_ms: Math.round(
    quantile(
      times.toSorted((a, b) => a - b),
      0.5,
    ),
  ),
  longest_ms: Math.round(Math.max(...times)),
});

let last: Awaited<ReturnType<typeof setUp>> | undefined;
for (const thousands of [2, 5]) {
  last = await setUp(`Fleet ${thousands}`, fleet(thousands));
  say('fleet', { machines: thousands * 1_000, seconds: Math.round(last.ms) / 1_000 });
}

if (last !== undefined) {
  const { client, project_id } = last;
  const status = async (when: string): Promise<void> => {
    const before = processorSeconds(gateway.pid);
    const tries: number[] = [];
    for (let i = 0; i < TRIES; i++) {
      const from = performance.now();
      await client.call('projects_setup_status', { project_id });
      tries.push(performance.now() - from);
    }
    const cpu_ms = Math.round(((processorSeconds(gateway.pid) - before) * 1_000) / TRIES);
    const [p50_ms, longest_ms] = [
      quantile(
        tries.toSorted((a, b) => a - b),
        0.5,
      ),
      Math.max(...tries),
    ].map(Math.round);
    say('status', { when, first_ms: Math.round(tries[0] ?? 0), p50_ms, longest_ms, cpu_ms });
  };
  await status('no loggers');
  for (let i = 0; i < LOGGERS; i++) {
    const { device, credential } = await client.call('devices_provision', { serial: `CL-${i}`, kind: 'can_logger' });
    const mqtt = await connectDevice(gateway.mqtt, { device_id: device.device_id, key: credential.key ?? '' });
    const says = { vin: `1HGBH41JXMN1${String(10_000 + i)}`, components: { 0: `CMMNS*QSK19*3720${i}**` } };
    await mqtt.publishAsync(`v1/devices/${device.device_id}/can`, hello(Date.now() - 5_000, says), { qos: 1 });
    await mqtt.endAsync();
  }
  await pause(5_000);
  await status(`${LOGGERS} loggers on no machine`);
}
