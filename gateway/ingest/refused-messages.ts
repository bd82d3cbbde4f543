/** Keeps in memory which messages and requests of each device the listeners refused; `refused-logins.ts` keeps the MQTT logins. */
import type { DeviceTrail, Refusal } from '#contract/fleet/ingest.ts';

/** The limit of devices in memory. At the limit, the device that has had no refusal for the longest time is removed. */
const MAX_DEVICES = 1_000;
/** A topic or path is cut to this number of characters. */
const MAX_PLACE = 120;

type Refused = Pick<DeviceTrail, 'refused_signature' | 'refused_request' | 'refused_place' | 'refused_size'>;
const NOTHING: Refused = { refused_signature: null, refused_request: null, refused_place: null, refused_size: null };

/** Refused messages by the record id of the device. */
export interface RefusedMessages {
  note(refusal: Refusal, at_ms: number): void;
  of(device: string): Refused;
}

function added(known: Refused, refusal: Refusal, at_ms: number): Partial<Refused> {
  const count = (known[`refused_${refusal.what}`]?.count ?? 0) + 1;
  if (refusal.what === 'size') return { refused_size: { at_ms, count } };
  if (refusal.what === 'signature') return { refused_signature: { at_ms, address: refusal.address, count } };
  if (refusal.what === 'request')
    return { refused_request: { at_ms, address: refusal.address, count, reason: refusal.reason } };
  return { refused_place: { at_ms, place: refusal.place.slice(0, MAX_PLACE), count } };
}

export function createRefusedMessages(): RefusedMessages {
  /** The refusals by device. The first entry is the device that has had no refusal for the longest time. */
  const devices = new Map<string, Refused>();
  return {
    note(refusal, at_ms) {
      const { device } = refusal;
      const known = devices.get(device) ?? NOTHING;
      devices.delete(device);
      if (devices.size >= MAX_DEVICES) devices.delete(devices.keys().next().value as string);
      devices.set(device, { ...known, ...added(known, refusal, at_ms) });
    },
    of: (device) => devices.get(device) ?? NOTHING,
  };
}
