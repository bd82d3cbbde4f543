/**
 * Profiles: the parts of the tool list that an agent can ask for, as in `/mcp?profile=repairs`. A short list leaves the context of a model to
 * its task. A profile is no permission: a caller may call each tool that its key allows, whether its list names the tool or not.
 */
import { OperationError } from '#contract/base/errors.ts';
import type { OperationName } from '#contract/operations.ts';
import { operationRow } from '#servers/invoke/json-schemas.ts';

/** For each profile, the tools in it: names, or beginnings of names that end with `_`. */
const PARTS = {
  fleet: `projects_list projects_get session_get equipment_ telemetry_read locations_ operators_list operators_get devices_list devices_get
    devices_diagnosis devices_events devices_offline_resolution expected_intervals_ lineage_ alerts_ maintenance_list health_get artifacts_list
    artifacts_get artifacts_content learnings_ preferences_`,
  repairs: `projects_list session_get equipment_list equipment_get equipment_update equipment_take equipment_release equipment_events
    equipment_append_event equipment_telemetry equipment_meters equipment_upload_photo repair_tickets_ mechanics_ maintenance_ inspection_checklists_
    inspections_ alerts_ locations_list operators_list artifacts_list artifacts_get artifacts_content devices_list devices_diagnosis
    devices_upload_media custom_actions_list custom_actions_run tasks_get tasks_messages`,
  shift: `projects_list projects_get session_get shift_reports_ equipment_list equipment_get equipment_events equipment_append_event
    equipment_telemetry telemetry_read operators_ mechanics_list locations_list locations_get alerts_ repair_tickets_list repair_tickets_get
    repair_tickets_create repair_tickets_append_event maintenance_list learnings_list custom_actions_list custom_actions_run tasks_get
    tasks_messages`,
  setup: `projects_ session_get equipment_create equipment_list equipment_get equipment_update locations_ operators_create operators_list
    operators_update mechanics_create mechanics_list mechanics_update dashboards_ playlists_ devices_new devices_create devices_list devices_get
    devices_update telemetry_devices_ alert_rules_ maintenance_plans_ inspection_checklists_ custom_actions_ skills_ tasks_ runs_get
    expected_intervals_`,
  devices: `projects_list session_get devices_ telemetry_devices_ equipment_list equipment_get equipment_telemetry dbc_ artifacts_ lineage_
    expected_intervals_ tasks_get tasks_messages tasks_status health_get`,
} as const;

/** The tools that the default list has besides those of the specification: what an agent needs to find its way and to see what is wrong. */
const DEFAULT_EXTRAS = `projects_list projects_get alerts_list alerts_acknowledge alert_rules_create equipment_telemetry telemetry_read devices_diagnosis shift_reports_draft
  maintenance_list artifacts_content`;

export const PROFILES = ['default', 'fleet', 'repairs', 'shift', 'setup', 'devices', 'all'] as const;
export type Profile = (typeof PROFILES)[number];

const listed = (text: string, name: string): boolean =>
  text.split(/\s+/).some((part) => (part.endsWith('_') ? name.startsWith(part) : name === part));

/** Returns true if the list of a profile has the tool. */
export function inProfile(profile: Profile, name: OperationName): boolean {
  if (profile === 'all') return true;
  if (profile === 'default') return operationRow(name).source === 'spec' || listed(DEFAULT_EXTRAS, name);
  return listed(PARTS[profile], name);
}

/** Reads the parameter `profile` of the address; throws `parameter_invalid` for an unknown name. */
export function profileOf(value: string | undefined): Profile {
  const found = PROFILES.find((one) => one === (value ?? 'default'));
  if (found !== undefined) return found;
  throw new OperationError('parameter_invalid', `\`profile\` must be one of: ${PROFILES.join(', ')}.`, {
    param: 'profile',
    details: [{ allowed: PROFILES }],
  });
}
