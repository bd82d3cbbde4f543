/** What the pages of screens say about boards, playlists and tiles. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PlacedWidget } from '#contract/site/widget.ts';
import { howOf, problemOf } from '#ui/office/screens/tile-kinds.ts';
import { goneIn, isOldRead } from '#ui/office/screens/tile-query.ts';
import { codesText, type Dashboard, noUseText, type Screens, type Share, screenUses } from '#ui/office/screens/uses.ts';

test('[U320] head office does not say that no screen shows a board, because it does not know the links of a site', () => {
  assert.equal(noUseText({ role: 'gateway' }), 'No screen shows it');
  assert.match(noUseText({ role: 'cloud' }), /^Head office does not know the links/);
});

const code = (kind: string, object_id: string): PlacedWidget => ({
  id: 'code',
  type: 'qr',
  title: '',
  query: {},
  thresholds: [],
  params: { share: { kind, object_id } },
  position: { x: 0, y: 0, w: 2, h: 3 },
});
const board = (id: string, widgets: readonly PlacedWidget[], link_status: Dashboard['link_status'] = null) =>
  ({ id, name: id, widgets, link_status }) as unknown as Dashboard;

test('[U320] the boards with a code of a board or playlist are named, without the board itself', () => {
  const boards = [board('yard', [code('dashboard', 'yard')]), board('pit', [code('dashboard', 'yard')])];
  assert.deepEqual(codesText('dashboard', 'yard', boards), ['Codes on these boards open it: pit']);
  assert.deepEqual(codesText('playlist', 'yard', boards), []);
});

test('[U322] only a complete list proves that what a code opens was deleted', () => {
  const lists = { playlist: [{ id: 'gate' }], dashboard: [], more: false, isOld: false } as unknown as Parameters<
    typeof goneIn
  >[0];
  const says = (of: typeof lists, kind: string, id: string) => problemOf(code(kind, id), goneIn(of)) !== null;
  assert.deepEqual([says(lists, 'playlist', 'gate'), says(lists, 'dashboard', 'gate')], [false, true]);
  assert.equal(says(null, 'dashboard', 'gate'), false);
  assert.equal(says(lists && { ...lists, more: true }, 'dashboard', 'gate'), false);
  assert.equal(says(lists, 'equipment', 'gate'), false, 'machines are not in the lists');
  assert.equal(says(lists && { ...lists, isOld: true }, 'dashboard', 'gate'), false);
  assert.equal(isOldRead(100, null, 90), false);
  assert.equal(
    isOldRead(100, null, 110),
    true,
    'a playlist may be new since the lists were read, and the board may have it',
  );
  assert.equal(isOldRead(100, 'The gateway does not answer.', 90), true);
});

test('[U320] a paused link is a link, also if the page has not read it', () => {
  const link = { status: 'paused', last_seen_at: null } as unknown as Share;
  const displays = [{ name: 'Gate TV', object_id: 'gate' }];
  const screens = (links: [string, Share][]) => ({ links: new Map(links), displays }) as unknown as Screens;
  const paused = board('yard', [], 'paused');
  assert.deepEqual(screenUses(paused, screens([['yard', link]]), 0), ['A paused link for screens']);
  assert.deepEqual(screenUses(paused, screens([]), 0), ['A paused link for screens']);
  const used = { ...link, last_seen_at: new Date(0).toISOString() } as unknown as Share;
  assert.deepEqual(screenUses(paused, screens([['yard', used]]), 60_000), [
    'A paused link for screens, last seen 1 min ago',
  ]);
  assert.deepEqual(screenUses(board('gate', []), screens([]), 0), ['On screens: Gate TV']);
  assert.deepEqual(screenUses(board('pit', [], 'active'), screens([]), 0), ['A link for screens']);
  assert.deepEqual(screenUses(board('pit', []), screens([]), 0), []);
});

test('[U322] the settings say how a screen makes a number, whatever the query leaves out', () => {
  const kpi = (query: PlacedWidget['query']) => howOf({ type: 'kpi', query });
  const trend = (query: PlacedWidget['query']) => howOf({ type: 'timeseries', query });
  const signal = 'fuel.level';
  assert.deepEqual(
    [
      kpi({}),
      kpi({ aggregate: 'max' }),
      kpi({ signal }),
      kpi({ signal, equipment_id: 'x' }),
      kpi({ signal, aggregate: 'sum' }),
    ],
    ['count_reporting', 'count_reporting', 'avg', '', 'sum'],
  );
  assert.equal(kpi({ aggregate: 'utilization', signal }), 'utilization');
  const signals = ['engine.speed'];
  assert.deepEqual(
    [
      trend({ signal }),
      trend({ signal, signals }),
      trend({ signal, signals, equipment_id: 'x' }),
      trend({ signal, aggregate: 'utilization' }),
    ],
    ['', 'avg', '', ''],
  );
});
