/** Operations for reading and acknowledging alerts. `gateway/watchers/alerts.ts` raises and clears them. */

import type { Stored, View } from '#contract/base/view.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Output } from '#contract/operations.ts';
import type { AlertData } from '#contract/work/alert.ts';
import { type RawFreezeData, type RawTraffic, rawFreezeId } from '#contract/work/raw-traffic.ts';
import { stageAcknowledgement } from '#handlers/base/acknowledge.ts';
import { requireRecord, wireBase } from '#handlers/base/documents.ts';
import { listPage } from '#handlers/base/lists.ts';

type Alert = Output<'alerts_get'>;

/** Returns alerts as the API shows them, with the raw traffic that the gateway keeps around critical alerts. */
async function toAlerts(view: Pick<View, 'getMany'>, documents: readonly Stored<AlertData>[]): Promise<Alert[]> {
  const critical = documents.filter(({ data }) => data.severity === 'critical');
  const found = await view.getMany<RawFreezeData>(
    'local',
    critical.map(({ id }) => rawFreezeId(id)),
  );
  const kept = new Map(found.map(({ data }) => [data.alert_id, toRawTraffic(data)]));
  return documents.map((one) => ({
    object: 'alert',
    ...wireBase(one),
    ...one.data,
    raw_traffic: kept.get(one.id) ?? null,
  }));
}

async function toAlert(view: Pick<View, 'getMany'>, document: Stored<AlertData>): Promise<Alert> {
  return (await toAlerts(view, [document]))[0] as Alert;
}

function toRawTraffic({ state, from, to, reason, files }: RawFreezeData): RawTraffic {
  const withUrls = files.map((one) => ({ ...one, download_url: `/api/v1/artifacts/${one.artifact_id}/content` }));
  return { state, from, to, reason, files: withUrls };
}

export const alertHandlers = handlerGroup([], {
  async alerts_list(input, context) {
    const { state, severity, machine_id, device_id, rule_id, acknowledged } = input;
    return listPage<AlertData, Alert>(
      context,
      context.view,
      'live',
      input,
      {
        object: 'alert',
        where: {
          'data.machine_id': machine_id,
          'data.device_id': device_id,
          'data.rule_id': rule_id,
          'data.state': state,
          'data.severity': severity,
          'data.acknowledged_at': acknowledged === undefined ? undefined : acknowledged ? { gt: '' } : null,
        },
      },
      (alerts) => toAlerts(context.view, alerts),
    );
  },

  async alerts_get({ id }, context) {
    return toAlert(context.view, await requireRecord<AlertData>(context.view, 'alert', id, 'id', 'live'));
  },

  async alerts_acknowledge({ id, note }, context) {
    const { view } = context;
    const current = await requireRecord<AlertData>(view, 'alert', id, 'id', 'live');
    if (current.data.acknowledged_at !== null) return toAlert(view, current);
    return toAlert(view, stageAcknowledgement(context, current, note));
  },
});
