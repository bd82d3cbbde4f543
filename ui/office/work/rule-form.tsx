/** The form of an alert rule. Below the fields it describes the rule in words, and updates the words while a person types. */
import { SEVERITY } from '#contract/work/alert.ts';
import { t } from '#ui/languages/texts.ts';
import { Choice, Field } from '#ui/office/base/parts.tsx';
import { NumberField, Pick, PickMany, Toggle } from '#ui/office/base/picks.tsx';
import {
  CHANGING,
  changing,
  OP_CHOICES,
  type RuleText,
  ruleLabel,
  ruleName,
  ruleSentence,
  type ScopeNames,
  SEVERITY_WORDS,
  signalUnit,
  WATCHED,
} from './alert-text.ts';
import { type RuleFields, ruleOf } from './rule-draft.ts';
import { failureHint, parameterHint } from './ticket-text.ts';

/** The machines, machine kinds and locations to which a person can limit a rule. */
export interface Scopes extends ScopeNames {
  readonly machines: readonly (readonly [id: string, text: string])[];
  readonly kinds: readonly string[];
  readonly locations: readonly (readonly [id: string, text: string])[];
  /** The locations that have a geofence. */
  readonly fenced: readonly (readonly [id: string, text: string])[];
  /** The maintenance plans. */
  readonly plans: readonly (readonly [id: string, text: string])[];
}

const WATCHES = [
  ['signal', 'A value or a lamp'],
  ['change', 'A fast change'],
  ['code', 'A trouble code'],
  ['geofence', 'A geofence'],
  ['service', 'A service that is due'],
] as const;
const HOLDS = [
  ['0', 'At once'],
  ['10', '10 s'],
  ['30', '30 s'],
  ['60', '1 min'],
  ['300', '5 min'],
  ['900', '15 min'],
] as const;
const WINDOWS = [
  ['10', '10 s'],
  ['60', '1 min'],
  ['300', '5 min'],
  ['600', '10 min'],
  ['3600', '1 h'],
  ['43200', '12 h'],
] as const;
const DIRECTIONS = [
  ['rise', 'rises'],
  ['fall', 'falls'],
] as const;
const SILENCES = [
  ['', 'Never'],
  ['5', '5 min'],
  ['15', '15 min'],
  ['60', '1 h'],
  ['480', '8 h'],
  ['1440', '1 day'],
] as const;

/** Returns the times that the form offers. Adds the present value of the field if it is not among them. */
function offered(times: readonly (readonly [string, string])[], value: string, unit: string) {
  return times.some(([one]) => one === value) ? times : [...times, [value, `${value} ${unit}`] as const];
}

/** Returns the rule that the fields describe; null while a number in a field is invalid. */
function readable(fields: RuleFields): RuleText | null {
  try {
    return ruleOf(fields);
  } catch {
    return null;
  }
}

/** Describes the rule in words while a person types. */
function Sentence({ fields, names }: { fields: RuleFields; names: ScopeNames }) {
  const rule = readable(fields);
  const words = rule === null ? null : ruleSentence(rule, names);
  return (
    <p class="sentence" role="status">
      {words ?? 'Enter a limit, a time without data, a change, a trouble code, a place with a geofence, or a service.'}
    </p>
  );
}

interface FieldsProps {
  fields: RuleFields;
  touch<N extends keyof RuleFields>(name: N, value: RuleFields[N]): void;
}

function HoldField({ fields, touch }: FieldsProps) {
  return (
    <Pick
      label="For at least"
      value={fields.for_seconds}
      options={offered(HOLDS, fields.for_seconds, 's')}
      onValue={(value) => touch('for_seconds', value)}
    />
  );
}

function CodeCondition({ fields, touch }: FieldsProps) {
  return (
    <>
      <div class="pair">
        <NumberField
          label="SPN"
          value={fields.spn}
          onValue={(spn) => touch('spn', spn)}
          hint={parameterHint(fields.spn)}
          required
        />
        <NumberField
          label="FMI"
          value={fields.fmi}
          onValue={(fmi) => touch('fmi', fmi)}
          hint={fields.fmi.trim() === '' ? 'Empty: every failure mode' : failureHint(fields.fmi)}
        />
      </div>
      <HoldField fields={fields} touch={touch} />
    </>
  );
}

function ChangeCondition({ fields, touch }: FieldsProps) {
  const signal = changing(fields.signal);
  return (
    <>
      <Choice label="Signal" value={signal} options={CHANGING} onValue={(signal) => touch('signal', signal)} />
      <Pick
        label="Raise when it"
        value={fields.direction}
        options={DIRECTIONS}
        onValue={(direction) => touch('direction', direction)}
      />
      <NumberField
        label="By at least"
        value={fields.by}
        unit={signalUnit(signal)}
        onValue={(by) => touch('by', by)}
        hint="Examples: coolant rises by 10 °C within 1 min. Fuel level falls by 5 % within 10 min: a leak, or theft."
        required
      />
      <Pick
        label="Within"
        value={fields.within_seconds}
        options={offered(WINDOWS, fields.within_seconds, 's')}
        onValue={(within) => touch('within_seconds', within)}
      />
      <Toggle
        label="Also compare values from before and after a time without data"
        value={fields.across_gaps}
        onValue={(value) => touch('across_gaps', value)}
      />
    </>
  );
}

const FENCE_EVENTS = [
  ['enter', 'enters'],
  ['leave', 'leaves'],
] as const;

function FenceCondition({ fields, touch, scopes }: FieldsProps & { scopes: Scopes }) {
  if (scopes.fenced.length === 0)
    return <p class="aside">No place has a geofence. Give a place a geofence first (API: PATCH /api/v1/locations).</p>;
  return (
    <>
      <Pick
        label="Raise when a machine"
        value={fields.fence_event}
        options={FENCE_EVENTS}
        onValue={(event) => touch('fence_event', event)}
      />
      <Choice
        label="The place"
        value={fields.fence_id}
        options={[['', 'Select a place'], ...scopes.fenced]}
        onValue={(id) => touch('fence_id', id)}
      />
      <HoldField fields={fields} touch={touch} />
    </>
  );
}

const SERVICE_STATES = [
  ['due_soon', 'is due soon'],
  ['due', 'is due'],
  ['overdue', 'is overdue'],
] as const;

function ServiceCondition({ fields, touch, scopes }: FieldsProps & { scopes: Scopes }) {
  if (scopes.plans.length === 0)
    return (
      <p class="aside">
        There is no maintenance plan. <a href="#maintenance">Create a plan first</a>.
      </p>
    );
  return (
    <>
      <Choice
        label="Maintenance plan"
        value={fields.plan_id}
        options={[['', 'Every plan of the machine'], ...scopes.plans]}
        onValue={(id) => touch('plan_id', id)}
      />
      <Pick
        label="Raise when the service"
        value={fields.service_from}
        options={SERVICE_STATES}
        onValue={(from) => touch('service_from', from)}
      />
      {fields.service_from !== 'overdue' && (
        <>
          <div class="pair">
            <NumberField
              label="Or at most left"
              value={fields.hours_left}
              unit="h"
              onValue={(value) => touch('hours_left', value)}
              hint="Engine hours. Empty: not before."
            />
            <NumberField
              label="Or at most left"
              value={fields.km_left}
              unit="km"
              onValue={(value) => touch('km_left', value)}
              hint="Distance. Empty: not before."
            />
          </div>
          <NumberField
            label="Or at most left"
            value={fields.days_left}
            unit="days"
            onValue={(value) => touch('days_left', value)}
            hint="To a date of the plan. Empty: not before."
          />
        </>
      )}
    </>
  );
}

function SignalCondition({ fields, touch }: FieldsProps) {
  const unit = signalUnit(fields.signal as RuleText['signal']);
  const label = ruleLabel(fields.signal as RuleText['signal']);
  return (
    <>
      <Choice label="Signal" value={fields.signal} options={WATCHED} onValue={(signal) => touch('signal', signal)} />
      <Pick
        label={`Raise when ${label} is`}
        value={fields.op}
        options={[...OP_CHOICES, ['', 'No limit, only missing data'] as const]}
        onValue={(op) => touch('op', op)}
      />
      {fields.op !== '' && (
        <>
          <div class="pair">
            <NumberField
              label="Limit"
              value={fields.value}
              unit={unit}
              onValue={(value) => touch('value', value)}
              required
            />
            <NumberField
              label="Clears at"
              value={fields.clear_value}
              unit={unit}
              onValue={(value) => touch('clear_value', value)}
              hint="If empty, the alert clears at the limit. With a value further away, the alert does not clear and return again and again."
            />
          </div>
          <HoldField fields={fields} touch={touch} />
        </>
      )}
      <Pick
        label="Raise when a machine stops sending it for"
        value={fields.silent_minutes}
        options={offered(SILENCES, fields.silent_minutes, 'min')}
        onValue={(value) => touch('silent_minutes', value)}
      />
    </>
  );
}

export function RuleForm(props: FieldsProps & { scopes: Scopes }) {
  const { fields, touch, scopes } = props;
  const rule = readable(fields);
  return (
    <>
      <Pick label="Watch" value={fields.watch} options={WATCHES} onValue={(watch) => touch('watch', watch)} />
      {fields.watch === 'code' && <CodeCondition fields={fields} touch={touch} />}
      {fields.watch === 'change' && <ChangeCondition fields={fields} touch={touch} />}
      {fields.watch === 'geofence' && <FenceCondition fields={fields} touch={touch} scopes={scopes} />}
      {fields.watch === 'service' && <ServiceCondition fields={fields} touch={touch} scopes={scopes} />}
      {fields.watch === 'signal' && <SignalCondition fields={fields} touch={touch} />}
      <Pick
        label="Severity"
        value={fields.severity}
        options={SEVERITY.map((one) => [one, t(SEVERITY_WORDS[one])] as const)}
        onValue={(severity) => touch('severity', severity)}
      />
      <Field
        label="Name"
        value={fields.name}
        onValue={(name) => touch('name', name)}
        maxLength={120}
        hint={rule === null || ruleSentence(rule, scopes) === null ? '' : `Empty: ${ruleName(rule, scopes)}`}
      />
      <fieldset class="plain rule-actions">
        <legend>When it raises an alert</legend>
        <Toggle label="Make a repair ticket" value={fields.ticket} onValue={(value) => touch('ticket', value)} />
        <Toggle
          label="Switch on lights and horns (MQTT topic alerts)"
          value={fields.mqtt}
          onValue={(value) => touch('mqtt', value)}
        />
        <Toggle label="Send to webhooks" value={fields.webhook} onValue={(value) => touch('webhook', value)} />
        <p class="aside">Which alerts fill a TV screen is a setting of each playlist: Screens, Playlist.</p>
      </fieldset>
      <details class="more">
        <summary>Machines</summary>
        <div class="inside">
          {scopes.machines.length > 0 && (
            <PickMany
              label="Machines"
              values={fields.equipment_ids}
              options={scopes.machines}
              onValues={(ids) => touch('equipment_ids', ids)}
              hint="None selected: all machines"
            />
          )}
          {scopes.kinds.length > 0 && (
            <PickMany
              label="Kinds"
              values={fields.kinds}
              options={[...new Set([...scopes.kinds, ...fields.kinds])].map((kind) => [kind, kind] as const)}
              onValues={(kinds) => touch('kinds', kinds)}
            />
          )}
          {scopes.locations.length > 0 && (
            <PickMany
              label="Places, including places inside them"
              values={fields.location_ids}
              options={scopes.locations}
              onValues={(ids) => touch('location_ids', ids)}
            />
          )}
        </div>
      </details>
      <Sentence fields={fields} names={scopes} />
    </>
  );
}
