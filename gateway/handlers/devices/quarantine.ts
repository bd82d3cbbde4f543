/**
 * Operations to put a device into quarantine (the gateway then accepts nothing from it), and to purge it (delete all its data). Both write
 * the caller to the audit log.
 */
import type { DeviceData } from '#contract/fleet/device.ts';
import { handlerGroup } from '#contract/handler.ts';
import { stageAudit } from '#handlers/base/audit.ts';
import { checkRevision, requireRecord, type WithMedia } from '#handlers/base/documents.ts';
import { stageEvent } from '#handlers/base/events.ts';
import { oneDevice } from './devices.ts';

type Data = DeviceData & WithMedia;

export const quarantineHandlers = handlerGroup([], {
  async devices_quarantine({ id, quarantined, reason }, context) {
    const { view, now, caller } = context;
    const current = await requireRecord<Data>(view, 'device', id);
    checkRevision(context, current);
    if ((current.data.quarantine != null) === quarantined) return oneDevice(context, current);
    const quarantine = quarantined
      ? { since: new Date(now).toISOString(), reason: reason ?? null, by: caller.name }
      : null;
    const data = { ...current.data, quarantine };
    const expected = current.revision;
    const document = view.stage<Data>({ collection: 'records', id, object: 'device', data, current, expected });
    const eventData = { device_id: data.device_id, ...(reason === undefined ? {} : { reason }) };
    stageEvent(context, view, 'device', id, quarantined ? 'quarantined' : 'released', eventData, id);
    stageAudit(context, view, 'device', id, quarantined ? 'quarantined' : 'released', eventData);
    return oneDevice(context, document);
  },
});

export const purgeHandlers = handlerGroup(['purge'], {
  async devices_purge({ id, what }, context) {
    const { view } = context;
    const device = await requireRecord<Data>(view, 'device', id);
    const counts = await context.purge(device, what);
    const { done, ...removed } = counts;
    if (Object.values(removed).some((count) => count > 0)) {
      const eventData = { device_id: device.data.device_id, what, ...counts };
      stageEvent(context, view, 'device', id, 'purged', eventData, id);
      stageAudit(context, view, 'device', id, 'purged', eventData);
    }
    return { object: 'device_purge', device_id: id, ...counts };
  },
});
