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
 * Tools whose answers contain text that nobody at this site has checked: what devices send and are called, what is in files, what anybody
 * reports behind a QR code, and transcripts, which may repeat all of these.
 */
const FOREIGN =
  /^(artifacts_|dbc_|devices_|telemetry_devices_|lineage_|alerts_|tasks_|runs_|repair_tickets_|shift_reports_|learnings_|equipment_(events|diagnosis|story|fault)|projects_setup_status$|[a-z_]+_events$)/;

/** Returns true if an answer of the tool contains text of devices, files or strangers. */
export const isForeign = (name: string): boolean => FOREIGN.test(name);

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
  const into = /_(create|new|append_event|import)$/.test(tool.name) ? written.created : written.updated;
  for (const { object, id } of found) {
    const ids = into[object] ?? [];
    if (!ids.includes(id)) into[object] = [...ids, id];
  }
}
