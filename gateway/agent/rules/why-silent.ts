/** The skill "Why is this machine silent?" by rules: the first broken step between the machine and the gateway, for each of its loggers. */
import { freshness, isCurrent, USUAL_MACHINE_INTERVAL_S } from '#contract/base/freshness.ts';
import { say } from '#contract/base/told.ts';
import { forMachines } from './reads.ts';
import type { Line, RuleRun, Rules } from './rule-run.ts';

/** Largest number of devices of a machine that the answer is about. */
const MOST_DEVICES = 10;

async function deviceLines(
  { use, cite }: RuleRun,
  { id, name }: { id: string; name: string },
  when: (at: string) => string,
): Promise<Line[]> {
  const chain = await use('devices_diagnosis', { id });
  if (chain?.steps === undefined) return [];
  cite('device', id);
  const step = chain.steps.find((one) => one.step === chain.stopped_at);
  if (step === undefined)
    return [[say('Logger {name}: each step works, from the connection to decoded values.', { name })]];
  const { title, since, detail, detail_words, remedy, remedy_words } = step;
  return [
    [
      since === null
        ? say('Logger {name}: the data stops at the step "{title}".', { name, title })
        : say('Logger {name}: the data stops at the step "{title}", since {at}.', { name, title, at: when(since) }),
    ],
    detail_words ?? [say(detail)],
    ...(remedy === null ? [] : [remedy_words ?? [say(remedy)]]),
  ];
}

async function machineLines(run: RuleRun, id: string, when: (at: string) => string): Promise<Line[]> {
  const { use, cite } = run;
  const machine = await use('equipment_get', { id, fields: 'unit_number,last_live_data_at,expected_interval_s' });
  if (machine === undefined) return [];
  cite('equipment', id);
  const { unit_number: unit = id, last_live_data_at: at, expected_interval_s } = machine;
  const age_s = at == null ? null : (run.now_ms - Date.parse(at)) / 1_000;
  const isHeard = isCurrent(freshness('gauge', expected_interval_s ?? USUAL_MACHINE_INTERVAL_S, age_s));
  const lines: Line[] = [
    [
      at == null
        ? say('{unit} never sent live data.', { unit })
        : isHeard
          ? say('{unit} is not silent. Its last live data came at {at}.', { unit, at: when(at) })
          : say('{unit} is silent. Its last live data came at {at}.', { unit, at: when(at) }),
    ],
  ];
  const devices = await use('devices_list', { equipment_id: id, limit: MOST_DEVICES, fields: 'id,name,device_id' });
  if (devices?.data === undefined) return lines;
  if (devices.data.length === 0)
    lines.push([
      say('No device is linked to {unit}, so no data of it can arrive.', { unit }),
      say('Link its logger to it on the page Devices.'),
    ]);
  for (const { id: device, name, device_id } of devices.data)
    lines.push(...(await deviceLines(run, { id: device, name: name || device_id }, when)));
  return lines;
}

export const whySilent: Rules = (run) => forMachines(run, machineLines);
