/**
 * Nonsense as DBC: files of ours and, where they are there, of others, cut, spliced and doubled, their words exchanged, their numbers
 * blown up. Each is read or refused by name; what is read decodes random frames, fast and exactly, to the same. Slow texts and memory
 * that stays are told as faults.
 *
 *   node test/fuzz/dbc.ts [MINUTES] [SEED]
 */
import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';
import { compileDbc } from '#domain/dbc/compile.ts';
import { parseDbc } from '#domain/dbc/parse.ts';
import { DbcError, readDbcBytes } from '#domain/dbc/tokens.ts';
import { layouts, writeDbc } from '#test/domain/dbc/dbc-write.ts';
import { randomOf } from '#test/support/random-of.ts';
import { recording, recordingPath, withoutRecordings } from '#test/support/recordings.ts';

const minutes = Number(process.argv[2] ?? 1);
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000_007);
/** A text of 60 KB takes a few milliseconds; this is beyond any pause of the machine. */
const SLOW_MS = 3_000;
const LONGEST = 200_000;
const random = randomOf(seed);
const below = (n: number): number => Math.floor(random() * n);
const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;

const PIECES =
  'BO_ SG_ VAL_ VAL_TABLE_ CM_ BA_ BA_DEF_ BA_DEF_DEF_ SIG_VALTYPE_ SG_MUL_VAL_ NS_ BS_ BU_ EV_ VERSION M m0 m1M " \\" ; : | @1+ @0- (1,0) (0.1,-40) [0|0] [-1|1e308] 0 1 -1 2147483648 4294967295 4294967296 99999999999999999999 1e999 0|64@0- 7|64@0+ 14280|8@1+ "VFrameFormat" "SPN" "J1939PG" // /* \u0000 \ufeff é 漢 \r \n \t'.split(
    ' ',
  );

function seeds(): string[] {
  const own = fc
    .sample(layouts(8), { numRuns: 20, seed })
    .map((signals, i) => writeDbc(i % 2 ? 0x100 + i : 0x98f00000 + i, 8, signals));
  if (withoutRecordings) return own;
  const folders = ['dbc', 'dbc/cantools-edge'];
  const files = folders.flatMap((folder) =>
    readdirSync(recordingPath(folder)).flatMap((name) => (name.endsWith('.dbc') ? [`${folder}/${name}`] : [])),
  );
  return [...own, ...files.map((file) => readDbcBytes(recording(file)))];
}

function changed(text: string, all: readonly string[]): string {
  let out = text;
  for (let times = 1 + below(pick([1, 3, 12])); times > 0; times--) {
    const at = below(out.length + 1);
    const to = at + below(pick([2, 20, 400, 4_000]));
    out = pick([
      () => out.slice(0, at) + out.slice(to),
      () => out.slice(0, at) + pick(PIECES) + out.slice(at),
      () => `${out.slice(0, at)} ${pick(PIECES)} ${out.slice(to)}`,
      () => out.slice(0, to) + out.slice(at),
      () => out.slice(0, at) + String.fromCharCode(below(0x300)) + out.slice(at + 1),
      () => {
        const other = pick(all);
        const from = below(other.length);
        return out.slice(0, at) + other.slice(from, from + below(3_000)) + out.slice(at);
      },
      () => out.replace(/\d+/, () => pick(['0', '1', '63', '64', '65', '4294967295', '1e99', '-7'])),
      () => out.slice(at) + out.slice(0, at),
    ])();
  }
  return out.slice(0, LONGEST);
}

/** The faults of one text. */
function judge(text: string): string | undefined {
  const began = performance.now();
  let plan: ReturnType<typeof compileDbc>;
  try {
    plan = compileDbc(parseDbc(text));
  } catch (error) {
    if (!(error instanceof DbcError)) return `threw ${error instanceof Error ? error.stack : String(error)}`;
    return performance.now() - began > SLOW_MS ? 'was refused slowly' : undefined;
  }
  read++;
  const decoder = plan.decoder();
  for (let i = 0; i < Math.min(6, plan.messages.length); i++) {
    const m = below(plan.messages.length);
    const message = plan.messages[m];
    if (message === undefined) return 'has a message that is not there';
    const data = Uint8Array.from({ length: Math.min(64, below(message.length + 3)) }, () => below(256));
    const batch = new FrameBatch(1);
    batch.push(1, 0, message.id, message.extended ? FRAME.extended : 0, data, 0, data.length);
    const told = new Map<number, number>();
    let of = -1;
    decoder.decode(batch, {
      message: (found) => {
        of = found;
      },
      value: (signal, state, { raw, value }) => {
        told.set(signal, raw);
        if (state === 0 && Number.isNaN(value) && !Number.isNaN(raw)) of = -2;
      },
    });
    // Another message of the same group may stand before this one.
    if (of !== m) continue;
    const exact = plan.read(m, data);
    if (exact.length !== told.size) return `tells ${told.size} signals fast and ${exact.length} exactly`;
    for (const { signal, raw } of exact) {
      const fast = told.get(signal);
      const number = Number(raw);
      if (!Object.is(fast, number) && !(Number.isNaN(fast) && !Number.isFinite(number)) && fast !== number)
        return `reads ${fast} fast and ${raw} exactly`;
    }
  }
  return performance.now() - began > SLOW_MS ? 'took too long' : undefined;
}

let read = 0;
let texts = 0;
let faults = 0;
const all = seeds();
const until = performance.now() + minutes * 60_000;
let settled = 0;
console.log(`seed ${seed}, ${all.length} files to begin with, ${minutes} min`);
while (performance.now() < until) {
  const text = changed(pick(all), all);
  const fault = judge(text);
  texts++;
  if (fault !== undefined && faults++ < 5) console.log(`${fault}\n--- ${JSON.stringify(text.slice(0, 4_000))}`);
  if (texts === 2_000) settled = process.memoryUsage().heapUsed;
}
const grown = (process.memoryUsage().heapUsed - settled) / 1024 / 1024;
console.log(
  `${texts} texts, ${read} of them read, ${faults} faults; heap ${grown.toFixed(0)} MB more than after 2,000`,
);
process.exitCode = faults === 0 && grown < 200 ? 0 : 1;
