/** Dates that name no zone, and the two nights a year on which clocks show what they should not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ASC } from '#codec/asc.ts';
import type { TextFormat } from '#codec/log-types.ts';
import { TRC } from '#codec/trc.ts';
import { createWallClock } from '#codec/wall-clock.ts';
import { offsetsOf } from '#contract/base/zones.ts';
import { FrameBatch } from '#contract/fleet/frame.ts';

const us = (text: string) => Date.parse(text) * 1000;

test('[F67] a date of a wall clock is the moment of its zone; twice is the first, never is before the change', () => {
  for (const [zone, wall, moment, doubt] of [
    ['Europe/Berlin', '2026-01-15T12:00:00.5Z', '2026-01-15T11:00:00.5Z', null],
    ['Europe/Berlin', '2026-07-15T12:00:00Z', '2026-07-15T10:00:00Z', null],
    ['Europe/Berlin', '2026-03-29T01:59:59Z', '2026-03-29T00:59:59Z', null],
    ['Europe/Berlin', '2026-03-29T02:30:00Z', '2026-03-29T01:30:00Z', 'never'],
    ['Europe/Berlin', '2026-03-29T03:00:00Z', '2026-03-29T01:00:00Z', null],
    ['Europe/Berlin', '2026-10-25T01:59:59Z', '2026-10-24T23:59:59Z', null],
    ['Europe/Berlin', '2026-10-25T02:30:00Z', '2026-10-25T00:30:00Z', 'twice'],
    ['Europe/Berlin', '2026-10-25T03:00:00Z', '2026-10-25T02:00:00Z', null],
    ['Australia/Lord_Howe', '2026-10-04T02:15:00Z', '2026-10-03T15:45:00Z', 'never'],
    ['Australia/Lord_Howe', '2026-04-05T01:45:00Z', '2026-04-04T14:45:00Z', 'twice'],
    ['America/St_Johns', '2026-06-01T00:00:00Z', '2026-06-01T02:30:00Z', null],
    ['Asia/Kathmandu', '2026-06-01T00:00:00Z', '2026-05-31T18:15:00Z', null],
    ['UTC', '2026-03-29T02:30:00Z', '2026-03-29T02:30:00Z', null],
  ] as const)
    assert.deepEqual(
      createWallClock(zone)(us(wall)),
      { us: us(moment), zone: { name: zone, doubt } },
      `${wall} in ${zone}`,
    );
  assert.throws(() => createWallClock('Mars/Olympus'), RangeError);
});

test('[F67] what clocks showed at any moment is read as that moment, or as the one before with the same face, and told', () => {
  const zones = ['Europe/Berlin', 'Australia/Lord_Howe', 'America/Santiago', 'Africa/Casablanca', 'Pacific/Apia'];
  const clocks = zones.map((zone) => ({ zone, read: createWallClock(zone), offsetAt: offsetsOf(zone) }));
  // Within hours of a change half of the time.
  const changes = [us('2026-03-29T01:00:00Z'), us('2026-10-25T01:00:00Z'), us('2026-04-04T15:00:00Z')];
  const near = fc.tuple(fc.constantFrom(...changes), fc.integer({ min: -10_800_000, max: 10_800_000 }));
  const moments = fc.oneof(
    near.map(([at, ms]) => at / 1000 + ms),
    fc.integer({ min: Date.UTC(2002, 0), max: Date.UTC(2037, 0) }),
  );
  fc.assert(
    fc.property(moments, fc.constantFrom(...clocks), (ms, { read, offsetAt }) => {
      const wall = ms + offsetAt(ms);
      const { us: found, zone } = read(wall * 1000);
      assert.equal(found / 1000 + offsetAt(found / 1000), wall, 'clocks showed it then');
      assert.notEqual(zone.doubt, 'never');
      if (found / 1000 !== ms) assert.deepEqual([found / 1000 < ms, zone.doubt], [true, 'twice']);
    }),
    { numRuns: 300 },
  );
});

function parse(format: TextFormat, text: string, timezone?: string) {
  const parser = timezone === undefined ? format.create() : format.create(createWallClock(timezone));
  const batch = new FrameBatch();
  parser.parse(Buffer.from(text), batch, true);
  return { t: [...batch.t.subarray(0, batch.count)], foundInfo: parser.foundInfo };
}

test('[F42] [F55] ASC and TRC begin at that moment, and count the time that passed, over a change of the clocks too', () => {
  const asc = 'date Sun Oct 25 01:30:00.000 2026\nbase hex  timestamps absolute\n0.5 1 64 Rx d 0\n7200.5 1 64 Rx d 0\n';
  const begin = us('2026-10-24T23:30:00Z');
  const berlin = parse(ASC, asc, 'Europe/Berlin');
  assert.deepEqual(berlin.t, [begin + 500_000, begin + 7_200_500_000]);
  assert.deepEqual(berlin.foundInfo.zone, { name: 'Europe/Berlin', doubt: null });
  assert.deepEqual(parse(ASC, asc).t[0], us('2026-10-25T01:30:00.5Z'));
  assert.deepEqual(parse(ASC, asc).foundInfo.zone, { name: 'UTC', doubt: null });
  const twice = parse(ASC, asc.replace('01:30', '02:30'), 'Europe/Berlin');
  assert.deepEqual([twice.t[0], twice.foundInfo.zone?.doubt], [us('2026-10-25T00:30:00.5Z'), 'twice']);
  const ours = parse(ASC, `// times are UTC\n${asc}`, 'Europe/Berlin');
  assert.deepEqual(
    [ours.t[0], ours.foundInfo.local_time, ours.foundInfo.zone],
    [us('2026-10-25T01:30:00.5Z'), false, undefined],
  );
  const undated = parse(ASC, 'base hex  timestamps absolute\n0.5 1 64 Rx d 0\n', 'Europe/Berlin');
  assert.deepEqual([undated.t, undated.foundInfo.zone], [[500_000], undefined]);
  const days = (Date.UTC(2026, 6, 1, 12) / 86_400_000 + 25_569).toFixed(10);
  const trc = `;$FILEVERSION=1.1\n;$STARTTIME=${days}\n 1) 500.0 Rx 0064 1 00\n`;
  assert.ok(Math.abs((parse(TRC, trc, 'Europe/Berlin').t[0] ?? 0) - us('2026-07-01T10:00:00.5Z')) < 1_000);
  const oldest = ';   Start time: 01.07.2026 12:00:00.000\n;\n  1)  500  0001  1 00\n';
  assert.equal(parse(TRC, oldest, 'America/Denver').t[0], us('2026-07-01T18:00:00.5Z'));
});
