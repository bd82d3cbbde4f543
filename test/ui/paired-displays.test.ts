import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Display } from '#contract/site/display.ts';
import { LIVE_MS, type LiveSnapshot } from '#contract/site/live.ts';
import {
  conditionOf,
  conditionText,
  displaysText,
  remedyText,
  shownPage,
  shownText,
  sizeText,
  troubleFirst,
} from '#ui/office/screens/paired/displays.ts';

const NOW = Date.parse('2026-11-28T12:00:00.000Z');
const ago = (ms: number) => new Date(NOW - ms).toISOString();
const display = (name: string, more: Partial<Display> = {}): Display => ({
  ...{ object: 'display', id: `dpl_${name}`, revision: 1, name, kind: 'playlist', object_id: 'pl_1' },
  ...{ inches: 55, metres: 4, state: 'live', last_seen_at: ago(5_000), shown: null },
  ...{ paired_at: ago(3_600_000), paired_by: 'Eva', address: '10.0.0.9' },
  ...more,
});
const SHOWN = { board_id: 'dash_2', page: 2, pages: 3, width: 1920, height: 1080, build: 'b' };

test('[U431] a screen that is not heard comes first, then one with small text, then the live ones by name', () => {
  const all = [
    display('TV 10'),
    display('TV 2'),
    display('Gate', { metres: 9 }),
    display('New', { last_seen_at: null }),
    display('Workshop', { last_seen_at: ago(LIVE_MS + 1) }),
  ];
  assert.deepEqual(
    troubleFirst(all, NOW).map(({ name }) => name),
    ['Workshop', 'New', 'Gate', 'TV 2', 'TV 10'],
  );
  assert.equal(conditionOf(display('Edge', { last_seen_at: ago(LIVE_MS) }), NOW), 'live');
  assert.equal(conditionOf(display('Plain', { inches: null }), NOW), 'live');
});

test('[U431] each condition has a sentence with its age, and says what to do', () => {
  const dark = display('Workshop', { last_seen_at: ago(3 * 3_600_000 + 240_000) });
  assert.equal(conditionText(dark, NOW), 'Not heard for 3 h 04');
  assert.match(remedyText(dark, NOW) ?? '', /Check that it is on/);
  assert.equal(conditionText(display('TV'), NOW), 'Live, heard 5 s ago');
  assert.equal(remedyText(display('TV'), NOW), null);
  const small = display('Gate', { inches: 32, metres: 6 });
  assert.equal(conditionText(small, NOW), 'Text too small from 6 m');
  assert.match(remedyText(small, NOW) ?? '', /up to 2 m/);
  assert.match(remedyText(display('TV', { metres: null }), NOW) ?? '', /Enter its size and distance/);
  assert.equal(conditionText(display('New', { last_seen_at: null }), NOW), 'Paired 1 h ago, not heard yet');
  assert.deepEqual(
    [sizeText(display('TV')), sizeText(display('TV', { inches: null, metres: null }))],
    ['55 inches, seen from 4 m', null],
  );
});

test('[U431] the page says what a screen reported, and otherwise what it was paired with', () => {
  const nameOf = (id: string) => ({ pl_1: 'Fleet', dash_2: 'Map' })[id];
  assert.equal(shownText(display('TV'), nameOf), 'Shows Fleet');
  assert.equal(shownText(display('TV', { shown: SHOWN }), nameOf), 'Shows Fleet: Map, page 2 of 3');
  assert.equal(
    shownText(display('TV', { shown: { ...SHOWN, board_id: null, page: 0, pages: 0 } }), nameOf),
    'Shows Fleet',
  );
  assert.deepEqual(displaysText('pl_1', [display('Gate'), display('Shop', { object_id: 'pl_2' })]), [
    'On screens: Gate',
  ]);
});

test('[U432] the picture is the page that the screen reported, or the first page', () => {
  const tile = { data: { type: 'clock' }, position: { x: 0, y: 0, w: 3, h: 2 }, title: '' };
  const board = (id: string, tiles = 1) => ({ id, widgets: Array.from({ length: tiles }, () => tile) });
  const view = { boards: [board('dash_0', 0), board('dash_1'), board('dash_2')] } as unknown as LiveSnapshot;
  const at = (shown: Display['shown']) => shownPage(view, display('TV', { shown }));
  assert.deepEqual(at(null), { board: 'dash_1', page: 0, index: 0, of: 2 });
  assert.deepEqual(at(SHOWN), { board: 'dash_2', page: 0, index: 1, of: 2 });
  assert.deepEqual(at({ ...SHOWN, page: 1 }), { board: 'dash_2', page: 0, index: 1, of: 2 });
  assert.deepEqual(at({ ...SHOWN, board_id: 'dash_9' }), { board: 'dash_1', page: 0, index: 0, of: 2 });
  assert.equal(shownPage({ boards: [] } as unknown as LiveSnapshot, display('TV')), null);
});
