/** Rules of the SPEC.md files: each has one id and a test, and states the numbers that the code uses. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { LIMITS } from '#contract/base/limits.ts';
import { DBC_LIMITS } from '#domain/dbc/tokens.ts';
import { SESSION_LIMITS } from '#servers/mqtt/sessions/session-limits.ts';
import { constantsOf, filesOf, rulesOf, testedRules } from './rules.ts';
import { readHouse } from './source.ts';

const root = join(import.meta.dirname, '..', '..');
const RULES = filesOf(root, 'SPEC.md').flatMap(rulesOf);
const byId = new Map(RULES.map((rule) => [rule.id, rule]));

const KIB = 1024;
const MIB = 2 ** 20;
const GIB = 2 ** 30;
const MINUTE = 60_000;
const DAY = 86_400_000;

/** A number as a rule writes it, and its value in the unit of the code. */
type Row = readonly [rule: string, written: string, value: number, below: string, constant: string];

/** Limits that are a constant of some file below a folder. */
const NAMED: readonly Row[] = [
  ['I4', '64', 64 * MIB, 'gateway/ingest', 'SEGMENT_BYTES'],
  ['I4', '65,535', 65_535, 'gateway/ingest', 'MAX_DEVICES'],
  ['I6', '4', 4 * GIB, 'gateway/ingest', 'RAW_BYTES'],
  ['I6', '30', 30 * DAY, 'gateway/ingest', 'RAW_MS'],
  ['I7', '32', 32 * MIB, 'gateway/ingest', 'WAITING_BYTES'],
  ['I10', '80', 80, 'gateway/ingest', 'GROUP_MS'],
  ['I10', '10', 10, 'gateway/ingest', 'ANSWER_MS'],
  ['I10', '8', 8, 'gateway/ingest', 'SENDER_WINDOW'],
  ['I21', '1,024', 1_024, 'gateway/ingest', 'MAX_PER_MESSAGE'],
  ['I22', '4,096', 4_096, 'gateway/ingest', 'NUMBERED'],
  ['I22', '16,384', 16_384, 'gateway/ingest', 'GENERATION'],
  ['I22', '256', 256, 'gateway/ingest', 'PACKETS'],
  ['I25', 'three', 3, 'gateway/ingest', 'RECOVERED'],
  ['I26', '100', 100, 'gateway/ingest', 'MAX_SET_ASIDE'],
  ['I28', '4,096', 4_096, 'gateway/ingest', 'SEGMENT_SAMPLES'],
  ['I30', '200', 200, 'gateway/ingest', 'MAX_SOURCES'],
  ['I30', '50', 50, 'gateway/ingest', 'MAX_STRANGERS'],
  ['I31', '400', 400, 'gateway/ingest', 'MAX_WAITING'],
  ['I34', '128', 128 * MIB, 'gateway/ingest', 'SMALL_RAW_BYTES'],
  ['I34', '8', 8 * MIB, 'gateway/ingest', 'SMALL_SEGMENT'],
  ['I46', '1,000', 1_000, 'gateway/ingest', 'MAX_DEVICES'],
  ['I54', '1', 1, 'gateway/ingest', 'SLICE_MS'],
  ['I54', '20', 20, 'gateway/ingest', 'PUBLISH_MS'],
  ['I54', '4', 4 * KIB, 'gateway/ingest', 'PIECE'],
  ['D4', '512', 512, 'gateway/domain', 'MAX_SESSIONS'],
  ['D4', '750', 750_000, 'gateway/domain', 'T1'],
  ['D4', '1050', 1_050_000, 'gateway/domain', 'T4'],
  ['D12', '16', 16, 'gateway/domain', 'MAX_SOURCES'],
  ['D32', '32', 32, 'gateway/domain', 'MAX_FAULT_SOURCES'],
  ['D32', '64', 64, 'gateway/domain', 'MAX_CODES'],
  ['D101', '256', 256, 'gateway/domain', 'MAX_NAMES'],
  ['D108', '1,024', 1_024, 'gateway/domain', 'MAX_ROWS'],
  ['D108', '16', 16, 'gateway/domain', 'MAX_BUSES'],
  ['D108', '128', 128, 'gateway/domain', 'MAX_UNITS'],
  ['D98', '1,000', 1_000, 'gateway/domain', 'MAX_COLUMNS'],
  ['D98', '64', 64, 'gateway/domain', 'MAX_OPEN'],
  ['D135', '16', 16, 'gateway/domain', 'DEEPEST'],
  ['D161', '512', 512, 'gateway/domain', 'MAX_BINS'],
  ['D164', '500', 500, 'gateway/domain', 'MAX_CODES'],
  ['S12', '1,000', 1_000, 'gateway/store', 'MAX_WRITES'],
  ['S12', '250', 250, 'gateway/store', 'MAX_ROWS_PER_TRANSACTION'],
  ['S12', '20,000', 20_000, 'gateway/store', 'MAX_QUEUED_ROWS'],
  ['S2', '2,000', 2_000, 'gateway/store', 'MAX_UNSYNCED_ROWS'],
  ['S6', '64', 64 * MIB, 'gateway/store', 'CHECKED_AT_OPEN'],
  ['S25', '1,000', 1_000, 'gateway/store', 'MAX_PURGED_PER_CALL'],
  ['S30', '1,000', 1_000, 'gateway/store', 'MAX_LIMIT'],
  ['S34', '500', 500, 'gateway/store', 'CHUNK'],
  ['S42', '4,000', 4_000, 'gateway/store', 'CHECKPOINT_PAGES'],
  ['S57', '1,000', 1_000, 'gateway/store', 'MOST_ROWS'],
  ['S61', '2', 2 * GIB, 'gateway/store', 'MAX_BYTES'],
  ['H6', '16', 16, 'gateway/servers/invoke', 'TRIES'],
  ['H31', '200', 200, 'gateway/servers', 'LONGEST_NAME'],
  ['H31', '64', 64 * KIB, 'gateway/servers', 'LONGEST_TEXT'],
  ['K6', '1,000', 1_000, 'gateway/servers', 'CACHED'],
  ['K11', 'ten', 10 * MINUTE, 'gateway/servers', 'USE_NOTED_MS'],
  ['W15', '10,000', 10_000, 'gateway/servers', 'MAX_MACHINES'],
  ['W232', '16,384', 16_384, 'gateway/servers', 'MOST_TEXT'],
  ['W232', '100,000', 100_000, 'gateway/servers', 'MOST_ELEMENTS'],
  ['M7', '50', 50_000, 'gateway/servers', 'LONGEST_MS'],
  ['B7', 'ten', 10, 'gateway/servers/mqtt', 'MAX_PER_DEVICE'],
  ['B9', '256', 256 * KIB, 'gateway/servers/mqtt', 'PACKET_LIMIT'],
  ['B10', '16', 16 * KIB, 'gateway/servers/mqtt', 'CONNECT_LIMIT'],
  ['B18', '512', 512 * KIB, 'gateway/servers/mqtt', 'UNACKNOWLEDGED_BYTES'],
  ['B18', '4,000', 4_000, 'gateway/servers/mqtt', 'UNACKNOWLEDGED_MESSAGES'],
  ['B19', '1', MIB, 'gateway/servers/mqtt', 'UNSENT_BYTES'],
  ['B22', '32', 32 * MIB, 'gateway/servers/mqtt', 'PENDING_BYTES'],
  ['A22', '15', 15 * MINUTE, 'gateway/handlers', 'LIFETIME_MS'],
  ['A30', '256', 256, 'gateway/handlers', 'MOST'],
  ['A103', '8', 8, 'gateway/handlers', 'MOST_LEVELS'],
  ['A181', '200', 200, 'gateway/handlers', 'MOST_RULES'],
  ['F4', '64', 64 * KIB, 'firmware-bridge', 'LONGEST_LINE'],
  ['F7', '16,384', 16_384, 'firmware-bridge', 'WINDOW'],
  ['F10', '100,000', 100_000, 'firmware-bridge', 'MOST_LISTS'],
  ['F71', '256', 256 * MIB, 'firmware-bridge', 'MAX_BYTES'],
  ['F90', '1,000', 1_000, 'firmware-bridge', 'FLUSH_FRAMES'],
  ['F90', '16', 16, 'firmware-bridge', 'IN_FLIGHT'],
  ['F97', '30', 30, 'firmware-bridge', 'MOST_IN_A_MINUTE'],
  ['Z2', '128', 128 * MIB, 'gateway/host', 'MOST_BYTES'],
  ['Z7', '160', 160, 'gateway/host', 'LEAST_MIB'],
  ['Z8', '64', 64, 'gateway/domain/health', 'FILE_HANDLES'],
];

/** Limits that are a property of an exported table. */
const TABLED: readonly (readonly [rule: string, written: string, value: number, actual: number])[] = [
  ['H9', '72', 72, LIMITS.receipt.value],
  ['H9', '20,000', 20_000, LIMITS.receipts.value],
  ['W3', '1', MIB, LIMITS.body.value],
  ['W3', '32', 32, LIMITS.depth.value],
  ['W7', '6,000', 6_000, LIMITS.requests.value],
  ['W8', '64', 64, LIMITS.sockets_per_address.value],
  ['W8', '1,000', 1_000, LIMITS.sockets.value],
  ['W19', '20,000', 20_000, LIMITS.json_values.value],
  ['W19', '5,000', 5_000, LIMITS.json_names.value],
  ['W218', '256', 256, LIMITS.bucket_sockets.value],
  ['W245', '16', 16, LIMITS.uploads.value],
  ['P1', '24', 24, LIMITS.cursor.value],
  ['B6', '100', 100, SESSION_LIMITS.messages],
  ['B6', '4', 4 * MIB, SESSION_LIMITS.bytes],
  ['B6', '10,000', 10_000, SESSION_LIMITS.sessions],
  ['D135', '5,000', 5_000, DBC_LIMITS.messages],
  ['D135', '60,000', 60_000, DBC_LIMITS.signals],
];

/** True when a rule writes this number as a number of its own. */
const writes = (text: string, written: string): boolean =>
  new RegExp(`(?<![\\d.,\\w])${written.replace('.', '\\.')}(?![\\d\\w]|[.,]\\d)`).test(text);

test('each rule has an id of its own over all SPEC.md files', () => {
  assert.ok(RULES.length > 600);
  const seen = new Map<string, string>();
  const twice: string[] = [];
  for (const { id, path, line } of RULES) {
    const before = seen.get(id);
    if (before !== undefined) twice.push(`[${id}] stands in ${before} and in ${path}:${line}`);
    seen.set(id, `${path}:${line}`);
  }
  assert.deepEqual(twice, []);
});

test('each rule has a test whose title begins with its id, names the command that checks it, or is marked as prose', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object };
  const tested = testedRules(filesOf(root, '.test.ts'));
  const untested = RULES.filter(({ id, text }) => {
    const command = /`npm run ([a-z0-9:]+)`/.exec(text)?.[1];
    return !tested.has(id) && !(command !== undefined && command in scripts) && !text.includes('(prose)');
  });
  assert.deepEqual(
    untested.map(({ id, path, line }) => `[${id}] ${path}:${line}`),
    [],
  );
  const unknown = [...tested].filter((id) => !byId.has(id));
  assert.deepEqual(unknown, [], 'titles of tests name rules that no SPEC.md has');
});

test('a rule states the limits that the code has', () => {
  const sources = readHouse(root);
  const wrong: string[] = [];
  for (const [id, written, value, below, name] of NAMED) {
    const found = constantsOf(sources, below, name);
    if (!found.includes(value))
      wrong.push(`[${id}] ${written}: ${below} has ${name} = ${found.join(', ') || 'nothing'}`);
    if (!writes(byId.get(id)?.text ?? '', written)) wrong.push(`[${id}] does not write ${written} (${name})`);
  }
  for (const [id, written, value, actual] of TABLED) {
    if (actual !== value) wrong.push(`[${id}] ${written}: the code has ${actual}`);
    if (!writes(byId.get(id)?.text ?? '', written)) wrong.push(`[${id}] does not write ${written}`);
  }
  assert.deepEqual(wrong, []);
});
