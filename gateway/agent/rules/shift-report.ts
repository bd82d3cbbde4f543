/** The skill "Hand over a shift" by rules: the draft of the shift report in sentences. Nothing is submitted. */
import { say } from '#contract/base/told.ts';
import type { Output } from '#contract/operations.ts';
import { localDate, shiftWindow } from '#domain/work/shift-time.ts';
import { codeName, ticketLine } from './faults.ts';
import { names, siteClock } from './reads.ts';
import type { Line, RuleRun, Rules } from './rule-run.ts';

type Draft = Output<'shift_reports_draft'>;
interface Asked {
  readonly shift: string;
  readonly date: string;
}

/** Largest number of machines, stoppages, alerts and repairs that the answer lists. */
const MOST = 50;
const DAY_MS = 86_400_000;
/** The shift that ended last began at most so many days ago. */
const DAYS_BACK = 7;

/** Returns the location of the work: its subject, the one that the request names, or the only one without a parent. */
async function locationOf({ use, links, prompt, lacks }: RuleRun): Promise<string | undefined> {
  if (links.location_id !== undefined) return links.location_id;
  const list = await use('locations_list', { limit: 200, fields: 'id,name,code,parent_id,active' });
  const active = (list?.data ?? []).filter((one) => one.active);
  const named = active.filter(({ name, code }) => names(prompt, name) || (code !== null && names(prompt, code)));
  const outer = named.length > 0 ? named : active.filter(({ parent_id }) => parent_id === null);
  if (outer.length === 1) return outer[0]?.id;
  lacks(
    'location_not_named',
    say('The request does not say for which location the shift is.'),
    say('Start the action on a location, or write the name of one location into the request.'),
  );
  return undefined;
}

/** Returns the shift of the request: the name and date that it has, else the shift that ended last. */
function shiftOf({ site, prompt, now_ms }: RuleRun): Asked | undefined {
  const { shift_pattern: pattern, timezone } = site;
  const named = pattern.filter(({ name }) => names(prompt, name));
  const wanted = named.length > 0 ? named : pattern;
  const [date] = /\b\d{4}-\d{2}-\d{2}\b/.exec(prompt) ?? [];
  if (date !== undefined && wanted.length === 1 && wanted[0] !== undefined) return { shift: wanted[0].name, date };
  const ended = [...Array(DAYS_BACK + 1).keys()]
    .map((back) => date ?? localDate(now_ms - back * DAY_MS, timezone))
    .flatMap((day) => wanted.map((one) => ({ shift: one.name, date: day, to_ms: shiftWindow(day, one, timezone)[1] })))
    .filter(({ to_ms }) => to_ms <= now_ms)
    .sort((a, b) => b.to_ms - a.to_ms);
  return ended[0];
}

function machineLines({ time_classes }: Draft): Line[] {
  const lines = time_classes.slice(0, MOST).map(({ unit_number: unit, minutes }): Line => {
    return [
      say(
        '{unit}: working {working} min, idle {idle} min, off {off} min, down {down} min, standby {standby} min, unknown {unknown} min.',
        { unit, ...minutes },
      ),
    ];
  });
  const more = time_classes.length - MOST;
  return more > 0
    ? [...lines, [say('{n} more machine is in the draft.|{n} more machines are in the draft.', { n: more })]]
    : lines;
}

function stoppageLines({ cite }: RuleRun, { stoppages }: Draft, when: (at: string) => string): Line[] {
  const lines = stoppages.slice(0, MOST).map((one): Line => {
    const { unit_number: unit, started_at, minutes, tickets, codes, alerts } = one;
    for (const { id } of tickets) cite('repair_ticket', id);
    for (const { id } of alerts) cite('alert', id);
    const why = [
      ...tickets.map(({ number, title }) => `${number} ${title}`),
      ...codes.map((code) => code.meaning ?? codeName(code)),
      ...alerts.map(({ rule_name }) => rule_name),
    ];
    const at = when(started_at);
    return [
      why.length === 0
        ? say('{unit} stopped at {at} for {minutes} min. No reason is stored.', { unit, at, minutes })
        : say('{unit} stopped at {at} for {minutes} min: {why}', { unit, at, minutes, why: why.join('; ') }),
    ];
  });
  const more = stoppages.length - MOST;
  if (stoppages.length === 0) return [[say('The draft has no stoppage.')]];
  return more > 0
    ? [...lines, [say('{n} more stoppage is in the draft.|{n} more stoppages are in the draft.', { n: more })]]
    : lines;
}

/** What the next shift must know: active alerts, and repairs that wait. */
async function openLines({ use, cite }: RuleRun, location_id: string, machines: ReadonlySet<string>): Promise<Line[]> {
  const alerts = await use('alerts_list', { state: 'active', limit: 200, fields: 'id,rule_name,severity,machine_id' });
  const own = (alerts?.data ?? []).filter(({ machine_id }) => machine_id !== null && machines.has(machine_id));
  for (const { id } of own.slice(0, MOST)) cite('alert', id);
  const lines: Line[] = own
    .slice(0, MOST)
    .map(({ rule_name: rule, severity }) => [say('Active alert "{rule}" ({severity}).', { rule, severity })]);
  for (const status of ['flagged', 'on_hold'] as const) {
    const fields = 'id,number,title,status';
    const list = await use('repair_tickets_list', { location_id, status, limit: MOST, fields });
    for (const ticket of list?.data ?? []) {
      cite('repair_ticket', ticket.id);
      lines.push(ticketLine(ticket));
    }
  }
  return lines;
}

export const shiftReport: Rules = async (run) => {
  const when = siteClock(run);
  const location_id = await locationOf(run);
  if (location_id === undefined) return [];
  const asked = shiftOf(run);
  if (asked === undefined) {
    run.lacks(
      'shift_not_found',
      say('No shift of the request has ended in the last {days} days.', { days: DAYS_BACK }),
      say('Write the name of a shift and its date, such as: day 2026-11-21.'),
    );
    return [];
  }
  const { shift, date } = asked;
  const draft = await run.use('shift_reports_draft', { location_id, shift, date });
  if (draft?.time_classes === undefined) return [[say('The draft of the shift could not be read.')]];
  run.cite('location', location_id);
  for (const { equipment_id } of draft.time_classes.slice(0, MOST)) run.cite('equipment', equipment_id);
  const whole = draft as Draft;
  const machines = new Set(whole.time_classes.map(({ equipment_id }) => equipment_id));
  return [
    [
      whole.complete
        ? say('Shift {shift} of {date}:', { shift, date })
        : say('Shift {shift} of {date}, not over yet:', { shift, date }),
    ],
    ...(whole.time_classes.length === 0 ? [[say('No machine is at this location.')]] : machineLines(whole)),
    ...stoppageLines(run, whole, when),
    ...(await openLines(run, location_id, machines)),
    [
      say('No report was submitted, because a report cannot be changed.'),
      say('Add crew, loads, safety and weather on the page Shifts, and submit it there.'),
    ],
  ];
};
