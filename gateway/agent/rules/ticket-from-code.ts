/** The skill "Draft a ticket from a trouble code" by rules: one ticket for the gravest code, or for the code that the request names. */
import { say } from '#contract/base/told.ts';
import {
  byGravity,
  type Code,
  codeLine,
  codeName,
  type Machine,
  openTickets,
  readMachine,
  stateLines,
} from './faults.ts';
import { forMachines } from './reads.ts';
import { type Line, linesText, type RuleRun, type Rules } from './rule-run.ts';

/** Longest title of a ticket. */
const MOST_TITLE = 200;

/** Returns the code that the request names, such as SPN 100 FMI 1; else the gravest one. */
function chosen(codes: readonly Code[], prompt: string): Code | undefined {
  const [, spn, fmi] = /\bSPN\W{0,3}(\d{1,6})\b(?:\W{1,5}FMI\W{0,3}(\d{1,2})\b)?/i.exec(prompt) ?? [];
  if (spn === undefined) return byGravity(codes)[0];
  return byGravity(codes).find((code) => String(code.spn) === spn && (fmi === undefined || String(code.fmi) === fmi));
}

/** Returns the fields of the ticket. The gateway stores them, so they are in English. */
function draft(machine: Machine, code: Code, id: string, when: (at: string) => string) {
  const isStop = code.lamps?.includes('red_stop') ?? false;
  const title = code.meaning == null ? codeName(code) : `${code.meaning} (${codeName(code)})`;
  return {
    equipment_id: id,
    title: title.slice(0, MOST_TITLE),
    description: linesText([...stateLines(machine), codeLine(code, when)]),
    priority: isStop ? 'critical' : code.lamps?.includes('amber') ? 'high' : 'medium',
    safety_critical: isStop,
    failure: { spn: code.spn, fmi: code.fmi },
    source: { kind: 'dtc', key: codeName(code) },
  };
}

async function machineLines(run: RuleRun, id: string, when: (at: string) => string): Promise<Line[]> {
  const machine = await readMachine(run, id);
  if (machine === undefined) return [];
  const unit = machine.unit_number;
  const codes = machine.dtcs ?? [];
  const code = chosen(codes, run.prompt);
  if (code === undefined)
    return [
      ...stateLines(machine),
      [
        codes.length === 0
          ? say('No ticket was made for {unit}, because there is no code to make it from.', { unit })
          : say('No ticket was made for {unit}, because the code of the request is not active.', { unit }),
      ],
    ];
  const lines: Line[] = [codeLine(code, when)];
  const tickets = await openTickets(run, id);
  if (tickets === undefined)
    return [...lines, [say('No ticket was made for {unit}, because its open repairs could not be read.', { unit })]];
  const same = tickets.find(({ failure }) => failure?.spn === code.spn && failure.fmi === code.fmi);
  if (same !== undefined) {
    const { number, title } = same;
    return [...lines, [say('No ticket was made: repair {number} of this code is open: {title}', { number, title })]];
  }
  const fields = draft(machine, code, id, when);
  const made = await run.use('repair_tickets_create', fields);
  if (made === undefined) return lines;
  const { title } = fields;
  if (made.number === undefined)
    return [...lines, [say('This ticket would be made for {unit}: {title}', { unit, title })]];
  run.cite('repair_ticket', made.id);
  return [
    ...lines,
    [say('Ticket {number} was made for {unit}: {title}', { number: made.number, unit, title })],
    ...(codes.length > 1
      ? [[say('{unit} has {n} more active code.|{unit} has {n} more active codes.', { unit, n: codes.length - 1 })]]
      : []),
  ];
}

export const ticketFromCode: Rules = (run) => forMachines(run, machineLines);
