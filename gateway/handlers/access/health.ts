/**
 * The operation `GET /api/v1/health`. It returns the state of the gateway, its current problems, and which sources sent data that it could
 * not use.
 */
import type { DeviceData } from '#contract/fleet/device.ts';
import { handlerGroup } from '#contract/handler.ts';

/** Codes of problems with messages that may name devices or documents of any project. */
const NAMES_OBJECTS: ReadonlySet<string> = new Set([
  'most_stored_by',
  'over_budget',
  'documents_unreadable',
  'values_unknown',
]);

export const healthHandlers = handlerGroup(['health'], {
  async health_get(_input, context) {
    const health = await context.health();
    const reach = context.caller.project_ids;
    if (reach === null) return health;
    // A key that is restricted to some projects must not see devices of other projects or unknown senders.
    const own = new Set<string>();
    const names = health.sources.map(({ source }) => source);
    for (const project_id of names.length === 0 ? [] : reach) {
      const devices = await context
        .project(project_id)
        .find<DeviceData>('records', { object: 'device', where: { 'data.device_id': names }, limit: names.length });
      for (const { data } of devices) own.add(data.device_id);
    }
    const ids = health.writers.map(({ id }) => id);
    const records = await Promise.all(reach.map((project_id) => context.project(project_id).getMany('records', ids)));
    const writers = new Set(records.flat().map(({ id }) => id));
    return {
      ...health,
      history: {
        ...health.history,
        deleted: health.history.deleted.filter(({ project_id }) => reach.includes(project_id)),
      },
      problems: health.problems.filter(({ code }) => !NAMES_OBJECTS.has(code)),
      writers: health.writers.filter(({ id }) => writers.has(id)),
      sources: health.sources.filter(({ source }) => own.has(source)),
    };
  },
});
