/** A log as a table: which columns it has, and at its bounds. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';
import { LogTable, MAX_COLUMNS, parameterNamed, type TableRow } from '#domain/logs/log-table.ts';

const START_US = Date.UTC(2026, 5, 1) * 1000;
/** Engine speed (EEC1) and nothing else in the frame. */
const speed = (rpm: number) => Uint8Array.of(255, 255, 255, (rpm * 8) & 255, (rpm * 8) >> 8, 255, 255, 255);

function batchOf(frames: readonly (readonly [second: number, id: number, data: Uint8Array, flags?: number])[]) {
  const batch = new FrameBatch();
  for (const [second, id, data, flags = FRAME.extended] of frames)
    batch.push(START_US + second * 1e6, 0, id, flags, data, 0, data.length);
  return batch;
}

function tableOf(batch: FrameBatch, step_us = 1e6) {
  const table = new LogTable({ step_us });
  table.survey(batch);
  const columns = table.columns();
  const rows: number[][] = [];
  const give = ({ t_us, values }: TableRow) => void rows.push([(t_us - START_US) / 1e6, ...values]);
  table.take(batch, give);
  table.end(give);
  return { table, columns, rows };
}

test('[D98] 1,000 columns are told apart; what finds none is counted', () => {
  const all = Uint8Array.of(0, 125, 125, 0, 25, 0, 0, 125);
  const frames = Array.from({ length: 256 }, (_, sa) => [0, 0x0cf00400 + sa, all] as const);
  const { table, columns } = tableOf(batchOf(frames));
  assert.equal(columns.length, MAX_COLUMNS);
  assert.ok(table.overflow > 0);
  assert.equal(columns.length + table.overflow, 256 * (columns.filter(({ sa }) => sa === 0).length || 1));
});

test('[D98] values up to 64 rows late find their row; later ones are counted and written nowhere', () => {
  const frames = Array.from({ length: 200 }, (_, s) => [s, 0x0cf00400, speed(1_000 + s)] as const);
  const { table, rows } = tableOf(
    batchOf([...frames, [150, 0x0cf00400, speed(5_000)], [10, 0x0cf00400, speed(6_000)]]),
  );
  assert.equal(table.late, 1);
  assert.equal(rows.length, 200);
  assert.deepEqual(
    [rows[150], rows[10]],
    [
      [150, 5_000],
      [10, 1_010],
    ],
  );
  assert.deepEqual(
    rows.map(([t]) => t),
    Array.from({ length: 200 }, (_, s) => s),
  );
});

test('[D98] only data frames of 29 bits hold parameters, and a value that the first pass did not see is counted', () => {
  const { rows } = tableOf(
    batchOf([
      [0, 0x0cf00400, speed(1_000)],
      [1, 0x0cf00400, speed(2_000), FRAME.extended | FRAME.remote],
      [2, 0x0cf00400, speed(2_000), FRAME.extended | FRAME.error],
      [3, 0x0cf00400, speed(2_000), FRAME.extended | FRAME.fd],
      [4, 0x400, speed(2_000), 0],
      [5, 0x0cf00400, Uint8Array.of(255, 255, 255, 64)],
      [6, 0x0cf00400, Uint8Array.of(255, 255, 255, 0, 0xfe, 255, 255, 255)],
    ]),
  );
  assert.deepEqual(rows, [[0, 1_000]]);
  const table = new LogTable({ step_us: 1e6 });
  table.columns();
  table.take(batchOf([[0, 0x0cf00400, speed(1_000)]]), () => assert.fail('there is no column'));
  assert.equal(table.late, 1);
});

test('[D98] a name is a signal, an SPN, or words of a parameter', () => {
  const row = { spn: 190, name: 'Engine speed', signal: 'engine.speed' } as Parameters<
    ReturnType<typeof parameterNamed>
  >[0];
  for (const name of ['190', 'SPN190', 'spn 190', 'engine.speed', ' Engine Speed ', 'speed'])
    assert.ok(parameterNamed(name)(row), name);
  for (const name of ['191', 'engine.hours', 'oil']) assert.ok(!parameterNamed(name)(row), name);
});
