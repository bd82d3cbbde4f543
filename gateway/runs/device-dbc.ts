/** The DBC files that are active for a device, as a thread needs them. */
import type { DbcFileData } from '#contract/dbc.ts';
import type { Stored, View } from '#contract/view.ts';
import type { DecodeJob } from './decode-job.ts';

const PAGE = 200;

/** Those of the device, the earliest first, as live decoding takes them. */
export async function dbcOf(view: View, device: string): Promise<DecodeJob['dbc']> {
  const found: DecodeJob['dbc'][number][] = [];
  for (let last: Stored<DbcFileData> | undefined; ; ) {
    const page: Stored<DbcFileData>[] = await view.find<DbcFileData>('records', {
      object: 'dbc_file',
      order: 'asc',
      limit: PAGE,
      ...(last === undefined ? {} : { after: { created_at: last.created_at, id: last.id } }),
    });
    for (const { id, data } of page) {
      const { active, device_ids, layout, mapping } = data;
      if (active && (device_ids === null || device_ids.includes(device))) found.push({ id, layout, mapping });
    }
    last = page.at(-1);
    if (page.length < PAGE) return found.sort((a, b) => (a.id < b.id ? -1 : 1));
  }
}
