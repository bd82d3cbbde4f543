/** Operations on the expected intervals that people set. There is one interval for each signal of a machine or of a kind of machines. */
import { OperationError } from '#contract/base/errors.ts';
import { hashId } from '#contract/base/ids.ts';
import { say } from '#contract/base/told.ts';
import type { Stored } from '#contract/base/view.ts';
import type { EquipmentData } from '#contract/fleet/equipment.ts';
import type { ExpectedIntervalData } from '#contract/fleet/expected-interval.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Output } from '#contract/operations.ts';
import { stageAudit } from '#handlers/base/audit.ts';
import { requireRecord, wireBase } from '#handlers/base/documents.ts';
import { listPage } from '#handlers/base/lists.ts';

type ExpectedInterval = Output<'expected_intervals_set'>;

/** Largest number of set intervals of a project. */
const MOST_INTERVALS = 1_000;

function toInterval(document: Stored<ExpectedIntervalData>): ExpectedInterval {
  return { object: 'expected_interval', ...wireBase(document), ...document.data };
}

export const expectedIntervalHandlers = handlerGroup([], {
  async expected_intervals_set({ equipment_id = null, kind = null, signal, interval_s }, context) {
    const { view } = context;
    if ((equipment_id === null) === (kind === null))
      throw new OperationError('parameter_invalid', 'Give either `equipment_id` or `kind`.', { param: 'equipment_id' });
    if (equipment_id !== null) await requireRecord<EquipmentData>(view, 'equipment', equipment_id, 'equipment_id');
    // The id follows from what the interval applies to, so two calls at the same time cannot set two intervals for it.
    const place = [view.project_id, equipment_id === null ? 'kind' : 'equipment', equipment_id ?? kind, signal];
    const id = hashId('expected_interval', context.sha256(place.join('\n')));
    const data: ExpectedIntervalData = { equipment_id, kind, signal, interval_s };
    const current = await view.get<ExpectedIntervalData>('records', id);
    if (current?.data.interval_s === interval_s) return toInterval(current);
    if (current === undefined) {
      const known = await view.find('records', { object: 'expected_interval', limit: MOST_INTERVALS });
      if (known.length >= MOST_INTERVALS)
        throw new OperationError(
          'limit_reached',
          say(
            'A project can have at most {most_intervals} set intervals. Set intervals for kinds instead of machines, or remove some.',
            { most_intervals: MOST_INTERVALS },
          ),
        );
    }
    const expected = current?.revision ?? 0;
    stageAudit(context, view, 'expected_interval', id, current === undefined ? 'created' : 'updated', { ...data });
    return toInterval(
      view.stage({
        collection: 'records',
        id,
        object: 'expected_interval',
        data,
        ...(current && { current }),
        expected,
      }),
    );
  },

  async expected_intervals_list({ equipment_id, kind, signal, ...input }, context) {
    const where = { 'data.equipment_id': equipment_id, 'data.kind': kind, 'data.signal': signal };
    return listPage<ExpectedIntervalData, ExpectedInterval>(
      context,
      context.view,
      'records',
      input,
      { object: 'expected_interval', where },
      (found) => found.map(toInterval),
    );
  },

  async expected_intervals_delete({ id }, context) {
    const { view } = context;
    const current = await requireRecord<ExpectedIntervalData>(view, 'expected_interval', id);
    const { data, revision: expected } = current;
    view.stage({ collection: 'records', id, object: 'expected_interval', data, current, expected, deleted: true });
    stageAudit(context, view, 'expected_interval', id, 'deleted', { ...data });
    return { object: 'expected_interval', id, deleted: true as const };
  },
});
