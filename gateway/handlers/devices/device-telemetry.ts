/**
 * The telemetry operation over HTTP. It writes the points to the same journal (the files with all accepted messages) as MQTT messages, and
 * answers when the points are on disk.
 */

import { isPlausible, isSignal } from '#contract/base/signals.ts';
import type { DeviceData } from '#contract/fleet/device.ts';
import { MAX_REFUSED, MAX_UNKNOWN, POINT_REFUSALS, type PointRefusal, refusalOf } from '#contract/fleet/telemetry.ts';
import { handlerGroup } from '#contract/handler.ts';
import { requireRecord } from '#handlers/base/documents.ts';
import { nextTurn } from '#handlers/base/next-turn.ts';

const encoder = new TextEncoder();
/**
 * Largest number of characters of a message in the journal. The gateway later parses a message without a pause, so a long message would
 * block the event loop. A single point that is longer gets its own message.
 */
const MESSAGE_LENGTH = 32 * 1024;
/** Number of points that are checked before other work of the event loop can run. */
const AT_ONCE = 500;

/** Divides the points into payloads of the `telemetry` topic of at most MESSAGE_LENGTH. */
function* payloadsOf(points: readonly object[]): Generator<Uint8Array> {
  let text = '';
  for (const point of points) {
    text += `${text === '' ? '[' : ','}${JSON.stringify(point)}`;
    if (text.length < MESSAGE_LENGTH) continue;
    yield encoder.encode(`${text}]`);
    text = '';
  }
  if (text !== '') yield encoder.encode(`${text}]`);
}

export const telemetryHandlers = handlerGroup(['accept'], {
  async devices_telemetry({ id, points }, context) {
    const device = await requireRecord<DeviceData>(context.view, 'device', id);
    const { device_id } = device.data;
    const received_at_ms = Date.parse(context.now);
    // Write all points to the journal, also points with a fault. The code that reads the journal counts them for `GET /api/v1/health` and
    // for the device.
    const taken: Promise<void>[] = [];
    for (const payload of payloadsOf(points)) {
      const one = context.accept({
        device: id,
        project_id: device.project_id,
        device_id,
        topic: 'telemetry',
        payload,
        received_at_ms,
        via: 'http',
      });
      // Prevent an unhandled rejection while later messages are passed to the journal. The `await Promise.all` below throws the error.
      one.catch(() => {});
      taken.push(one);
      await nextTurn();
    }
    await Promise.all(taken);
    const refused: { index: number; code: PointRefusal; message: string }[] = [];
    const unknown_signals = new Set<string>();
    const refused_signals = new Set<string>();
    for (const [index, point] of points.entries()) {
      if (index % AT_ONCE === AT_ONCE - 1) await nextTurn();
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
});
