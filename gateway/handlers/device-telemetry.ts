/** Telemetry over HTTP: the same journal as MQTT, answered when it is on disk. */
import type { DeviceData } from '#contract/device.ts';
import { isPlausible, isSignal } from '#contract/signals.ts';
import { requireRecord } from './documents.ts';
import type { Handlers } from './handler.ts';

const encoder = new TextEncoder();

export const telemetryHandlers = {
  async devices_telemetry({ id, points }, context) {
    const device = await requireRecord<DeviceData>(context.view, 'device', id);
    await context.accept({
      device: id,
      project_id: device.project_id,
      device_id: device.data.device_id,
      topic: 'telemetry',
      payload: encoder.encode(JSON.stringify(points)),
      received_at_ms: Date.parse(context.now),
    });
    const unknown = new Set(points.flatMap(({ values }) => Object.keys(values)).filter((name) => !isSignal(name)));
    const refused = new Set(
      points.flatMap(({ values }) =>
        Object.entries(values).flatMap(([name, value]) =>
          isSignal(name) && value !== null && !isPlausible(name, value) ? [name] : [],
        ),
      ),
    );
    return {
      object: 'telemetry_ack',
      accepted: points.length,
      refused_signals: [...refused],
      unknown_signals: [...unknown].slice(0, 200),
      received_at: context.now,
    };
  },
} satisfies Handlers;
