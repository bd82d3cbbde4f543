/** Frames per second through candump text, decoding and machine facts: `node test/bench/decode.ts`. */
import { formatCandump, parseCandump } from '#codec/candump.ts';
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';
import { BusInventory } from '#domain/j1939/bus-inventory.ts';
import { createDecoder, type DecodeSink } from '#domain/j1939/decode.ts';
import { PARAMETERS } from '#domain/j1939/parameters.ts';
import { EVIDENCE, type Evidence } from '#domain/machine/evidence.ts';
import { createFacts } from '#domain/machine/facts.ts';
import { applyFaults, applyValue } from '#domain/machine/machine.ts';
import { fillSourceValue, pointValue } from '#domain/machine/source-value.ts';
import { recording, withoutRecordings } from '#test/support/recordings.ts';

const ROUNDS = 24;

/** A full 250 kbit/s bus for a minute: the groups of the table in turn, from three control units. */
function synthetic(): FrameBatch {
  const groups = [...new Set(PARAMETERS.map((row) => row.pgn))];
  const batch = new FrameBatch(131_072);
  const data = new Uint8Array(8);
  for (let i = 0; i < 105_000; i++) {
    for (let k = 0; k < 8; k++) data[k] = (i * 7 + k * 31) % 250;
    const id = 0x18000000 + (groups[i % groups.length] as number) * 256 + (i % 3);
    batch.push(1.7e15 + i * 570, 1, id, FRAME.extended, data, 0, 8);
  }
  return batch;
}

/**
 * Best of some rounds of each step, in frames per second, the first rounds being warm-up; steps take turns, as the machine is not always
 * the same.
 */
function measure(frames: number, steps: readonly (() => void)[]): number[] {
  const best = steps.map(() => 0);
  for (let round = 0; round < ROUNDS; round++) {
    steps.forEach((run, i) => {
      const started = performance.now();
      run();
      if (round > 2) best[i] = Math.max(best[i] as number, frames / ((performance.now() - started) / 1000));
    });
  }
  return best;
}

function bench(name: string, text: Uint8Array): void {
  const batch = new FrameBatch();
  const frames = parseCandump(text, batch, 0).frames;
  let signals = 0;
  const count: DecodeSink = { signal: () => signals++, faults: () => undefined };
  const facts = createFacts();
  const arrival = { device: 'dev', run_id: null, ref: null, received_us: 2e15, events: [] };
  const sent = pointValue(EVIDENCE.find((row) => row !== undefined) as Evidence, 0, 0);
  const apply: DecodeSink = {
    signal: (parameter, decoded) => {
      fillSourceValue(sent, EVIDENCE[parameter] as Evidence, decoded);
      applyValue(facts, arrival, sent);
    },
    faults: (message) => applyFaults(facts, arrival, message),
  };
  const decoder = createDecoder();
  const inventory = new BusInventory();
  const parse = () => {
    batch.clear();
    parseCandump(text, batch, 0);
  };
  const steps: [string, () => void][] = [
    ['parse', parse],
    ['decode', () => decoder.decode(batch, count)],
    ['decode with inventory', () => decoder.decode(batch, count, inventory, 2e15)],
    ['decode and apply', () => decoder.decode(batch, apply)],
    [
      'parse and decode',
      () => {
        parse();
        decoder.decode(batch, count);
      },
    ],
    [
      'parse and decode with inventory',
      () => {
        parse();
        decoder.decode(batch, count, inventory, 2e15);
      },
    ],
    [
      'parse, decode and apply',
      () => {
        parse();
        decoder.decode(batch, apply);
      },
    ],
  ];
  console.log(`${name}: ${frames} frames, ${(text.length / frames).toFixed(1)} bytes a line`);
  const best = measure(
    frames,
    steps.map(([, run]) => run),
  );
  steps.forEach(([step], i) => {
    console.log(`  ${step}: ${Math.round(best[i] as number).toLocaleString('en')} frames/s`);
  });
  console.log(`  ${(signals / ROUNDS / 4 / frames).toFixed(2)} signals a frame`);
}

if (withoutRecordings) console.log(`recording left out: ${withoutRecordings}`);
else bench('recording 11111111', recording('candump/11111111-dm1-4dtc.candump.log.gz'));
bench('synthetic', formatCandump(synthetic()));
