/** Acknowledges alerts: the person who calls has seen them. */
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import type { AlertData } from '#contract/work/alert.ts';
import { applyAlertFact, repeatedFields } from '#domain/work/alert-facts.ts';
import { stageEvent } from './events.ts';

/** Stages (adds to the commit of this call) the acknowledgement of an alert and its event, and returns the alert as it will be stored. */
export function stageAcknowledgement(
  context: HandlerContext,
  current: Stored<AlertData>,
  note: string | undefined,
): Stored<AlertData> {
  const { view, caller, happened_at } = context;
  const { id } = current;
  const by = caller.name;
  const data = applyAlertFact(current.data, { type: 'alert.acknowledged', at: happened_at, data: { by } }) as AlertData;
  const { machine_id, device_id } = data;
  const document = view.stage<AlertData>({
    collection: 'live',
    id,
    object: 'alert',
    data,
    current,
    expected: current.revision,
  });
  stageEvent(
    context,
    view,
    machine_id === null ? 'device' : 'equipment',
    machine_id ?? device_id ?? '',
    'alert.acknowledged',
    {
      alert_id: id,
      ...repeatedFields(data),
      by,
      ...(note === undefined ? {} : { note }),
    },
    device_id,
  );
  return document;
}
