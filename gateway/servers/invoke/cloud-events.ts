/** Converts events to CloudEvents 1.0 (JSON event format), a standard that other software can already read. */
import type { Event } from '#contract/base/event.ts';

/** Converts one event. Names of extension attributes consist of lower-case letters and digits (CloudEvents 3.1). */
export function toCloudEvent(event: Event): Record<string, unknown> {
  const { data, context, actor } = event;
  const extensions = {
    projectid: event.project_id,
    recordedat: event.recorded_at,
    sequence: event.sequence === null ? null : String(event.sequence),
    actortype: actor.type,
    actorid: actor.id,
    runid: context.run_id,
    deviceid: context.device_id,
  };
  return {
    specversion: '1.0',
    id: event.id,
    // `source` contains the gateway id and the source of the event. CloudEvents requires that `source` and `id` together are unique
    // (CloudEvents 3.1.1).
    source: `/gateways/${event.gateway_id}/sources/${encodeURIComponent(event.source.toWellFormed())}`,
    type: `io.headframe.${event.type}`,
    subject: `${event.subject.object}/${event.subject.id}`,
    time: event.occurred_at,
    datacontenttype: 'application/json',
    ...Object.fromEntries(Object.entries(extensions).filter(([, value]) => value !== null)),
    data,
  };
}
