/** The places of machines in the strip of a status board. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { composeBoard } from '#domain/board/board.ts';
import { type Seated, seatOrder } from '#domain/board/seats.ts';
import { boardInput, machine, NOW } from './board-kit.ts';

const DAY_MS = 86_400_000;
const natural = new Intl.Collator('en', { numeric: true, sensitivity: 'base' }).compare;

function one(unit_number: string, day = 0, retired_day: number | null = null): Seated {
  const retired_ms = retired_day === null ? null : NOW + retired_day * DAY_MS;
  return { id: unit_number, unit_number, created_ms: NOW + day * DAY_MS, retired_ms };
}

test('[V29] machines that are commissioned together are sorted by type and number', () => {
  const fleet = ['HT-10', 'EX-01', 'HT-2', 'Crusher', 'HT-01'].map((unit, i) => one(unit, i / 2));
  assert.deepEqual(seatOrder(fleet, natural), ['Crusher', 'EX-01', 'HT-01', 'HT-2', 'HT-10']);
});

test('[V29] a machine that is added later comes at the end of its type', () => {
  const fleet = [one('HT-01'), one('HT-03'), one('WT-01'), one('HT-02', 30)];
  assert.deepEqual(seatOrder(fleet, natural), ['HT-01', 'HT-03', 'HT-02', 'WT-01']);
});

test('[V29] a retired machine leaves a free place until a machine is added', () => {
  const retired = [one('HT-01'), one('HT-02', 0, 10), one('HT-03')];
  assert.deepEqual(seatOrder(retired, natural), ['HT-01', 'HT-02', 'HT-03']);
  assert.deepEqual(seatOrder([...retired, one('WT-01', 20)], natural), ['HT-01', 'HT-03', 'WT-01']);
});

test('[V29] no machine that is added later changes the order of the others', () => {
  const units = fc.uniqueArray(fc.tuple(fc.constantFrom('HT', 'EX', 'Z'), fc.nat(99)), {
    selector: ([type, n]) => `${type}-${n}`,
    minLength: 1,
    maxLength: 20,
  });
  fc.assert(
    fc.property(units, fc.nat(400), (all, after) => {
      const fleet = all.map(([type, n]) => one(`${type}-${n}`));
      const [last] = fleet.slice(-1) as [Seated];
      const before = fleet.slice(0, -1);
      const later = { ...last, created_ms: last.created_ms + (after + 1) * DAY_MS };
      const order = seatOrder([...before, later], natural).filter((id) => id !== last.id);
      assert.deepEqual(order, seatOrder(before, natural));
    }),
  );
});

test('[V29] the tiles of a widget are numbered by their places, without the number of a retired machine', () => {
  const widget = {
    id: 'w',
    type: 'status_board' as const,
    title: '',
    query: {},
    position: { x: 0, y: 0, w: 12, h: 6 },
    thresholds: [],
    params: {},
  };
  const machines = [machine('ht-1', { order: 2 }), machine('ht-2', { order: 0 })];
  const view = composeBoard(boardInput([widget], { machines, retired: [machine('ht-3', { order: 1 })] }));
  const [data] = view.widgets.map((shown) => shown.data);
  assert.ok(data?.type === 'status_board');
  assert.deepEqual(
    new Map(data.machines.map(({ id, seat }) => [id, seat])),
    new Map([
      ['ht-1', 2],
      ['ht-2', 0],
    ]),
  );
});
