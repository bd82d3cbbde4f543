/** Operations on the meters of machines: all segments, and the reading of a person. */
import { OperationError } from '#contract/base/errors.ts';
import { isPlausible, signalRow } from '#contract/base/signals.ts';
import { part, say } from '#contract/base/told.ts';
import type { HandlerContext } from '#contract/context.ts';
import type { EquipmentData } from '#contract/fleet/equipment.ts';
import { METER_KINDS, type MeterSegments, meterSignal } from '#contract/fleet/meter.ts';
import { handlerGroup } from '#contract/handler.ts';
import { requireRecord } from '#handlers/base/documents.ts';
import { actorOf } from '#handlers/base/events.ts';

/** A reading may be this much older than the newest reading of the machine, because people type it later. */
const TOLERANCE_MS = 600_000;

/** Returns the time of a reading in milliseconds since 1970; throws if it is in the future or too old. */
function checkTime(context: HandlerContext, observed_at: string | undefined, known: MeterSegments | undefined): number {
  const now = Date.parse(context.now);
  if (observed_at === undefined) return now;
  const at = Date.parse(observed_at);
  if (at > now)
    throw new OperationError('parameter_invalid', 'The time of the reading is in the future.', {
      param: 'observed_at',
    });
  if (known !== undefined && at < Date.parse(known.observed_at) - TOLERANCE_MS)
    throw new OperationError(
      'parameter_invalid',
      say('The machine sent a newer reading at {observed_at}. Give a reading from that time or later.', {
        observed_at: known.observed_at,
      }),
      { param: 'observed_at', details: [{ newest: known.observed_at }] },
    );
  return at;
}

export const meterHandlers = handlerGroup(['meters'], {
  async equipment_meters({ id }, context) {
    await requireRecord<EquipmentData>(context.view, 'equipment', id);
    return { object: 'list', data: context.meters.of(id) };
  },

  async equipment_meters_reconcile({ id, kind, value, observed_at, reason }, context) {
    const { data, project_id } = await requireRecord<EquipmentData>(context.view, 'equipment', id);
    const signal = meterSignal(kind);
    if (signal === undefined)
      throw new OperationError('parameter_invalid', say('There is no meter of the kind {kind}.', { kind }), {
        param: 'kind',
        details: [{ allowed: METER_KINDS }],
      });
    if (!isPlausible(signal, value) || value > signalRow(signal).max)
      throw new OperationError(
        'parameter_invalid',
        say('{label}: a reading is between 0 and {max} {unit}.', {
          label: part(signalRow(signal).label),
          max: signalRow(signal).max,
          unit: signalRow(signal).unit,
        }),
        { param: 'value' },
      );
    const meterNow = () => context.meters.of(id).find((one) => one.kind === kind);
    const observed_ms = checkTime(context, observed_at, meterNow());
    const owner = {
      equipment_id: id,
      project_id,
      unit_number: data.unit_number,
      received_at_ms: Date.parse(context.now),
    };
    await context.meters.reconcile(owner, { signal, value, observed_ms, reason, by: actorOf(context) });
    const meter = meterNow();
    if (meter === undefined) throw new Error('the meter has no segment after the reading was applied');
    return meter;
  },
});
