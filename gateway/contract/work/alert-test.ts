/** The operation that tries an alert rule on recorded values. */
import { z } from 'zod';
import { Id, Timestamp } from '#contract/base/common.ts';
import { HINTS, operation, READERS, V1 } from '#contract/base/operation.ts';
import { AlertRuleCondition } from './alert.ts';
import { AlertServiceFound } from './alert-conditions.ts';

/** Largest number of machines of one call. */
export const MAX_TEST_MACHINES = 20;
/** Largest number of days of all machines together: seven days of 20 machines. */
export const MAX_TEST_MACHINE_DAYS = 140;

const Range = z.object({ from: Timestamp, to: Timestamp });

const TestedAlert = z.object({
  raised_at: Timestamp,
  cleared_at: Timestamp.nullable().meta({ description: 'Null: still raised at `to`.' }),
  condition: z.enum(['threshold', 'no_data', 'change', 'geofence', 'service']),
  value: z.number().nullable(),
  change_from: z.object({ value: z.number(), observed_at: Timestamp }).nullable(),
  service: AlertServiceFound.nullable().meta({ description: 'The service, for a rule on services.' }),
});

const TestedMachine = z
  .object({
    equipment_id: z.string(),
    unit_number: z.string(),
    alerts: z.array(TestedAlert).meta({ description: 'The first alerts that the rule would have raised, by time.' }),
    alerts_total: z.number().int(),
    coverage: z.number().min(0).max(1).meta({ description: 'Share of the range with values.' }),
    values: z.number().int().meta({ description: 'Number of values that were judged.' }),
    gaps: z.array(Range).meta({ description: 'The first times without values.' }),
    gaps_total: z.number().int(),
    minutes_only: z.array(Range).meta({ description: 'Days for which only the extremes of each minute are stored.' }),
    unreadable: z.number().int().meta({ description: 'Damaged records, whose values are missing.' }),
  })
  .meta({ id: 'RuleTestMachine' });

const NotJudged = z.object({
  code: z.enum(['trouble_codes', 'durations', 'moments', 'sources', 'mute', 'machines', 'services', 'not_tried']),
  text: z.string(),
});

const RuleTest = z
  .object({
    object: z.literal('alert_rule_test'),
    from: Timestamp,
    to: Timestamp,
    machines: z.array(TestedMachine),
    not_judged: z.array(NotJudged).meta({ description: 'What the trial cannot tell, in words.' }),
  })
  .meta({ id: 'AlertRuleTest', description: 'The alerts that a rule would have raised on recorded values.' });
export type RuleTest = z.infer<typeof RuleTest>;

export const alertTestOperations = {
  alert_rules_test: operation({
    method: 'POST',
    path: `${V1}/alert-rules/test`,
    summary: 'Try an alert rule on recorded values; changes nothing',
    hints: HINTS.READ,
    roles: READERS,
    inputLike: 'alert_rules_create',
    description: 'Send either `rule_id`, or in `rule` a condition that is not stored.',
    input: z.object({
      rule_id: Id.optional(),
      rule: AlertRuleCondition.optional(),
      equipment_ids: z
        .array(Id)
        .min(1)
        .max(MAX_TEST_MACHINES)
        .optional()
        .meta({ description: `Default: the first ${MAX_TEST_MACHINES} machines that the rule watches.` }),
      from: Timestamp.optional().meta({ description: 'Default: 7 days before `to`.' }),
      to: Timestamp.optional().meta({ description: 'Default: now.' }),
    }),
    output: RuleTest,
    errors: ['not_found', 'parameter_invalid', 'rate_limited'],
    source: { extension: 'a rule that nobody tried raises false alarms' },
  }),
} as const;
