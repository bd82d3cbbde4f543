/** Documents of history for tests of backups: sealed segments and rollups with bodies that do not compress, as real ones. */

import type { ProjectWrite } from '#contract/base/view.ts';
import type { Store } from '#store/open-store.ts';

const HOURS = 24;

/** Returns this many bytes, the same for the same seed. */
export function bodyOf(seed: number, bytes: number): Uint8Array {
  let state = (seed + 1) * 2654435761;
  const buffer = new Uint8Array(bytes);
  for (let i = 0; i < bytes; i++) {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    buffer[i] = state >>> 24;
  }
  return buffer;
}

/** The write of a sealed segment with a number; every 24th is a rollup instead. */
export function sealed(n: number, bytes = 3000): ProjectWrite {
  const slot = `eq_1/${Math.floor(n / HOURS)}`;
  const common = { equipment_id: 'eq_1', device_id: null, from_ms: n * 3_600_000, to_ms: n * 3_600_000 + 5, slot };
  const seal = { generation: 1, supersedes: null, sha256: 'x' };
  const data = {
    ...common,
    body: bodyOf(n, bytes),
    seal,
    ...(n % HOURS === 0 ? { rows: 1 } : { sealed_hour: n, samples: 1 }),
  };
  const object = n % HOURS === 0 ? 'rollup' : 'segment';
  return { collection: 'telemetry', id: `${object}_${n}`, object, project_id: 'prj_a', data };
}

/** The write of an open segment. */
export function open(n: number): ProjectWrite {
  const data = {
    equipment_id: 'eq_1',
    device_id: null,
    from_ms: n,
    to_ms: n,
    samples: 1,
    body: bodyOf(n, 300),
    slot: 'eq_1/0',
    open_slot: 'eq_1/0',
  };
  return { collection: 'telemetry', id: `open_${n}`, object: 'segment', project_id: 'prj_a', data };
}

/** Returns the numbers of the sealed documents of a store. */
export async function numbersOf(store: Store): Promise<number[]> {
  const all = await Promise.all(
    (['segment', 'rollup'] as const).map((object) =>
      store.view('prj_a').find('telemetry', { object, order: 'asc', limit: 1000 }),
    ),
  );
  return all
    .flat()
    .filter(({ id }) => !id.startsWith('open_'))
    .map(({ id }) => Number(id.split('_')[1]))
    .sort((a, b) => a - b);
}
