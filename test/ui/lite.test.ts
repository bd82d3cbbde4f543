/** The parts that an old TV shows, and what its files may use. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import type { BoardView } from '#contract/site/live.ts';
import type { ShiftTile } from '#contract/work/shift-report.ts';
import { NO_TIME } from '#domain/work/shift-tally.ts';
import { shownAt } from '#ui/lite/steps.ts';
import { OLD, REFRESH } from '#ui/lite-scripts.ts';

function board(id: string, duration_s: number, rows: readonly number[]): BoardView {
  const widgets = rows.map((count, y) => ({
    id: `${id}-${y}`,
    title: '',
    position: { x: 0, y, w: 12, h: 1 },
    type: 'alert_feed' as const,
    data: {
      type: 'alert_feed' as const,
      alerts: {
        rows: Array.from({ length: count }, (_, i) => ({
          id: `${id}-${y}-${i}`,
          severity: 'info' as const,
          rule_name: 'rule',
          detail: '',
          equipment_id: null,
          unit_number: null,
          paired: false,
          raised_ms: 0,
          acknowledged: null,
          late: false,
        })),
        row_count: count,
        total: count,
        unacknowledged: count,
      },
    },
  }));
  return { id, name: id, theme: 'tv-dark', duration_s, subtitle: '', widgets };
}

test('[U454] a shift has a part with its sum, and one for each eight machines; between two shifts it has one part', () => {
  const rows = Array.from({ length: 20 }, (_, i) => ({
    id: `m${i}`,
    unit_number: `HT-${i}`,
    minutes: NO_TIME,
    spans: [],
  }));
  const parts = (isRunning: boolean) => {
    const shift: ShiftTile = {
      now: isRunning ? { name: 'day', from_ms: 0, to_ms: 43_200_000 } : null,
      next: null,
      computed_ms: 0,
      total: NO_TIME,
      rows,
      more: 0,
      unknown: [],
    };
    const [widget] = board('b', 60, [1]).widgets;
    assert.ok(widget);
    const type = 'shift_progress' as const;
    return shownAt([{ ...board('b', 60, []), widgets: [{ ...widget, type, data: { type, shift } }] }], 0).of;
  };
  assert.deepEqual([parts(true), parts(false)], [4, 1]);
});

test('[U191] every part of every board comes, each at least 8 s without a break, and the page is loaded again before it changes', () => {
  const boards = fc.array(fc.tuple(fc.integer({ min: 5, max: 90 }), fc.array(fc.nat(40), { maxLength: 4 })), {
    minLength: 1,
    maxLength: 4,
  });
  fc.assert(
    fc.property(boards, (list) => {
      const all = list.map(([seconds, rows], i) => board(`b${i}`, seconds, rows));
      const expected = new Set(
        all.flatMap(({ id, widgets }) =>
          widgets.flatMap(({ data }, y) => {
            const count = data.type === 'alert_feed' ? data.alerts.total : 0;
            return Array.from({ length: Math.max(1, Math.ceil(count / 8)) }, (_, page) => `${id}-${y}-${page}`);
          }),
        ),
      );
      const nameOf = (ms: number) => {
        const { step } = shownAt(all, ms);
        return step === null ? 'none' : `${step.widget.id}-${step.page}`;
      };
      if (expected.size === 0) return assert.equal(nameOf(0), 'none');
      const seen = new Set<string>();
      let last = '';
      let since = 0;
      for (let ms = 0; ms < 1_000 * 4 * 4 * 5 * 90; ms += 500) {
        const name = nameOf(ms);
        assert.ok(expected.has(name), name);
        if (name !== last) {
          assert.ok(
            last === '' || seen.size === 0 || ms - since >= 7_500 || since === 0,
            `${last} for ${ms - since} ms`,
          );
          [last, since] = [name, ms];
        }
        seen.add(name);
        const { reload_s } = shownAt(all, ms);
        assert.ok(reload_s >= 1 && reload_s <= 10);
        // The browser waits at most a second longer than the part is shown.
        if (reload_s > 1) assert.equal(nameOf(ms + (reload_s - 1) * 1_000), name);
        if (seen.size === expected.size && name !== [...seen][0]) break;
      }
      assert.deepEqual(seen, expected);
    }),
    // The parts of the example do not last a whole number of half seconds.
    {
      numRuns: 60,
      examples: [
        [
          [
            [89, [25, 9, 9, 17]],
            [5, []],
          ],
        ],
      ],
    },
  );
});

test('[U192] the files for old TVs use nothing that their browsers do not know', () => {
  for (const script of [REFRESH, OLD])
    assert.doesNotMatch(script, /=>|`|\b(const|let|class|async|await|fetch)\b|\?\.|\?\?/);
  const css = readFileSync(new URL('../../ui/lite/lite.css', import.meta.url), 'utf8').replace(/\/\*.*?\*\//gs, '');
  assert.doesNotMatch(css, /var\(|--\w|\bgrid\b|\bgap\b|\bflex\b|:is\(|:where\(|:has\(|\binset\b|clamp\(|min\(|max\(/);
});
