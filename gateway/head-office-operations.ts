/**
 * The operations that head office does not serve. What reaches a machine or a device is decided at its site: bus requests, configuration,
 * firmware, keys, arming. So these operations are absent at head office, whoever calls them.
 */
import type { Operation } from '#contract/base/operation.ts';
import type { HandlerGroup } from '#contract/handler.ts';
import { type OperationName, operations } from '#contract/operations.ts';

/** Writes about devices that only change what people wrote about them. */
const OF_PEOPLE: ReadonlySet<string> = new Set<OperationName>(['devices_update', 'devices_append_event']);

/** Other writes of what the machinery of a site owns, or of files, which are not exchanged. */
const OF_SITES: ReadonlySet<string> = new Set<OperationName>([
  'alerts_acknowledge',
  'equipment_meters_reconcile',
  'equipment_upload_photo',
  'custom_actions_run',
  'tasks_cancel',
]);

const ROWS: ReadonlyMap<string, Operation> = new Map(Object.entries<Operation>(operations));

/** Returns true if only a site may carry out the operation. */
function isOfSites(name: string): boolean {
  const row = ROWS.get(name);
  if (row === undefined) return false;
  const isOfDevice = row.path.startsWith('/api/v1/devices/') || row.path === '/api/v1/devices';
  return OF_SITES.has(name) || (isOfDevice && !row.hints.readOnly && !OF_PEOPLE.has(name));
}

/** Returns the groups with the operations of sites in groups of their own, which need the service of a site. */
export function headOfficeGroups(groups: readonly HandlerGroup[]): HandlerGroup[] {
  return groups.flatMap(({ needs, handlers }): HandlerGroup[] => {
    const names = Object.entries(handlers);
    const here = Object.fromEntries(names.filter(([name]) => !isOfSites(name)));
    const ofSites = Object.fromEntries(names.filter(([name]) => isOfSites(name)));
    return [
      { needs, handlers: here },
      { needs: [...needs, 'siteSync'], handlers: ofSites },
    ];
  });
}
