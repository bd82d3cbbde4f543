/** Which tools a run of the agent gets, which of them return text of others, and what a call wrote. */
import type { AgentTool } from './provider.ts';

/** Tools that start, approve or end work. A run that could use them could start itself again without end, or approve itself. */
const NEVER: ReadonlySet<string> = new Set([
  'custom_actions_run',
  'projects_create',
  'projects_setup',
  'projects_setup_apply',
  'tasks_cancel',
  'tasks_create',
  'tasks_run',
  'tasks_undo',
]);

/** Returns true if the agent may be given the tool at all. */
export const isForAgent = (name: string): boolean => !NEVER.has(name);

/**
 * Tools whose answers contain only numbers, words of the gateway, and text that a signed-in person or key of this site wrote. The answers
 * of all other tools may contain text that nobody has checked: what devices send and are called, what is in files, what anybody reports
 * behind a QR code, names of browsers, words of another gateway, and transcripts, which may repeat all of these.
 */
const OWN_TEXT: ReadonlySet<string> = new Set([
  'alert_rules_create',
  'alert_rules_delete',
  'alert_rules_get',
  'alert_rules_list',
  'alert_rules_update',
  'custom_actions_create',
  'custom_actions_delete',
  'custom_actions_get',
  'custom_actions_list',
  'custom_actions_update',
  'dashboards_append_event',
  'dashboards_create',
  'dashboards_delete',
  'dashboards_get',
  'dashboards_list',
  'dashboards_update',
  'equipment_append_event',
  'equipment_create',
  'equipment_get',
  'equipment_list',
  'equipment_meters',
  'equipment_update',
  'expected_intervals_delete',
  'expected_intervals_list',
  'expected_intervals_set',
  'inspection_checklists_add_defaults',
  'inspection_checklists_create',
  'inspection_checklists_delete',
  'inspection_checklists_get',
  'inspection_checklists_list',
  'inspection_checklists_update',
  'locations_create',
  'locations_get',
  'locations_list',
  'locations_update',
  'maintenance_list',
  'maintenance_plans_create',
  'maintenance_plans_delete',
  'maintenance_plans_get',
  'maintenance_plans_list',
  'maintenance_plans_record',
  'maintenance_plans_update',
  'mechanics_append_event',
  'mechanics_create',
  'mechanics_get',
  'mechanics_list',
  'mechanics_update',
  'operators_append_event',
  'operators_create',
  'operators_get',
  'operators_list',
  'operators_update',
  'personal_tokens_list',
  'personal_tokens_revoke',
  'playlists_append_event',
  'playlists_create',
  'playlists_delete',
  'playlists_get',
  'playlists_list',
  'playlists_update',
  'projects_get',
  'projects_list',
  'review_configuration_get',
  'session_get',
]);

/**
 * Returns true if an answer of the tool may contain text of devices, files or strangers. With `include`, a machine has the titles of its
 * fault reports or the sources of its values.
 */
export const isForeign = (name: string, input: unknown): boolean =>
  !OWN_TEXT.has(name) || (typeof input === 'object' && input !== null && 'include' in input);

/** The objects that a call made and changed, by kind. */
export interface Written {
  readonly created: Record<string, string[]>;
  readonly updated: Record<string, string[]>;
}

interface Named {
  readonly object: string;
  readonly id: string;
}

const isNamed = (value: unknown): value is Named =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as Partial<Named>).object === 'string' &&
  typeof (value as Partial<Named>).id === 'string';

/** Adds the objects in the answer of a write to `written`: the answer itself, its items, or its fields. */
export function addWritten(written: Written, tool: Pick<AgentTool, 'name' | 'readOnly'>, output: unknown): void {
  if (tool.readOnly || typeof output !== 'object' || output === null) return;
  const { data } = output as { data?: unknown };
  const found = isNamed(output)
    ? [output]
    : (Array.isArray(data) ? data : Object.values(output)).filter((one) => isNamed(one));
  const into = /^remember_fact$|_(create|new|append_event|import)$/.test(tool.name) ? written.created : written.updated;
  for (const { object, id } of found) {
    const ids = into[object] ?? [];
    if (!ids.includes(id)) into[object] = [...ids, id];
  }
}
