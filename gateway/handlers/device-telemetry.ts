/** Telemetry over HTTP: the same journal as MQTT, answered when it is on disk. */
import type { DeviceData } from '#contract/device.ts';
import { isPlausible, isSignal } from '#contract/signals.ts';
import { MAX_REFUSED, MAX_UNKNOWN, POINT_REFUSALS, type PointRefusal, refusalOf } from '#contract/telemetry.ts';
import { requireRecord } from './documents.ts';
import type { Handlers } from './handler.ts';

const encoder = new TextEncoder();

export const telemetryHandlers = {
  async devices_telemetry({ id, points }, context) {
    const device = await requireRecord<DeviceData>(context.view, 'device', id);
    // All points go to the journal: the fold counts those that it cannot read, so that health and the device show them.
    await context.accept({
      device: id,
      project_id: device.project_id,
      device_id: device.data.device_id,
      topic: 'telemetry',
      payload: encoder.encode(JSON.stringify(points)),
      received_at_ms: Date.parse(context.now),
      via: 'http',
    });
    const refused: { index: number; code: PointRefusal; message: string }[] = [];
    const unknown_signals = new Set<string>();
    const refused_signals = new Set<string>();
    for (const [index, point] of points.entries()) {
      const code = refusalOf(point);
      if (code !== undefined) {
        refused.push({ index, code, message: POINT_REFUSALS[code] });
        continue;
      }
      for (const [name, value] of Object.entries(point.values))
        if (!isSignal(name)) unknown_signals.add(name);
        else if (value !== null && !isPlausible(name, value)) refused_signals.add(name);
    }
    return {
      object: 'telemetry_ack',
      accepted: points.length - refused.length,
      refused: refused.slice(0, MAX_REFUSED),
      refused_total: refused.length,
      refused_signals: [...refused_signals],
      unknown_signals: [...unknown_signals].slice(0, MAX_UNKNOWN),
      received_at: context.now,
    };
  },
} satisfies Handlers;
