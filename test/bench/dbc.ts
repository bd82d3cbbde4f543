/**
 * Candump text to every signal of a DBC, beside the built-in table that reads what the product needs: `node test/bench/dbc.ts [DBC]`
 *
 * One core, in turns, best of the rounds. The DBC is the one of the recordings (56 groups, 401 signals) unless another is named.
 */
import { readFileSync } from 'node:fs';
import { parseCandump } from '#codec/candump.ts';
import { FrameBatch } from '#contract/fleet/frame.ts';
import { compileDbc } from '#domain/dbc/compile.ts';
import type { DbcSink } from '#domain/dbc/message-reader.ts';
import { parseDbc } from '#domain/dbc/parse.ts';
import { readDbcBytes } from '#domain/dbc/tokens.ts';
import { createDecoder, type DecodeSink } from '#domain/j1939/decode.ts';
import { recording, withoutRecordings } from '#test/support/recordings.ts';

const ROUNDS = 24;

if (withoutRecordings) {
  console.log(`nothing measured: ${withoutRecordings}`);
  process.exit();
}
const [, , file] = process.argv;
const source = file === undefined ? recording('dbc/j1939-equipment-generated.dbc') : readFileSync(file);
const began = performance.now();
const plan = compileDbc(parseDbc(readDbcBytes(source)));
console.log(
  `${plan.messages.length} messages, ${plan.signals.length} signals read and compiled in ${(performance.now() - began).toFixed(0)} ms`,
);

for (const name of ['candump/11111111-dm1-4dtc.candump.log.gz', 'candump/eti-j1939_840-rp1210.candump.log']) {
  const text = recording(name);
  const batch = new FrameBatch();
  const { frames } = parseCandump(text, batch, 0);
  let [signals, valid, sum, own] = [0, 0, 0, 0];
  const sink: DbcSink = {
    value(_signal, state, { value }) {
      signals++;
      if (state !== 0) return;
      valid++;
      sum += value;
    },
  };
  const table: DecodeSink = { signal: () => own++, faults: () => undefined };
  const [decoder, builtIn] = [plan.decoder(), createDecoder()];
  const parse = () => {
    batch.clear();
    parseCandump(text, batch, 0);
  };
  const steps: readonly (readonly [what: string, run: () => void])[] = [
    ['text to frames', parse],
    ['frames to all signals of the DBC', () => decoder.decode(batch, sink)],
    ['frames to signals of the built-in table', () => builtIn.decode(batch, table)],
    [
      'text to all signals of the DBC',
      () => {
        parse();
        decoder.decode(batch, sink);
      },
    ],
    [
      'text to signals of the built-in table',
      () => {
        parse();
        builtIn.decode(batch, table);
      },
    ],
  ];
  const best = steps.map(() => 0);
  for (let round = 0; round < ROUNDS; round++)
    steps.forEach(([, run], i) => {
      const started = performance.now();
      run();
      if (round > 2) best[i] = Math.max(best[i] as number, frames / ((performance.now() - started) / 1_000));
    });
  console.log(
    `${name}: ${frames} frames, ${(signals / ROUNDS / 2 / frames).toFixed(2)} signals a frame, ${((100 * valid) / signals).toFixed(0)} % of them numbers${Number.isFinite(sum) ? '' : ' (some infinite)'}; the table ${(own / ROUNDS / 2 / frames).toFixed(2)}`,
  );
  steps.forEach(([what], i) => {
    console.log(`  ${what}: ${Math.round(best[i] as number).toLocaleString('en')} frames/s`);
  });
}
