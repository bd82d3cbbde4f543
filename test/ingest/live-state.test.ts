import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CurrentFold } from '#ingest/fold/current-fold.ts';
import { type Changed, createLiveState } from '#ingest/live/live-state.ts';
import type { StoreWriter } from '#ingest/writer/store-writer.ts';

test('[I54] watchers are called once at the end of a short round of the fold, and every 20 ms in a long one', () => {
  let now = 1_000;
  let changed: string[] = [];
  const fold = {
    take: () => {
      const equipment = new Set(changed);
      changed = [];
      return { equipment, devices: new Set<string>() };
    },
  };
  const live = createLiveState({
    current: { fold } as unknown as CurrentFold,
    writer: { add() {} } as Pick<StoreWriter, 'add'>,
    devicesOf: () => [],
    intervalOf: () => null,
    signalIntervalsOf: () => ({}),
    monotonic: () => now,
  });
  const heard: string[][] = [];
  live.watch((moved: Changed) => heard.push([...moved.equipment]));
  const slice = (machine: string, ms: number) => {
    now += ms;
    changed.push(machine);
    live.publish('soon');
  };

  now += 200;
  live.begin();
  slice('a', 5);
  slice('b', 5);
  assert.deepEqual(heard, []);
  live.publish('now');
  assert.deepEqual(heard.splice(0), [['a', 'b']]);

  now += 200;
  live.begin();
  slice('a', 15);
  slice('b', 15);
  assert.deepEqual(heard.splice(0), [['a', 'b']]);
  slice('c', 5);
  live.publish('now');
  assert.deepEqual(heard, [['c']]);
});
