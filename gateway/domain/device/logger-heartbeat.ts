/**
 * Reads the heartbeat of a logger (`device.json`). The fields are untrusted: only short texts, numbers and booleans are kept, for display.
 */
import { unsafeJson } from '#contract/base/json.ts';

/**
 * Largest size of all fields together in bytes. The gateway passes the fields on as a status message of the device. This limit is below the
 * limit of a status message, so the message is always accepted.
 */
const MOST_BYTES = 3_000;
const MOST_FIELDS = 60;
const MOST_TEXT = 256;

const text = new TextDecoder('utf-8', { fatal: true });
const encoder = new TextEncoder();

/**
 * Returns the fields of a heartbeat, with the versions also as `firmware` and `hardware`, the names that other devices use. Returns
 * undefined if the content is not a JSON object.
 */
export function readHeartbeat(content: Uint8Array): Record<string, string | number | boolean> | undefined {
  let said: unknown;
  try {
    said = JSON.parse(text.decode(content));
  } catch {
    return undefined;
  }
  if (typeof said !== 'object' || said === null || Array.isArray(said) || unsafeJson(said) !== undefined)
    return undefined;
  const found: Record<string, string | number | boolean> = {};
  let bytes = 0;
  const take = (name: string, value: unknown) => {
    const flat = typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
    if (!flat || !/^[\w.-]{1,64}$/.test(name) || Object.keys(found).length === MOST_FIELDS) return;
    const kept = typeof value === 'string' ? value.slice(0, MOST_TEXT).toWellFormed() : (value as number | boolean);
    bytes += encoder.encode(JSON.stringify({ [name]: kept })).length;
    if (bytes <= MOST_BYTES) found[name] = kept;
  };
  const { fw_ver, hw_ver, status: _, buffer_depth: __, rtt_ms: ___, ...rest } = said as Record<string, unknown>;
  take('firmware', fw_ver);
  take('hardware', hw_ver);
  take('fw_ver', fw_ver);
  take('hw_ver', hw_ver);
  for (const [name, value] of Object.entries(rest)) take(name, value);
  return found;
}
