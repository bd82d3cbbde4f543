/** The rotation of boards on a TV. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  HOLD_MS,
  hold,
  IDLE,
  LEAD_MS,
  READY_TIMEOUT_MS,
  type Rotation,
  ready,
  type Step,
  tick,
  turn,
} from '#ui/tv/rotation.ts';

const STEPS: readonly Step[] = ['a', 'b', 'c'].map((id) => ({ board: id, page: 0, dwell_ms: 20_000 }));
const at = (i: number) => STEPS[i] as Step;

/** Runs a rotation whose boards are ready after `readyMs`; returns the current board every 250 ms. */
function run(
  steps: readonly Step[],
  ms: number,
  readyMs: number,
  from: Rotation = IDLE,
): { state: Rotation; seen: string[] } {
  let state = from;
  const seen: string[] = [];
  for (let now = 0; now <= ms; now += 250) {
    if (state.next !== null && now - state.asked >= readyMs) state = ready(state, state.next);
    state = tick(state, steps, now);
    const id = state.current?.board ?? '-';
    if (seen[seen.length - 1] !== id) seen.push(id);
  }
  return { state, seen };
}

test('[U13] boards are shown in order, each for its dwell time', () => {
  assert.deepEqual(run(STEPS, 61_000, 500).seen, ['a', 'b', 'c', 'a']);
});

test('[U13] the next board is mounted hidden LEAD_MS before its turn', () => {
  let state = tick(IDLE, STEPS, 0);
  state = tick(state, STEPS, 20_000 - LEAD_MS - 250);
  assert.equal(state.next, null);
  state = tick(state, STEPS, 20_000 - LEAD_MS);
  assert.equal(state.next?.board, 'b');
});

test('[U13] a board that never becomes ready is skipped, and the current board stays', () => {
  let state = tick(IDLE, STEPS, 0);
  const seen = new Set<string>();
  for (let now = 0; now <= 40_000; now += 250) {
    if (state.next?.board === 'c') state = ready(state, state.next);
    state = tick(state, STEPS, now);
    seen.add(state.current?.board ?? '-');
  }
  assert.deepEqual([...seen], ['a', 'c']);
  assert.equal(state.skipped, 1);
  assert.ok(READY_TIMEOUT_MS < 20_000);
});

test('[U13] after any events a rotation with boards shows one and mounts at most two', () => {
  const act = fc.oneof(
    fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 30_000 }) }),
    fc.record({ do: fc.constant('ready' as const), ms: fc.constant(0) }),
    fc.record({ do: fc.constantFrom('turn' as const, 'back' as const, 'hold' as const), ms: fc.constant(0) }),
    fc.record({ do: fc.constant('boards' as const), ms: fc.integer({ min: 1, max: 3 }) }),
  );
  fc.assert(
    fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
      let now = 0;
      let steps = STEPS;
      let state = tick(IDLE, steps, now);
      for (const one of acts) {
        if (one.do === 'wait') now += one.ms;
        if (one.do === 'ready' && state.next !== null) state = ready(state, state.next);
        if (one.do === 'turn') state = turn(state, steps, 1, now);
        if (one.do === 'back') state = turn(state, steps, -1, now);
        if (one.do === 'hold') state = hold(state, now);
        if (one.do === 'boards') steps = STEPS.slice(0, one.ms);
        state = tick(state, steps, now);
        assert.ok(steps.some((step) => step.board === state.current?.board));
        assert.notEqual(state.next?.board, state.current?.board);
      }
    }),
  );
});

test('[U14] a single step stays, and no next board is mounted', () => {
  const { state, seen } = run(STEPS.slice(0, 1), 90_000, 0);
  assert.deepEqual(seen, ['a']);
  assert.equal(state.next, null);
  assert.equal(state.turns, 0);
});

test('[U14] without boards there is no step, and the first new board is shown at once', () => {
  const empty = tick(IDLE, [], 0);
  assert.equal(empty.current, null);
  assert.equal(tick(empty, STEPS, 10).current?.board, 'a');
});

test('[U15] turn shows the requested board as soon as it is ready', () => {
  let state = tick(IDLE, STEPS, 0);
  state = turn(state, STEPS, -1, 1_000);
  assert.equal(state.next?.board, 'c');
  state = tick(state, STEPS, 1_100);
  assert.equal(state.current?.board, 'a');
  state = tick(ready(state, at(2)), STEPS, 1_200);
  assert.equal(state.current?.board, 'c');
});

test('[U15] a held board stays for five minutes, then the rotation continues', () => {
  const held = hold(tick(IDLE, STEPS, 0), 1_000);
  let state = held;
  for (let now = 1_000; now < HOLD_MS; now += 1_000) {
    if (state.next !== null) state = ready(state, state.next);
    state = tick(state, STEPS, now);
  }
  assert.equal(state.current?.board, 'a');
  for (let now = HOLD_MS; now < HOLD_MS + 20_000; now += 1_000) {
    if (state.next !== null) state = ready(state, state.next);
    state = tick(state, STEPS, now);
  }
  assert.notEqual(state.turns, 0);
  assert.equal(state.heldUntil, null);
});
