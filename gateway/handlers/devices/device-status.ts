/** Sets the status of a device that has a credential and has not sent yet. */
import type { HandlerContext } from '#contract/context.ts';
import type { DeviceLive } from '#contract/fleet/device.ts';

/** Stages (adds to the commit of this call) the status `provisioned` for an unassigned device, and returns its new live state. */
export async function stageProvisioned(context: HandlerContext, id: string): Promise<DeviceLive | undefined> {
  const current = await context.view.get<DeviceLive>('live', id);
  const known = context.live.device(id) ?? current?.data;
  if (current === undefined || known?.status !== 'unassigned') return known;
  const data: DeviceLive = { ...known, status: 'provisioned', status_reported_at: context.now };
  context.view.stage({ collection: 'live', id, object: 'device', data, current, expected: current.revision });
  return data;
}
