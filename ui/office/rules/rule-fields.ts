/** The fields of an alert rule in words, for the list of what another person changed. */
import { t, translated, type Word } from '#ui/languages/texts.ts';
import type { Value } from '#ui/office/base/draft.ts';
import { kindText } from '#ui/office/base/machine-kinds.ts';
import { signalLabel } from '#ui/office/work/alert-text.ts';
import type { RuleFields } from './rule-draft.ts';
import type { RuleText, ScopeNames } from './rule-text.ts';

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

/** Returns the label of a field. */
export const fieldLabel = (name: string): string => translated(FIELD_WORDS[name as keyof RuleFields]);

/** Returns the value of a field as text. */
export function fieldText(name: string, value: Value, scopes: ScopeNames): string {
  if (typeof value === 'boolean') return t(value ? 'yes' : 'no');
  if (typeof value !== 'string')
    return value
      .map(name === 'location_ids' ? scopes.location : name === 'kinds' ? kindText : scopes.machine)
      .join(', ');
  if (value === '') return value;
  if (name === 'signal') return signalLabel(value as RuleText['signal']);
  if (name === 'fence_id') return scopes.location(value);
  return name === 'plan_id' ? scopes.plan(value) : value;
}
