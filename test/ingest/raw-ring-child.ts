/**
 * Lets the raw ring remove segments of the journal, and kills itself with SIGKILL at a step: a commit of the store or the removal of a file.
 *
 *   node raw-ring-child.ts FOLDER '{"why":"age","start_ms":1,"step":3,"delay_ms":0}'
 *
 * If it removes everything before that step, it ends normally.
 */
import { randomBytes } from 'node:crypto';
import { startIngest } from '#ingest/ingest.ts';
import { nodeDisk } from '#ingest/journal/disk.ts';
import { openStore } from '#store/open-store.ts';

const DAY_MS = 86_400_000;
/** The raw ring looks at the journal once a minute. */
const PASS_MS = 61_000;

export interface RawRingOrder {
  /** Why segments are removed: their age, the share of the disk, or a disk that is short of space. */
  readonly why: 'age' | 'share' | 'disk';
  readonly start_ms: number;
  readonly bytes: number;
  /** The child kills itself this long after the step with this number has begun. */
  readonly step: number;
  readonly delay_ms: number;
}

const [folder = '', text = ''] = process.argv.slice(2);
const order = JSON.parse(text) as RawRingOrder;
let mono = 0;
let steps = 0;
function begin(): void {
  if (++steps !== order.step) return;
  if (order.delay_ms === 0) process.kill(process.pid, 'SIGKILL');
  else setTimeout(() => process.kill(process.pid, 'SIGKILL'), order.delay_ms);
}

const clock = () => order.start_ms + mono + (order.why === 'age' ? 31 * DAY_MS : 0);
const random = (n: number) => new Uint8Array(randomBytes(n));
await using store = await openStore({ folder, clock, random });
const { commit } = store;
Object.assign(store, {
  commit: (...of: Parameters<typeof commit>) => {
    begin();
    return commit(...of);
  },
});
const disk = nodeDisk();
await using ingest = await startIngest({
  folder,
  store,
  clock,
  monotonic: () => mono,
  random,
  log: () => {},
  tickMs: 5,
  disk: {
    ...disk,
    remove(...of) {
      begin();
      return disk.remove(...of);
    },
  },
  ...(order.why === 'share' ? { rawBytes: order.bytes } : {}),
});
if (order.why === 'disk') ingest.setHeadroom({ disk: 'scarce', spare_bytes: 0, memory: true });
// An earlier child may have removed everything before it was killed, so the loop also ends if nothing is removed at all.
for (let idle = 0; idle < 3; ) {
  const before = ingest.stats().journal.removed_segments;
  mono += PASS_MS;
  const { rounds } = ingest.stats();
  while (ingest.stats().rounds < rounds + 2) await new Promise((done) => setTimeout(done, 5));
  idle = ingest.stats().journal.removed_segments === before ? idle + 1 : 0;
}
