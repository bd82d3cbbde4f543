/** What the editors know after a save: whose save a newer board or playlist is, and what the page says about another person. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClientError, createClient } from '#contract/client.ts';
import type { PlacedWidget } from '#contract/site/widget.ts';
import {
  arrived,
  type Board,
  change,
  isChanged,
  metNow,
  rebase,
  saved,
  startDraft,
  takeTheirs,
  undo,
} from '#ui/office/screens/drafts/board-draft.ts';
import { isOutdated, isOwnSave, type PlaylistFields } from '#ui/office/screens/drafts/playlist-draft.ts';
import { isUnanswered } from '#ui/office/screens/drafts/unanswered.ts';

const widget = (id: string, title: string, x = 0): PlacedWidget => ({
  id,
  type: 'kpi',
  title,
  query: {},
  thresholds: [],
  params: {},
  position: { x, y: 0, w: 2, h: 2 },
});
const board = (a: string, b = 'b', name = 'Pit'): Board => ({
  name,
  description: '',
  theme: 'tv-dark',
  widgets: [widget('a', a), widget('b', b, 2)],
});
const titleOfA = ({ now }: { now: Board }) => now.widgets.find(({ id }) => id === 'a')?.title;

test('[U327] after a save an undo names no value that this save replaced', () => {
  const mine = change(startDraft({ revision: 1, board: board('old') }), board('mine'));
  const met = rebase(mine, { revision: 2, board: board('theirs') });
  const typed = change(met, board('mine 2'));
  const after = saved(typed, typed.now, { revision: 3, board: typed.now });
  assert.deepEqual([titleOfA(undo(after)), metNow(undo(after))], ['mine', null]);
  // The stored value is still that of the other person, so the undo would replace it.
  const taken = takeTheirs(met, 'a');
  const renamed = change(taken, { ...taken.now, name: 'Wall' });
  const kept = saved(renamed, renamed.now, { revision: 3, board: renamed.now });
  assert.deepEqual([titleOfA(undo(undo(kept))), metNow(undo(undo(kept)))?.both], ['mine', ['a']]);
});

test('[U327] a board that was sent without an answer is the own one, and its parts that were taken back are named', () => {
  const sent = change(startDraft({ revision: 1, board: board('old') }), board('sent', 'sent', 'Pit '));
  const stored = { revision: 2, board: board('sent', 'sent') };
  const gone = arrived(sent, sent.now, stored);
  assert.deepEqual([gone.base.revision, gone.met, isChanged(gone)], [2, null, false]);
  const later = arrived(change(sent, board('later', 'sent')), sent.now, stored);
  assert.deepEqual([titleOfA(later), later.met], ['later', null], 'a newer own value takes back nothing');
  const back = arrived(change(sent, board('old', 'sent')), sent.now, stored);
  assert.deepEqual([titleOfA(back), back.base.revision, metNow(back)?.both], ['old', 2, ['a']]);
  const all = arrived(undo(sent), sent.now, stored);
  assert.deepEqual([titleOfA(all), metNow(all)?.both], ['old', ['a', 'b']], 'the undo stays');
});

const list = (more: Partial<PlaylistFields>): PlaylistFields => ({
  name: 'Gate',
  items: [],
  default_duration_s: 20,
  transition: 'fade',
  shuffle: false,
  takeover: { enabled: false, min_severity: 'critical' },
  display_group_ids: [],
  ...more,
});

test('[U328] a newer playlist is the own save if it is what was sent without an answer, and nothing of that was taken back', () => {
  const base = list({});
  const sent = list({ name: ' North ', default_duration_s: 30 });
  const newer = list({ name: 'North', default_duration_s: 30 });
  const own = (now: PlaylistFields, of: PlaylistFields | null) => isOwnSave(newer, { base, now }, of);
  assert.equal(own(sent, null), true, 'nothing is left to save');
  assert.equal(own(list({ name: 'South', default_duration_s: 30 }), sent), true, 'the person went on');
  assert.equal(own(list({ name: 'South', default_duration_s: 30 }), null), false);
  assert.equal(own(list({ name: 'North' }), sent), false, 'the seconds were taken back');
  assert.equal(isOwnSave(list({ name: 'East' }), { base, now: sent }, sent), false);
});

test('[U327] [U328] only a write without an answer of the gateway may have been stored', async () => {
  const failed = async (answer: () => Promise<Response>): Promise<unknown> => {
    const client = createClient({ base_url: 'http://127.0.0.1:1', fetch: answer });
    return client.call('playlists_get', { id: 'x' }).then(
      () => assert.fail('the call must fail'),
      (error: unknown) => error,
    );
  };
  const says = (status: number, code: string) => async () =>
    Response.json({ error: { code, message: code } }, { status });
  for (const [answer, code, may] of [
    [() => Promise.reject(new TypeError('fetch failed')), 'unreachable', true],
    [async () => new Response('<p>Bad gateway</p>', { status: 502 }), 'unexpected_answer', true],
    [says(500, 'internal_error'), 'internal_error', true],
    [says(412, 'revision_mismatch'), 'revision_mismatch', false],
    [says(400, 'parameter_invalid'), 'parameter_invalid', false],
  ] as const) {
    const error = await failed(answer);
    assert.ok(error instanceof ClientError);
    assert.deepEqual([error.code, isUnanswered(error)], [code, may]);
  }
});

test('[U328] fields are drawn anew only if somebody saved other values than they show', () => {
  const shown = (revision: number, name: string) => ({ revision, fields: list({ name }) });
  assert.equal(isOutdated(shown(1, 'Gate x'), shown(1, 'Gate')), false, 'the person typed the old value again');
  assert.equal(isOutdated(shown(1, 'Mine'), shown(2, 'Mine')), false, 'the own save');
  assert.equal(isOutdated(shown(1, 'Mine'), shown(2, 'Theirs')), true);
});
