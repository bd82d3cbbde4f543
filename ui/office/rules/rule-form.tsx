/** The form of an alert rule. Below the fields it describes the rule in words, and updates the words while a person types. */
import { SEVERITY } from '#contract/work/alert.ts';
import { duration } from '#ui/format.ts';
import { said, t, type Word } from '#ui/languages/texts.ts';
import { kindText } from '#ui/office/base/machine-kinds.ts';
import { AsIs, Choice, Field } from '#ui/office/base/parts.tsx';
import { NumberField, Pick, PickMany, Toggle } from '#ui/office/base/picks.tsx';
import { SEVERITY_WORDS, signalLabel, signalUnit } from '#ui/office/work/alert-text.ts';
import { failureHint, parameterHint } from '#ui/office/work/ticket-text.ts';
import { type RuleFields, ruleOf } from './rule-draft.ts';
import { DIRECTIONS, FENCE_EVENTS, LIMITS, SERVICE_STATES, WATCHES } from './rule-fields.ts';
import { changeable, changing, type RuleText, ruleName, ruleSentence, type ScopeNames, watched } from './rule-text.ts';

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

/** Times that the form offers, in the unit of the field. */
const HOLDS = ['0', '10', '30', '60', '300', '900'] as const;
const WINDOWS = ['10', '60', '300', '600', '3600', '43200'] as const;
const SILENCES = ['', '5', '15', '60', '480', '1440'] as const;
const UNIT_MS = { s: 1_000, min: 60_000 } as const;

/** Returns options with their texts in the language of the page. */
const worded = <T extends string>(options: readonly (readonly [T, Word])[]) =>
  options.map(([value, text]) => [value, t(text)] as const);

/** Returns the options of a field for a time. Adds the present value of the field if it is not among them. `none`: the label of the option without a time. */
function offered(times: readonly string[], value: string, unit: keyof typeof UNIT_MS, none: Word) {
  const known = times.map((one) => [one, Number(one) === 0 ? t(none) : duration(Number(one) * UNIT_MS[unit])] as const);
  return times.includes(value) ? known : [...known, [value, `${value} ${unit}`] as const];
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
      {words ??
        t('Enter a limit, a time without data, a change, a trouble code, a place with a geofence, or a service.')}
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
      label={t('For at least')}
      value={fields.for_seconds}
      options={offered(HOLDS, fields.for_seconds, 's', 'At once')}
      onValue={(value) => touch('for_seconds', value)}
    />
  );
}

function CodeCondition({ fields, touch }: FieldsProps) {
  const spn = parameterHint(fields.spn);
  return (
    <>
      <div class="pair">
        <NumberField
          label="SPN"
          value={fields.spn}
          onValue={(value) => touch('spn', value)}
          hint={
            <span lang={spn.lang} data-as-is={spn.lang}>
              {spn.text}
            </span>
          }
          required
        />
        <NumberField
          label="FMI"
          value={fields.fmi}
          onValue={(fmi) => touch('fmi', fmi)}
          hint={fields.fmi.trim() === '' ? t('Empty: every failure mode') : failureHint(fields.fmi)}
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
      <Choice label={t('Signal')} value={signal} options={changeable()} onValue={(signal) => touch('signal', signal)} />
      <Pick
        label={t('Raise when it')}
        value={fields.direction}
        options={worded(DIRECTIONS)}
        onValue={(direction) => touch('direction', direction)}
      />
      <NumberField
        label={t('By at least')}
        value={fields.by}
        unit={signalUnit(signal)}
        onValue={(by) => touch('by', by)}
        hint={t(
          'Examples: coolant rises by 10 °C within 1 min. Fuel level falls by 5 % within 10 min: a leak, or theft.',
        )}
        required
      />
      <Pick
        label={t('Within')}
        value={fields.within_seconds}
        options={offered(WINDOWS, fields.within_seconds, 's', 'At once')}
        onValue={(within) => touch('within_seconds', within)}
      />
      <Toggle
        label={t('Also compare values from before and after a time without data')}
        value={fields.across_gaps}
        onValue={(value) => touch('across_gaps', value)}
      />
    </>
  );
}

function FenceCondition({ fields, touch, scopes }: FieldsProps & { scopes: Scopes }) {
  if (scopes.fenced.length === 0)
    return (
      <p class="aside">
        {said('No place has a geofence. {link} first.', { link: <a href="#map">{t('Draw a zone on the map')}</a> })}
      </p>
    );
  return (
    <>
      <Pick
        label={t('Raise when a machine')}
        value={fields.fence_event}
        options={worded(FENCE_EVENTS)}
        onValue={(event) => touch('fence_event', event)}
      />
      <Choice
        label={t('The place')}
        value={fields.fence_id}
        options={[['', t('Select a place')], ...scopes.fenced]}
        onValue={(id) => touch('fence_id', id)}
      />
      <HoldField fields={fields} touch={touch} />
    </>
  );
}

function ServiceCondition({ fields, touch, scopes }: FieldsProps & { scopes: Scopes }) {
  if (scopes.plans.length === 0)
    return (
      <p class="aside">
        {said('There is no maintenance plan. {link}.', {
          link: <a href="#maintenance">{t('Create a plan first')}</a>,
        })}
      </p>
    );
  return (
    <>
      <Choice
        label={t('Maintenance plan')}
        value={fields.plan_id}
        options={[['', t('Every plan of the machine')], ...scopes.plans]}
        onValue={(id) => touch('plan_id', id)}
      />
      <Pick
        label={t('Raise when the service')}
        value={fields.service_from}
        options={worded(SERVICE_STATES)}
        onValue={(from) => touch('service_from', from)}
      />
      {fields.service_from !== 'overdue' && (
        <>
          <div class="pair">
            <NumberField
              label={t('Or at most left')}
              value={fields.hours_left}
              unit="h"
              onValue={(value) => touch('hours_left', value)}
              hint={t('Engine hours. Empty: not before.')}
            />
            <NumberField
              label={t('Or at most left')}
              value={fields.km_left}
              unit="km"
              onValue={(value) => touch('km_left', value)}
              hint={t('Distance. Empty: not before.')}
            />
          </div>
          <NumberField
            label={t('Or at most left')}
            value={fields.days_left}
            unit={t('days')}
            onValue={(value) => touch('days_left', value)}
            hint={t('To a date of the plan. Empty: not before.')}
          />
        </>
      )}
    </>
  );
}

function SignalCondition({ fields, touch }: FieldsProps) {
  const unit = signalUnit(fields.signal as RuleText['signal']);
  const label = signalLabel(fields.signal as RuleText['signal']);
  return (
    <>
      <Choice
        label={t('Signal')}
        value={fields.signal}
        options={watched()}
        onValue={(signal) => touch('signal', signal)}
      />
      <Pick
        label={t('Raise when {label} is', { label })}
        value={fields.op}
        options={worded(LIMITS)}
        onValue={(op) => touch('op', op)}
      />
      {fields.op !== '' && (
        <>
          <div class="pair">
            <NumberField
              label={t('Limit')}
              value={fields.value}
              unit={unit}
              onValue={(value) => touch('value', value)}
              required
            />
            <NumberField
              label={t('Clears at')}
              value={fields.clear_value}
              unit={unit}
              onValue={(value) => touch('clear_value', value)}
              hint={t(
                'If empty, the alert clears at the limit. A value further away keeps the alert from clearing and returning again and again.',
              )}
            />
          </div>
          <HoldField fields={fields} touch={touch} />
        </>
      )}
      <Pick
        label={t('Raise when a machine stops sending it for')}
        value={fields.silent_minutes}
        options={offered(SILENCES, fields.silent_minutes, 'min', 'Never')}
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
      <Pick
        label={t('Watch')}
        value={fields.watch}
        options={worded(WATCHES)}
        onValue={(watch) => touch('watch', watch)}
      />
      {fields.watch === 'code' && <CodeCondition fields={fields} touch={touch} />}
      {fields.watch === 'change' && <ChangeCondition fields={fields} touch={touch} />}
      {fields.watch === 'geofence' && <FenceCondition fields={fields} touch={touch} scopes={scopes} />}
      {fields.watch === 'service' && <ServiceCondition fields={fields} touch={touch} scopes={scopes} />}
      {fields.watch === 'signal' && <SignalCondition fields={fields} touch={touch} />}
      <Pick
        label={t('Severity')}
        value={fields.severity}
        options={SEVERITY.map((one) => [one, t(SEVERITY_WORDS[one])] as const)}
        onValue={(severity) => touch('severity', severity)}
      />
      <Field
        label={t('Name')}
        value={fields.name}
        onValue={(name) => touch('name', name)}
        maxLength={120}
        hint={
          rule === null || ruleSentence(rule, scopes) === null
            ? ''
            : said('Empty: {name}', {
                name: <AsIs>{ruleName(rule, scopes)}</AsIs>,
              })
        }
      />
      <fieldset class="plain rule-actions">
        <legend>{t('When it raises an alert')}</legend>
        <Toggle label={t('Make a repair ticket')} value={fields.ticket} onValue={(value) => touch('ticket', value)} />
        <Toggle
          label={t('Switch on lights and horns (MQTT topic alerts)')}
          value={fields.mqtt}
          onValue={(value) => touch('mqtt', value)}
        />
        <Toggle label={t('Send to webhooks')} value={fields.webhook} onValue={(value) => touch('webhook', value)} />
        <p class="aside">{t('Which alerts fill a TV screen is a setting of each playlist: Screens, Playlist.')}</p>
      </fieldset>
      <details class="more">
        <summary>{t('Machines')}</summary>
        <div class="inside">
          {scopes.machines.length > 0 && (
            <PickMany
              label={t('Machines')}
              values={fields.equipment_ids}
              options={scopes.machines}
              onValues={(ids) => touch('equipment_ids', ids)}
              hint={t('None selected: all machines')}
            />
          )}
          {scopes.kinds.length > 0 && (
            <PickMany
              label={t('Kinds')}
              values={fields.kinds}
              options={[...new Set([...scopes.kinds, ...fields.kinds])].map((kind) => [kind, kindText(kind)] as const)}
              onValues={(kinds) => touch('kinds', kinds)}
            />
          )}
          {scopes.locations.length > 0 && (
            <PickMany
              label={t('Places, including places inside them')}
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
