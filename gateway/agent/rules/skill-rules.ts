/** The catalog skills that work without a model. The setup has a kind of run of its own, and needs no model either. */
import type { RuleSkillId } from '#contract/skill-names.ts';
import { dailySummary } from './daily-summary.ts';
import { explainFault } from './explain-fault.ts';
import { matchDevices } from './match-devices.ts';
import type { Rules } from './rule-run.ts';
import { shiftReport } from './shift-report.ts';
import { ticketFromCode } from './ticket-from-code.ts';
import { whySilent } from './why-silent.ts';

const BY_SKILL: Readonly<Record<RuleSkillId, Rules>> = {
  shift_report: shiftReport,
  ticket_from_code: ticketFromCode,
  fault_explanation: explainFault,
  daily_summary: dailySummary,
  device_match: matchDevices,
  why_silent: whySilent,
};

/** Returns the rules of a catalog skill; undefined if it has none. */
export const rulesOf = (skill_id: string): Rules | undefined =>
  Object.hasOwn(BY_SKILL, skill_id) ? BY_SKILL[skill_id as RuleSkillId] : undefined;
