/** The skill "Match devices to machines" by rules: the suggestions of the gateway in sentences. Nothing is linked. */
import { say } from '#contract/base/told.ts';
import type { Line, Rules } from './rule-run.ts';

/** Largest number of devices that the answer lists. */
const MOST = 100;

export const matchDevices: Rules = async ({ use, cite }) => {
  const list = await use('telemetry_devices_match', { limit: 3 });
  const found = list?.data;
  if (found === undefined) return [[say('The devices could not be compared with the machines.')]];
  if (found.length === 0) return [[say('Each device has a machine.')]];
  const lines = found.slice(0, MOST).flatMap(({ serial, device_id, suggestions }): Line[] => {
    const device = serial ?? device_id ?? '?';
    cite('device', device_id);
    if (suggestions.length === 0) return [[say('Device {device}: no machine fits.', { device })]];
    return suggestions.map(({ equipment_id, unit_number: unit, confidence, reasons }): Line => {
      cite('equipment', equipment_id);
      const percent = Math.round(confidence * 100);
      const why = reasons.map(({ detail }) => detail).join('; ');
      return [say('Device {device}: {unit} fits with {percent} %: {why}', { device, unit, percent, why })];
    });
  });
  const more = found.length - MOST;
  return [
    ...lines,
    ...(more > 0 ? [[say('{n} more device has no machine.|{n} more devices have no machine.', { n: more })]] : []),
    [say('Nothing was linked.'), say('Check each pair, and link it on the page Devices.')],
  ];
};
