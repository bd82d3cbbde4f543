/** Reads the DBC files that are active for a device, in the form of a `DecodeJob`. */

import type { View } from '#contract/base/view.ts';
import type { DbcFileData } from '#contract/fleet/dbc.ts';
import { walk } from '#store/walk.ts';
import type { DecodeJob } from './decode-job.ts';

/** Number of DBC files that one read of the store returns. */
const CHUNK = 100;

/** Returns the active DBC files that apply to a device, the oldest file first. Live decoding uses the same order. */
export async function dbcOf(view: View, device: string): Promise<DecodeJob['dbc']> {
  const found: DecodeJob['dbc'][number][] = [];
  for await (const { id, data } of walk<DbcFileData>(view, 'records', { object: 'dbc_file' }, CHUNK)) {
    const { active, device_ids, layout, mapping } = data;
    if (active && (device_ids === null || device_ids.includes(device))) found.push({ id, layout, mapping });
  }
  return found.sort((a, b) => (a.id < b.id ? -1 : 1));
}
