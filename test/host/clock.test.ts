/** The gateway's time over a machine whose clock does what clocks of gateways do. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type Clock, openClock } from '#host/clock.ts';

const root = mkdtempSync(join(tmpdir(), 'headframe-clock-'));
after(() => rmSync(root, { recursive: true, force: true }));

const DAY = 86_400_000;
const YEAR = 365 * DAY;
const TODAY = Date.parse('2026-11-21T08:00:00Z');

/** A machine that was powered up an hour ago; `pass` is time, `step` is what happens to its clock. */
function machine(now = TODAY, folder = mkdtempSync(join(root, 'run-'))) {
  let real = now;
  let up = 3_600_000;
  let mono = 5_000;
  const state = { synchronised: false };
  const start = (): Clock =>
    openClock({
      folder,
      log: () => {},
      system: { now: () => real, monotonic: () => mono, uptime: () => up, synchronised: () => state.synchronised },
    });
  return {
    folder,
    state,
    start,
    pass(ms: number) {
      real += ms;
      up += ms;
      mono += ms;
    },
    sleep(ms: number) {
      real += ms;
      up += ms;
    },
    step(ms: number) {
      real += ms;
    },
    powerUp() {
      up = 10_000;
    },
  };
}

const problems = (clock: Clock) => [...clock.since.keys()];

test("[Z9] the clock follows the system's clock, its steps of up to a day, and sleep", () => {
  const m = machine();
  using clock = m.start();
  m.pass(1_000);
  assert.equal(clock.now(), TODAY + 1_000);
  m.step(-600_000);
  assert.equal(clock.now(), TODAY + 1_000 - 600_000);
  m.step(DAY - 1);
  assert.equal(clock.now(), TODAY + 1_000 - 600_000 + DAY - 1);
  m.sleep(5 * DAY);
  assert.equal(clock.now(), TODAY - 599_001 + 6 * DAY);
  assert.deepEqual([problems(clock), clock.agesKnown], [[], true]);
});

test('[Z9] [Z11] a jump of a year back or ten years ahead is not followed but reported, until the clock is back', () => {
  for (const jump of [-YEAR, 10 * YEAR]) {
    const m = machine();
    using clock = m.start();
    m.pass(1_000);
    m.step(jump);
    m.pass(500);
    assert.equal(clock.now(), TODAY + 1_500);
    m.pass(7 * DAY);
    assert.equal(clock.now(), TODAY + 1_500 + 7 * DAY, 'goes on with the time that passes');
    assert.deepEqual([problems(clock), clock.agesKnown], [['clock_jumped'], false]);
    m.step(-jump + 40_000);
    clock.keep();
    assert.equal(clock.now(), TODAY + 1_500 + 7 * DAY + 40_000);
    assert.deepEqual([problems(clock), clock.agesKnown], [[], true]);
  }
});

test('[Z9] soon after power-up, or set by a time service, any step is followed, but not to a time before the last run', () => {
  const m = machine();
  m.powerUp();
  using clock = m.start();
  m.step(40 * DAY);
  assert.equal(clock.now(), TODAY + 40 * DAY);
  m.pass(1_000_000);
  m.step(40 * DAY);
  assert.equal(clock.now(), TODAY + 40 * DAY + 1_000_000);
  m.state.synchronised = true;
  clock.keep();
  assert.equal(clock.now(), TODAY + 80 * DAY + 1_000_000);
  assert.deepEqual(problems(clock), []);
});

test('[Z10] [Z11] a start in 1970 continues from the last run, and follows the clock as soon as it is set', () => {
  const m = machine();
  {
    using first = m.start();
    m.pass(1_000);
    first.keep();
  }
  const dead = machine(10_000, m.folder);
  using clock = dead.start();
  assert.equal(clock.now(), TODAY + 1_000);
  dead.pass(3 * DAY);
  assert.equal(clock.now(), TODAY + 1_000 + 3 * DAY);
  assert.deepEqual([problems(clock), clock.agesKnown], [['clock_unset'], false]);
  dead.step(TODAY + 30 * DAY);
  clock.keep();
  assert.equal(clock.now(), TODAY + 33 * DAY + 10_000);
  assert.deepEqual([problems(clock), clock.agesKnown], [[], true]);
});

test('[Z10] a first start in 1970 begins in 2026', () => {
  using clock = machine(10_000).start();
  assert.equal(clock.now(), Date.UTC(2026, 0));
  assert.deepEqual(problems(clock), ['clock_unset']);
});

test('[Z10] [Z11] a start years after the last run is reported for a week, and its time is not written', () => {
  const m = machine();
  {
    using first = m.start();
    first.keep();
  }
  const ahead = machine(TODAY + 10 * YEAR, m.folder);
  using clock = ahead.start();
  assert.equal(clock.now(), TODAY + 10 * YEAR);
  assert.deepEqual([problems(clock), clock.agesKnown], [['clock_ahead'], false]);
  clock.keep();
  // The battery is exchanged; the wrong time was not kept.
  using right = machine(TODAY + DAY, m.folder).start();
  assert.deepEqual([right.now(), problems(right)], [TODAY + DAY, []]);
  ahead.pass(7 * DAY + 2_000);
  clock.keep();
  assert.deepEqual([problems(clock), clock.agesKnown], [[], true]);
});

test('[Z10] a start writes no file, and an unreadable clock.json counts as absent', () => {
  const m = machine();
  {
    using _ = m.start();
    assert.deepEqual(readdirSync(m.folder), []);
  }
  writeFileSync(join(m.folder, 'clock.json'), '{"last_run":');
  using clock = m.start();
  assert.equal(clock.now(), TODAY);
});
