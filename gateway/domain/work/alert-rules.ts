/** The alert rules that every project has from its creation: one for each lamp of the J1939 DM1 message. */

import { hashId } from '#contract/base/ids.ts';
import type { AlertRuleData } from '#contract/work/alert.ts';

const lamp = (
  built_in: string,
  name: string,
  signal: AlertRuleData['signal'],
  severity: AlertRuleData['severity'],
  for_seconds: number,
): AlertRuleData & { readonly built_in: string } => ({
  name,
  signal,
  op: 'gte',
  value: 1,
  for_seconds,
  clear_value: null,
  no_data_seconds: null,
  severity,
  scope: { equipment_ids: [], kinds: [], location_ids: [] },
  mute: [],
  actions: ['webhook'],
  enabled: true,
  built_in,
});

/** The built-in rules. Each project has each of these rules once; the id of a rule is computed from its name. */
export const BUILT_IN_RULES = [
  lamp('red_stop', 'Red stop lamp', 'dtc.red_stop', 'critical', 0),
  lamp('amber', 'Amber warning lamp', 'dtc.amber', 'warning', 10),
  lamp('mil', 'Malfunction indicator lamp', 'dtc.mil', 'warning', 10),
  lamp('protect', 'Protect lamp', 'dtc.protect', 'info', 10),
] as const;

/** Id of a built-in rule of a project. Two nodes that create the rule independently compute the same id. */
export function builtInRuleId(sha256: (text: string) => string, project_id: string, built_in: string): string {
  return hashId('alert_rule', sha256(`${project_id}\nalert_rule\n${built_in}`));
}
