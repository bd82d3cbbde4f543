/** Health: what works, what does not, and what each source sent that could not be used. */
import type { DeviceData } from '#contract/device.ts';
import type { Handlers } from './handler.ts';

export const healthHandlers = {
  async health_get(_input, context) {
    const health = await context.health();
    const reach = context.caller.project_ids;
    if (reach === null) return health;
    // A key of some projects learns nothing of other projects' devices, nor of strangers.
    const own = new Set<string>();
    const names = health.sources.map(({ source }) => source);
    for (const project_id of names.length === 0 ? [] : reach) {
      const devices = await context
        .project(project_id)
        .find<DeviceData>('records', { object: 'device', where: { 'data.device_id': names }, limit: names.length });
      for (const { data } of devices) own.add(data.device_id);
    }
    return { ...health, sources: health.sources.filter(({ source }) => own.has(source)) };
  },
} satisfies Handlers;
