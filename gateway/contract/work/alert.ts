/** Alerts and the rules that raise them. An alert is computed from its events in the log of a machine or device. */
import { z } from 'zod';
import { base, Deleted, Id, idPath, listOf, listQuery, searchQuery, Timestamp } from '#contract/base/common.ts';
import { ADMINS, HINTS, operation, READERS, V1, WRITERS } from '#contract/base/operation.ts';
import { shownFields } from '#contract/base/shown.ts';
import { SIGNAL_NAMES, type SignalName } from '#contract/base/signals.ts';
import {
  AlertChangeFound,
  AlertFenceFound,
  AlertMute,
  AlertScope,
  AlertServiceFound,
  ChangeCondition,
  GeofenceCondition,
  ServiceCondition,
} from './alert-conditions.ts';
import { RawTraffic } from './raw-traffic.ts';

/** Signals for rules only: how many control units of a machine switch on each lamp, and how many trouble codes are active. */
export const DTC_SIGNALS = ['dtc.red_stop', 'dtc.amber', 'dtc.mil', 'dtc.protect', 'dtc.active'] as const;
/** Signal of rules on geofences. */
export const FENCE_SIGNAL = 'position.geofence';
/** Signal of rules on services that are due. */
export const SERVICE_SIGNAL = 'maintenance.service';
export type AlertSignal = SignalName | (typeof DTC_SIGNALS)[number] | typeof FENCE_SIGNAL | typeof SERVICE_SIGNAL;

/** Severities. Of the J1939 lamps, red stop is critical, amber and MIL are warnings, and protect is info. */
export const SEVERITY = ['info', 'warning', 'critical'] as const;
export type Severity = (typeof SEVERITY)[number];

/** Largest suspect parameter number and failure mode of a trouble code: 19 and 5 bits (SAE J1939-73 5.7.1). */
export const MAX_SPN = 524_287;
export const MAX_FMI = 31;

const WATCHED: ReadonlySet<string> = new Set<AlertSignal>([
  ...SIGNAL_NAMES,
  ...DTC_SIGNALS,
  FENCE_SIGNAL,
  SERVICE_SIGNAL,
]);
const AlertSignals = z
  .custom<AlertSignal>((text) => typeof text === 'string' && WATCHED.has(text), `one of ${[...WATCHED].join(', ')}`)
  .meta({
    type: 'string',
    maxLength: 64,
    description:
      'A signal such as engine.coolant_temperature, or dtc.red_stop, dtc.amber, dtc.mil, dtc.protect, dtc.active, position.geofence, maintenance.service.',
  });

export const ACTIONS = ['webhook', 'ticket', 'mqtt'] as const;
export type AlertActionName = (typeof ACTIONS)[number];

const Spn = z.number().int().min(0).max(MAX_SPN);
const Fmi = z.number().int().min(0).max(MAX_FMI);

const rule = {
  name: z.string().trim().min(1).max(120),
  signal: AlertSignals,
  op: z.enum(['gt', 'gte', 'lt', 'lte']).nullable(),
  value: z.number().nullable().meta({ description: 'In the unit of the signal.' }),
  for_seconds: z.number().int().min(0).max(86_400).meta({ description: 'How long it must be true.', unit: 's' }),
  clear_value: z.number().nullable().meta({ description: 'Value at which the alert is cleared; null: `value`.' }),
  no_data_seconds: z.number().int().min(60).max(2_592_000).nullable().meta({
    description: 'Raises an alert if a machine that has sent the signal is silent for this time.',
    unit: 's',
  }),
  spn: Spn.nullable().meta({
    description: 'Raises an alert while this trouble code is active; the signal is then dtc.active. Null: none.',
  }),
  fmi: Fmi.nullable().meta({ description: 'Narrows `spn` to one failure mode; null: every failure mode.' }),
  geofence: GeofenceCondition.nullable().meta({
    description: 'Raises an alert while the machine is inside, or after it has left; the signal is position.geofence.',
  }),
  change: ChangeCondition.nullable().meta({
    description: 'Raises an alert when the signal changes so fast. Null: none.',
  }),
  service: ServiceCondition.nullable().meta({
    description: 'Raises an alert when a service of a maintenance plan is due; the signal is maintenance.service.',
  }),
  severity: z.enum(SEVERITY),
  scope: AlertScope,
  mute: z.array(AlertMute).max(50),
  actions: z.array(z.enum(ACTIONS)).max(4).meta({
    description:
      'webhook: informs endpoints that receive alerts. ticket: makes a repair ticket, or adds the alert to an open one. mqtt: sends to `alerts` of devices of the machine, and of devices without a machine.',
  }),
  enabled: z.boolean(),
};

export const AlertRuleData = z.object({
  ...rule,
  // Rules that earlier versions of the gateway stored do not have these fields.
  spn: rule.spn.optional(),
  fmi: rule.fmi.optional(),
  change: rule.change.optional(),
  geofence: rule.geofence.optional(),
  service: rule.service.optional(),
  built_in: z.string().nullable().meta({ description: 'Name of the built-in rule. Built-in rules cannot be deleted.' }),
});
export type AlertRuleData = z.infer<typeof AlertRuleData>;

export const TANKS = ['fuel.level', 'def.level'] as const satisfies readonly SignalName[];
export type Tank = (typeof TANKS)[number];
export const isTank = (signal: string): signal is Tank => (TANKS as readonly string[]).includes(signal);
/** The part of an alert rule that decides whether it replaces the built-in limit of a tank. */
export type TankRule = Pick<AlertRuleData, 'signal' | 'op' | 'value' | 'scope' | 'enabled'>;

const AlertRule = z
  .object({
    object: z.literal('alert_rule'),
    ...base,
    ...shownFields({
      ...AlertRuleData.shape,
      spn: rule.spn,
      fmi: rule.fmi,
      change: rule.change,
      geofence: rule.geofence,
      service: rule.service,
    }),
  })
  .meta({ id: 'AlertRule', description: 'Condition for raising alerts. Its id is the `rule_id` of its alerts.' });
export type AlertRule = z.infer<typeof AlertRule>;

const createInput = {
  name: rule.name,
  signal: rule.signal,
  op: rule.op.default(null),
  value: rule.value.default(null),
  for_seconds: rule.for_seconds.default(0),
  clear_value: rule.clear_value.default(null),
  no_data_seconds: rule.no_data_seconds.default(null),
  spn: rule.spn.default(null),
  fmi: rule.fmi.default(null),
  change: rule.change.default(null),
  geofence: rule.geofence.default(null),
  service: rule.service.default(null),
  severity: rule.severity.default('warning'),
  scope: rule.scope.default({ equipment_ids: [], kinds: [], location_ids: [] }),
  mute: rule.mute.default([]),
  actions: rule.actions.default(['webhook']),
  enabled: rule.enabled.default(true),
};

/** The condition and the scope of a rule. */
export const AlertRuleCondition = z
  .object(createInput)
  .omit({ name: true, severity: true, mute: true, actions: true, enabled: true })
  .meta({ id: 'AlertRuleCondition' });

const updateInput = {
  name: rule.name.optional(),
  signal: rule.signal.optional(),
  op: rule.op.optional(),
  value: rule.value.optional(),
  for_seconds: rule.for_seconds.optional(),
  clear_value: rule.clear_value.optional(),
  no_data_seconds: rule.no_data_seconds.optional(),
  spn: rule.spn.optional(),
  fmi: rule.fmi.optional(),
  change: rule.change.optional(),
  geofence: rule.geofence.optional(),
  service: rule.service.optional(),
  severity: rule.severity.optional(),
  scope: rule.scope.optional(),
  mute: rule.mute.optional(),
  actions: rule.actions.optional(),
  enabled: rule.enabled.optional(),
};

const AlertCode = z
  .object({
    spn: Spn,
    fmi: Fmi,
    meaning: z.string().nullable().meta({ description: 'SPN and FMI in words; null if neither has a name.' }),
    source_address: z.number().int().meta({ description: 'Bus address of the control unit that sent the code.' }),
    bus: z.number().int().meta({ description: 'Bus of the device on which the code was received.' }),
    device_id: z.string(),
    since: Timestamp.meta({ description: 'First seen active.' }),
  })
  .meta({ id: 'AlertCode', description: 'The trouble code that raised an alert, and the control unit that sent it.' });
export type AlertCode = z.infer<typeof AlertCode>;

/** Largest number of devices in `missed` of an action. */
export const MAX_MISSED = 20;

const AlertAction = z.object({
  action: z.enum(ACTIONS),
  status: z.enum(['pending', 'executed', 'skipped']).meta({
    description: 'executed: a webhook is queued for its endpoints; see their deliveries.',
  }),
  reason: z.enum(['unpaired_machine', 'late', 'no_endpoint', 'no_device', 'cleared', 'not_taken']).nullable().meta({
    description:
      'cleared: the alert was cleared before the gateway executed the action. not_taken: `missed` devices did not get it.',
  }),
  ticket_id: z.string().optional().meta({ description: 'The repair ticket of the action `ticket`.' }),
  missed: z.array(z.string()).max(MAX_MISSED).optional().meta({
    description: 'Devices whose message was given up after seven days; the first ones.',
  }),
});

const JoinedRule = z
  .object({
    rule_id: z.string(),
    rule_name: z.string(),
    severity: z.enum(SEVERITY),
    signal_name: AlertSignals,
    value: z.number().nullable().meta({ description: 'The value that fulfilled this rule.' }),
    threshold: z.number().nullable(),
    joined_at: Timestamp,
    raised_severity: z.boolean().meta({
      description: 'True if it raised the severity of the alert; an earlier acknowledgement is then void.',
    }),
    alert_id: z.string().nullable().meta({
      description: 'The open alert of this rule, cleared at the join; null: none.',
    }),
  })
  .meta({ id: 'JoinedRule', description: 'Another rule that the trouble code of an alert fulfilled.' });
export type JoinedRule = z.infer<typeof JoinedRule>;

export const AlertData = z.object({
  rule_id: z.string().meta({ description: 'Stable, for programs.' }),
  rule_name: z
    .string()
    .meta({ description: 'Name of the rule when the alert was raised. Use `rule_id` to identify the rule.' }),
  severity: z.enum(SEVERITY).meta({ description: 'The highest of its rule and the rules in `also`.' }),
  signal_name: AlertSignals,
  machine_id: z.string().nullable().meta({ description: 'An equipment id; null if the alert has no machine.' }),
  device_id: z.string().nullable(),
  condition: z.enum(['threshold', 'no_data', 'code', 'change', 'geofence', 'service']).meta({
    description:
      'code: a trouble code is active. change: `value` is the change of the signal within the window. service: due.',
  }),
  value: z.number().nullable().meta({
    description:
      'The value that crossed the threshold, in `unit`; the number of matching active codes; null for missing data and dates.',
  }),
  threshold: z.number().nullable().meta({
    description:
      'The threshold; for missing data the seconds of silence; for a service the reading at which it is due. Null for a trouble code.',
  }),
  code: AlertCode.optional().meta({ description: 'Only with the condition `code`.' }),
  ref: z.string().nullable().optional().meta({
    description: 'The message and frame of the value, for `GET /lineage/{ref}`.',
  }),
  change: AlertChangeFound.optional().meta({ description: 'Only with the condition `change`.' }),
  geofence: AlertFenceFound.optional().meta({ description: 'Only with the condition `geofence`.' }),
  service: AlertServiceFound.optional().meta({ description: 'Only with the condition `service`.' }),
  also: z.array(JoinedRule).optional().meta({
    description: 'Joined rules: they found the same fault and have no own alert; by time.',
  }),
  unit: z.string(),
  state: z.enum(['active', 'cleared']),
  acknowledged_at: Timestamp.nullable(),
  acknowledged_by: z.string().nullable(),
  raised_at: Timestamp,
  cleared_at: Timestamp.nullable(),
  cleared_because: z
    .enum([
      'back',
      'data',
      'superseded',
      'joined',
      'rule_changed',
      'machine_changed',
      'paired',
      'service_done',
      'plan_changed',
      'meter_corrected',
    ])
    .nullable()
    .meta({
      description:
        'superseded: a late alert, replaced after fresh data confirmed it. joined: an open trouble code alert explains it. meter_corrected: a person set the meter below the limit.',
    }),
  observed_at: Timestamp.nullable().meta({ description: 'When the machine reported the value.' }),
  late: z.boolean().meta({
    description: 'True if its data was already old on arrival. The alert is recorded, but not shown as live.',
  }),
  actions: z.array(AlertAction),
});
export type AlertData = z.infer<typeof AlertData>;

const Alert = z
  .object({
    object: z.literal('alert'),
    ...base,
    ...shownFields(AlertData.shape),
    raw_traffic: RawTraffic.nullable().meta({ description: 'Only for critical alerts.' }),
  })
  .meta({ id: 'Alert', description: 'A crossed threshold, missing data, an active trouble code, or a due service.' });
export type Alert = z.infer<typeof Alert>;

const RULES = { extension: 'the specification uses `rule_id` but has no operations on rules' };
const ALERTS = { extension: 'the people who get alerts must be able to find and acknowledge them' };

/** Operations on alerts and alert rules. */
export const alertOperations = {
  alerts_list: operation({
    method: 'GET',
    path: `${V1}/alerts`,
    summary: 'List alerts',
    input: z.object({
      ...listQuery,
      updated_after: searchQuery.updated_after.meta({
        description:
          'Alerts raised, acknowledged or cleared since. A page may hold fewer items than `limit`; continue with `next_cursor`.',
      }),
      updated_before: searchQuery.updated_before,
      state: AlertData.shape.state.optional(),
      severity: z.enum(SEVERITY).optional(),
      machine_id: Id.optional(),
      device_id: Id.optional(),
      rule_id: Id.optional(),
      acknowledged: z.boolean().optional(),
    }),
    output: listOf(Alert),
    errors: ['invalid_cursor'],
    source: ALERTS,
  }),
  alerts_get: operation({
    method: 'GET',
    path: `${V1}/alerts/{id}`,
    summary: 'Get an alert',
    input: z.object(idPath),
    output: Alert,
    errors: ['not_found'],
    source: ALERTS,
  }),
  alerts_acknowledge: operation({
    method: 'POST',
    path: `${V1}/alerts/{id}/acknowledge`,
    summary: 'Acknowledge an alert; a second acknowledgement changes nothing',
    roles: [...WRITERS, 'mechanic', 'operator'],
    hints: HINTS.CHANGE,
    input: z.object({ ...idPath, note: z.string().trim().min(1).max(500).optional() }),
    output: Alert,
    errors: ['not_found'],
    source: ALERTS,
  }),
  alert_rules_create: operation({
    method: 'POST',
    path: `${V1}/alert-rules`,
    summary:
      'Create an alert rule: a threshold, missing data, both of these, a trouble code, a change, a geofence, or a due service',
    input: z.object(createInput),
    output: AlertRule,
    status: 201,
    revision: 'etag',
    roles: WRITERS,
    errors: ['not_found', 'parameter_invalid', 'limit_reached'],
    source: RULES,
  }),
  alert_rules_list: operation({
    method: 'GET',
    path: `${V1}/alert-rules`,
    summary: 'List alert rules',
    input: z.object({
      ...searchQuery,
      severity: z.enum(SEVERITY).optional(),
      signal: AlertSignals.meta({ type: 'string', description: 'Rules that watch this signal.' }).optional(),
    }),
    output: listOf(AlertRule),
    roles: READERS,
    errors: ['invalid_cursor'],
    source: RULES,
  }),
  alert_rules_get: operation({
    method: 'GET',
    path: `${V1}/alert-rules/{id}`,
    summary: 'Get an alert rule',
    input: z.object(idPath),
    output: AlertRule,
    revision: 'etag',
    errors: ['not_found'],
    source: RULES,
  }),
  alert_rules_update: operation({
    method: 'PATCH',
    path: `${V1}/alert-rules/{id}`,
    summary: 'Update an alert rule; If-Match is required',
    input: z.object({ ...idPath, ...updateInput }),
    output: AlertRule,
    revision: 'if-match',
    roles: WRITERS,
    requires: ['if-match'],
    errors: ['not_found', 'parameter_invalid', 'precondition_required', 'revision_mismatch'],
    source: RULES,
  }),
  alert_rules_delete: operation({
    method: 'DELETE',
    path: `${V1}/alert-rules/{id}`,
    summary: 'Delete an alert rule and clear its alerts; built-in rules are disabled instead',
    input: z.object(idPath),
    output: Deleted,
    revision: 'if-match',
    roles: ADMINS,
    errors: ['not_found', 'permission_denied', 'revision_mismatch'],
    source: RULES,
  }),
} as const;
