/** Frames per second out of an MF4 on one core, beside candump text of the same frames: `node test/bench/mf4.ts`. */
import { formatCandump, parseCandump } from '#codec/candump.ts';
import { heatshrinkSource, packHeatshrink } from '#codec/heatshrink.ts';
import { openMdf4 } from '#codec/mdf4/reader.ts';
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';
import { append, inflate, readMdf4, START_US, sourceOf, writeMdf4 } from '#test/codec/mdf4-files.ts';
import { Random } from '#test/sim/random.ts';
import { recording, withoutRecordings } from '#test/support/recordings.ts';

const ROUNDS = 8;
const WARM = 2;
const REPEATS = 6;

/** The frames of a real log some times over, or made ones where there is none. */
function frames(): FrameBatch {
  const batch = new FrameBatch();
  if (withoutRecordings) {
    const random = new Random(1);
    const data = new Uint8Array(8);
    for (let i = 0; i < 300_000; i++) {
      for (let k = 0; k < 8; k++) data[k] = random.int(256);
      batch.push(START_US + i * 2_200, 1 + (i % 2), 0x18f00400 + (i % 60) * 256, FRAME.extended, data, 0, 8);
    }
    return batch;
  }
  const { batch: real } = readMdf4(recording('mf4/11111111_00000012_00000001.MF4'));
  for (let k = 0; k < REPEATS; k++) {
    append(batch, real);
    for (let i = k * real.count; i < batch.count; i++) batch.t[i] = (batch.t[i] as number) + k * 128_000_000;
  }
  return batch;
}

/** Best of some rounds, frames per second, the first rounds being warm-up. */
function measure(count: number, run: () => number): number {
  let best = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const started = performance.now();
    if (run() !== count) throw new Error('not all frames were read');
    if (round >= WARM) best = Math.max(best, count / ((performance.now() - started) / 1000));
  }
  return best;
}

const all = frames();
const started_us = all.t[0] as number;
const text = formatCandump(all).slice();
const into = new FrameBatch(all.count);
const baseline = measure(all.count, () => {
  into.clear();
  return parseCandump(text, into, 0).frames;
});
const show = (name: string, rate: number) =>
  console.log(`${name}: ${(rate / 1e6).toFixed(2)} million frames/s, ${(rate / baseline).toFixed(2)} of candump text`);
console.log(`${all.count.toLocaleString('en')} frames`);
show('candump text', baseline);

const read = (bytes: Uint8Array) => () => {
  let count = 0;
  const log = openMdf4(sourceOf(bytes), inflate, ({ message }) => {
    throw new Error(message);
  });
  for (const batch of log.batches()) count += batch.count;
  return count;
};
for (const layout of ['single', 'grouped', 'standard'] as const)
  for (const [name, form] of [
    ['as a logger writes it', { order: 'unsorted', unfinished: true }],
    ['sorted', {}],
    ['sorted and deflated', { zip: 'deflate' }],
    ['sorted and transposed', { zip: 'transposed' }],
  ] as const)
    show(`${layout}, ${name}`, measure(all.count, read(writeMdf4(all, { layout, started_us, ...form }))));
if (!withoutRecordings) {
  const real = recording('mf4/11111111_00000012_00000001.MF4');
  show('the real 11111111 as the logger wrote it', measure(all.count / REPEATS, read(real)));
}
const form = { windowBits: 10, lengthBits: 4 };
const packed = packHeatshrink(
  writeMdf4(all, { layout: 'grouped', started_us, order: 'unsorted', unfinished: true }),
  form,
);
show(
  'grouped, as a logger packs it (MFC)',
  measure(all.count, () => {
    let count = 0;
    for (const batch of openMdf4(heatshrinkSource(sourceOf(packed), 0, form), inflate, () => {}).batches())
      count += batch.count;
    return count;
  }),
);
const begun = performance.now();
writeMdf4(all, { started_us, zip: 'deflate' });
show('written: standard, deflated', all.count / ((performance.now() - begun) / 1000));
