/** The fields of an alert rule in words, for its form and for the list of what another person changed. */
import { t, translated, type Word } from '#ui/languages/texts.ts';
import type { Value } from '#ui/office/base/draft.ts';
import { kindText } from '#ui/office/base/machine-kinds.ts';
import { SEVERITY_WORDS, signalLabel } from '#ui/office/work/alert-text.ts';
import type { RuleFields } from './rule-draft.ts';
import type { RuleText, ScopeNames } from './rule-text.ts';

/** The options of the fields with a choice, in the order of the form. */
export const WATCHES = [
  ['signal', 'A value or a lamp'],
  ['change', 'A fast change'],
  ['code', 'A trouble code'],
  ['geofence', 'A geofence'],
  ['service', 'A service that is due'],
] as const;
export const DIRECTIONS = [
  ['rise', 'rises'],
  ['fall', 'falls'],
] as const;
export const LIMITS = [
  ['gt', 'above the limit'],
  ['gte', 'at or above the limit'],
  ['lt', 'below the limit'],
  ['lte', 'at or below the limit'],
  ['', 'No limit, only missing data'],
] as const;
export const FENCE_EVENTS = [
  ['enter', 'enters'],
  ['leave', 'leaves'],
] as const;
export const SERVICE_STATES = [
  ['due_soon', 'is due soon'],
  ['due', 'is due'],
  ['overdue', 'is overdue'],
] as const;

/** The words of the codes that a field stores. */
const CODES: Readonly<Record<string, readonly (readonly [code: string, text: Word])[]>> = {
  watch: WATCHES,
  op: LIMITS,
  direction: DIRECTIONS,
  fence_event: FENCE_EVENTS,
  service_from: SERVICE_STATES,
  severity: Object.entries(SEVERITY_WORDS),
};

const FIELD_WORDS: Readonly<Record<keyof RuleFields, Word | 'SPN' | 'FMI'>> = {
  name: 'Name',
  watch: 'Watch',
  signal: 'Signal',
  op: 'Comparison',
  value: 'Limit',
  for_seconds: 'Seconds beyond the limit',
  clear_value: 'Clears at',
  silent_minutes: 'Minutes without data',
  direction: 'Direction',
  by: 'Change',
  within_seconds: 'Seconds of the change',
  across_gaps: 'Across times without data',
  fence_id: 'Geofence',
  fence_event: 'Enters or leaves',
  plan_id: 'Maintenance plan',
  service_from: 'State of the service',
  hours_left: 'Hours left',
  km_left: 'Distance left',
  days_left: 'Days left',
  spn: 'SPN',
  fmi: 'FMI',
  severity: 'Severity',
  equipment_ids: 'Machines',
  kinds: 'Kinds',
  location_ids: 'Places',
  webhook: 'Webhooks',
  ticket: 'Repair tickets',
  mqtt: 'Lights and horns',
  enabled: 'Switched on',
};

/** Returns the label of a field. Returns the name of a field that this version does not have: another version kept it in the tab. */
export const fieldLabel = (name: string): string => translated(FIELD_WORDS[name as keyof RuleFields] ?? name);

/** Returns the value of a field as text. */
export function fieldText(name: string, value: Value, scopes: ScopeNames): string {
  if (typeof value === 'boolean') return t(value ? 'yes' : 'no');
  if (typeof value !== 'string')
    return value
      .map(name === 'location_ids' ? scopes.location : name === 'kinds' ? kindText : scopes.machine)
      .join(', ');
  const words = CODES[name]?.find(([code]) => code === value)?.[1];
  if (words !== undefined) return t(words);
  if (value === '') return value;
  if (name === 'signal') return signalLabel(value as RuleText['signal']);
  if (name === 'fence_id') return scopes.location(value);
  return name === 'plan_id' ? scopes.plan(value) : value;
}
