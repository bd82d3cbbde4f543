/** The skill "Explain the faults of a machine" by rules. */
import { say } from '#contract/base/told.ts';
import {
  byGravity,
  codeLine,
  historyLine,
  openTickets,
  readMachine,
  stateLines,
  ticketLine,
  valuesLine,
} from './faults.ts';
import { forMachines } from './reads.ts';
import type { Line, RuleRun, Rules } from './rule-run.ts';

/** Largest number of codes, alerts and repairs of a machine that the answer explains. */
const MOST = 10;

async function alertLines({ use, cite }: RuleRun, id: string, when: (at: string) => string): Promise<Line[]> {
  const fields = 'id,rule_name,severity,raised_at';
  const list = await use('alerts_list', { machine_id: id, state: 'active', limit: MOST, fields });
  return (list?.data ?? []).map(({ id: alert, rule_name: rule, severity, raised_at }): Line => {
    cite('alert', alert);
    return [say('Alert "{rule}" ({severity}), since {at}.', { rule, severity, at: when(raised_at) })];
  });
}

async function machineLines(run: RuleRun, id: string, when: (at: string) => string): Promise<Line[]> {
  const machine = await readMachine(run, id);
  if (machine === undefined) return [];
  const unit = machine.unit_number;
  const codes = byGravity(machine.dtcs ?? []);
  const lines = stateLines(machine);
  for (const code of codes.slice(0, MOST)) {
    lines.push(codeLine(code, when));
    lines.push(...(await valuesLine(run, id, machine, code)));
    lines.push(...(await historyLine(run, id, code)));
  }
  if (codes.length > MOST)
    lines.push([
      say('{unit} has {n} more active code.|{unit} has {n} more active codes.', { unit, n: codes.length - MOST }),
    ]);
  lines.push(...(await alertLines(run, id, when)));
  const tickets = await openTickets(run, id);
  if (tickets?.length === 0) lines.push([say('No repair of {unit} is open.', { unit })]);
  lines.push(...(tickets ?? []).slice(0, MOST).map(ticketLine));
  return lines;
}

export const explainFault: Rules = (run) => forMachines(run, machineLines);
