import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DISK_LEVELS } from '#contract/site/node.ts';
import { NO_PRESSURE, nextPressure, type Reading, roomOf, socketRoom, threshold } from '#domain/health/pressure.ts';
import { PROBLEMS, problemsInHealth, screenNotice } from '#domain/health/problems.ts';

const GIB = 2 ** 30;
const calm: Reading = {
  disk: { free: 50 * GIB, total: 100 * GIB, reserve: 0, wanted: 0 },
  heap: 0.2,
  memory: 0.1,
  handles: { open: 40, limit: 1_000 },
  sync_ms: 2,
  refusing: null,
  owing: 0,
};
const disk = (free: number, total = 100 * GIB, reserve = 0, wanted = 0): Reading => ({
  ...calm,
  disk: { free, total, reserve, wanted },
});

test('[D90] a disk is low at 10 %, scarce at 5 and critical at 2, and no more than so many bytes on a large one', () => {
  const level = (free: number, total: number) => nextPressure(NO_PRESSURE, disk(free, total), 0).disk;
  assert.deepEqual(
    [0.101, 0.099, 0.051, 0.049, 0.021, 0.019, 0].map((share) => level(share * 100 * GIB, 100 * GIB)),
    ['ok', 'low', 'low', 'scarce', 'scarce', 'critical', 'critical'],
  );
  assert.deepEqual(
    [17, 15, 9, 7, 4, 2].map((free) => level(free * GIB, 4_000 * GIB)),
    ['ok', 'low', 'low', 'scarce', 'scarce', 'critical'],
  );
  assert.equal(threshold('low', GIB), 0.1 * GIB);
});

test('[D90] giving the reserve back, or taking it again, changes no level', () => {
  const held = disk(2 * GIB, 100 * GIB, GIB, GIB);
  const given = disk(3 * GIB, 100 * GIB, 0, GIB);
  assert.equal(roomOf(held.disk as never), roomOf(given.disk as never));
});

test('[D90] a level is left only with a quarter more room, so that what is given up does not swing', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 0.2, noNaN: true }),
      fc.array(fc.double({ min: -0.1, max: 0.1, noNaN: true }), { maxLength: 60 }),
      (share, noise) => {
        // Noise of a tenth around one value: the level may change once, and then stays.
        let state = NO_PRESSURE;
        const levels: number[] = [];
        for (const one of noise) {
          state = nextPressure(state, disk(share * (1 + one) * 100 * GIB), 0);
          levels.push(DISK_LEVELS.indexOf(state.disk));
        }
        for (let i = 1; i < levels.length; i++) assert.ok((levels[i] as number) >= (levels[i - 1] as number));
      },
    ),
  );
  let state = nextPressure(NO_PRESSURE, disk(GIB), 5);
  assert.deepEqual([state.disk, state.since.get('disk_critical')], ['critical', 5]);
  state = nextPressure(state, disk(2.4 * GIB), 6);
  assert.deepEqual([state.disk, state.since.get('disk_critical')], ['critical', 5]);
  state = nextPressure(state, disk(2.6 * GIB), 7);
  assert.deepEqual([state.disk, [...state.since]], ['scarce', [['disk_scarce', 7]]]);
  assert.equal(nextPressure(state, disk(20 * GIB), 8).disk, 'ok');
});

test('[D91] memory, handles and a slow disk have levels of their own, entered and left apart', () => {
  const memory = (shares: readonly number[]) => {
    let state = NO_PRESSURE;
    return shares.map((heap) => {
      state = nextPressure(state, { ...calm, heap }, 0);
      return state.memory;
    });
  };
  assert.deepEqual(memory([0.79, 0.8, 0.75, 0.9, 0.85, 0.79, 0.69]), [
    'ok',
    'high',
    'high',
    'critical',
    'critical',
    'high',
    'ok',
  ]);
  assert.equal(nextPressure(NO_PRESSURE, { ...calm, memory: 0.95 }, 0).memory, 'critical');
  let state = nextPressure(NO_PRESSURE, { ...calm, sync_ms: 201 }, 0);
  assert.equal(state.slow, true);
  state = nextPressure(state, { ...calm, sync_ms: 81 }, 0);
  assert.equal(state.slow, true);
  assert.equal(nextPressure(state, { ...calm, sync_ms: null }, 0).slow, false);
  const handles = (open: number) => ({ ...calm, handles: { open, limit: 1_000 } });
  assert.deepEqual(
    [socketRoom(handles(900).handles), socketRoom(handles(990).handles), socketRoom(null)],
    [36, 0, null],
  );
  state = nextPressure(NO_PRESSURE, handles(910), 0);
  assert.equal(state.handles, true);
  assert.deepEqual(
    [nextPressure(state, handles(880), 0).handles, nextPressure(state, handles(870), 0).handles],
    [true, false],
  );
});

test('[D92] each problem says what is wrong, what is given up and what to do; walls hear only of what they suffer from', () => {
  for (const { message, given_up, remedy, screen } of Object.values(PROBLEMS)) {
    for (const text of [message, given_up, remedy]) assert.match(text, /^[A-Z].*\.$/s);
    // It has to fit beside the name of a board.
    assert.ok(screen === null || screen.length <= 36);
  }
  const all = nextPressure(NO_PRESSURE, { ...disk(GIB), refusing: 'full', sync_ms: 500, owing: 3 }, 1_000);
  assert.deepEqual(
    problemsInHealth(all.since).map(({ code, since }) => [code, since]),
    ['disk_full', 'disk_critical', 'disk_slow', 'messages_wait'].map((code) => [code, '1970-01-01T00:00:01.000Z']),
  );
  assert.equal(screenNotice(all.since), PROBLEMS.disk_full.screen);
  assert.equal(screenNotice(nextPressure(NO_PRESSURE, { ...calm, sync_ms: 500 }, 0).since), null);
});
