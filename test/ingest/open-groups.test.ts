/** Groups in the making alone: where one ends, who makes it go at once, and what stands in it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { IngestMessage } from '#contract/fleet/ingest.ts';
import { type OpenGroup, OpenGroups } from '#ingest/journal/open-groups.ts';
import { definitionText, RecordReader, recordLength } from '#ingest/journal/record.ts';

function message(
  device: string,
  payload: Uint8Array = Buffer.alloc(0),
  more: Partial<IngestMessage> = {},
): IngestMessage {
  const identity = { device: `dev_${device}`, device_id: device, project_id: 'prj' };
  return { ...identity, topic: 'can', payload, received_at_ms: 1_800_000_000_000, ...more };
}

/** Bytes of the definition of a device that is on no machine. */
const defined = (device: string) => recordLength(definitionText(message(device), null).length);

/** Everything that was put and not taken yet, a list for each segment. */
function takeAll(making: OpenGroups): OpenGroup[][] {
  making.close();
  const all: OpenGroup[][] = [];
  for (let batch = making.take(); batch.length > 0; batch = making.take()) all.push(batch);
  return all;
}

const MIB = 1 << 20;

test('[I1] a group is closed at 1 MiB, and accepts a message while it has at least one byte less', () => {
  for (const [missing, groups] of [
    [0, 2],
    [1, 1],
  ] as const) {
    const making = new OpenGroups(1, () => 0);
    making.put(message('a', Buffer.alloc(MIB - missing - recordLength(0) - defined('a'))), null);
    making.put(message('a'), null);
    const [batch = []] = takeAll(making);
    assert.equal(batch.length, groups);
    assert.equal(batch[0]?.length, MIB - missing + (groups === 1 ? recordLength(0) : 0));
    assert.equal(making.held, MIB - missing + recordLength(0));
    assert.equal(making.offset, making.held);
  }
});

test('[I1] the records of a group, including definitions, never exceed the count that its head can store', () => {
  const making = new OpenGroups(1, () => 0);
  for (let i = 0; i < 65_532; i++) making.put(message('a'), null);
  making.put(message('b'), null);
  making.put(message('a'), null);
  const [batch = []] = takeAll(making);
  assert.deepEqual(
    batch.map(({ records, messages }) => [records, messages]),
    [
      [65_535, 65_533],
      [1, 1],
    ],
  );
});

test('[I10] a group is written at once for the eighth unacknowledged message of a sender, and for a message marked as waited for', () => {
  const making = new OpenGroups(1, () => 0);
  assert.equal(making.urgent, false);
  for (let i = 0; i < 7; i++) making.put(message('a'), null);
  making.put(message('b'), null);
  assert.equal(making.urgent, false);
  making.put(message('a'), null);
  assert.equal(making.urgent, true);
  making.urgent = false;
  making.close();
  for (let i = 0; i < 7; i++) making.put(message('a'), null);
  assert.equal(making.urgent, false, 'counted anew in each group');
  making.put(message('c', Buffer.alloc(0), { waits: true }), null);
  assert.equal(making.urgent, true);
});

test('[I10] a group is written at once after two answers in a row within less than 10 ms each', () => {
  const urgentAfter = (...pauses: number[]) => {
    let now = 5;
    const making = new OpenGroups(1, () => now);
    const told: boolean[] = [];
    making.put(message('a'), null);
    for (const ms of pauses) {
      making.urgent = false;
      for (const group of takeAll(making).flat()) making.acknowledge(group, now);
      now += ms;
      making.put(message('a'), null);
      told.push(making.urgent);
    }
    return told;
  };
  assert.deepEqual(urgentAfter(9, 9), [false, true]);
  assert.deepEqual(urgentAfter(9, 10, 9), [false, false, false]);
  // Eight answers are the most that count: halved three times, one is left.
  const many = Array<number>(20).fill(1);
  assert.deepEqual(urgentAfter(...many, 10, 10, 10).slice(-3), [true, true, false]);
});

test('[I5] the groups of one segment are taken together, and the first group of a segment defines its devices again', () => {
  const making = new OpenGroups(4, () => 0);
  making.close();
  assert.deepEqual([making.isEmpty, making.isOpen, making.take()], [true, false, []]);
  making.put(message('a'), null);
  assert.deepEqual([making.isEmpty, making.isOpen], [false, true]);
  making.close();
  assert.deepEqual([making.isEmpty, making.isOpen], [false, false]);
  making.put(message('a'), 'eq_1');
  making.put(message('b'), 'eq_1');
  making.put(message('a'), 'eq_1');
  making.rotate = true;
  making.put(message('b'), null);
  assert.equal(making.segment, 4, 'an open group stays in its segment');
  making.close();
  making.put(message('b', Buffer.alloc(9)), null);
  const batches = takeAll(making);
  assert.deepEqual(
    batches.map((batch) => batch.map(({ segment, start, records, messages }) => [segment, start, records, messages])),
    [[[4, 0, 2, 1], [4, defined('a') + recordLength(0), 8, 4].map((n, i) => (i === 2 ? 7 : n))], [[5, 0, 2, 1]]],
  );
  assert.deepEqual([making.rotate, making.offset], [false, defined('b') + recordLength(9)]);
  const reader = new RecordReader();
  const read: unknown[] = [];
  for (const { segment, start, buffer, length } of batches.flat()) {
    reader.open(segment, start, buffer.subarray(0, length));
    while (reader.next()) read.push([reader.segment, reader.device.device_id, reader.machine]);
  }
  assert.deepEqual(read, [
    [4, 'a', null],
    [4, 'a', 'eq_1'],
    [4, 'b', 'eq_1'],
    [4, 'a', 'eq_1'],
    [4, 'b', null],
    [5, 'b', null],
  ]);
  assert.equal(reader.broken, 0);
});

test('[I4] a segment with a full device table is closed, so that no device gets the number of another one', () => {
  const making = new OpenGroups(1, () => 0);
  const names = Array.from({ length: 65_600 }, (_, i) => String(i));
  const sent = [...names, '0', '64', '65535'];
  for (const name of sent) making.put(message(name), null);
  const reader = new RecordReader();
  const read: string[] = [];
  const segments = new Set<number>();
  for (const { segment, start, buffer, length } of takeAll(making).flat()) {
    segments.add(segment);
    reader.open(segment, start, buffer.subarray(0, length));
    while (reader.next()) read.push(reader.device.device_id);
  }
  assert.ok(read.every((name, i) => name === sent[i]));
  assert.deepEqual([read.length, reader.broken, [...segments]], [sent.length, 0, [1, 2]]);
});

test('[I9] a refused group rejects its waiting senders, frees its bytes, and the next segment defines no device', async () => {
  const making = new OpenGroups(1, () => 0);
  const promises = [making.put(message('a'), null)];
  making.close();
  promises.push(making.put(message('a'), null));
  making.close();
  // Nobody listens to this one.
  making.put(message('b'), null);
  const error = new Error('no space');
  making.refuseAll(error);
  making.startSegment(2);
  assert.deepEqual(
    (await Promise.allSettled(promises)).map((one) => one.status === 'rejected' && one.reason === error),
    [true, true],
  );
  assert.deepEqual([making.held, making.isEmpty, making.segment, making.offset], [0, true, 2, 0]);
  const done = making.put(message('a'), null);
  const [[group] = []] = takeAll(making);
  assert.ok(group);
  assert.deepEqual([group.segment, group.start, group.records], [2, 0, 2]);
  making.acknowledge(group, 0);
  await done;
  assert.equal(making.held, 0);
});

test('[I7] the buffer of a group begins at 1.5 times the size of the last group, between 1 KiB and 1 MiB, and grows', () => {
  const making = new OpenGroups(1, () => 0);
  const roomAfter = (bytes: number) => {
    making.put(message('a', Buffer.alloc(bytes)), null);
    making.close();
    making.put(message('a'), null);
    const room = making.take();
    making.close();
    const [next] = making.take();
    return [room[0]?.length, next?.buffer.length];
  };
  making.put(message('a'), null);
  assert.equal(takeAll(making)[0]?.[0]?.buffer.length, 32_768);
  const [first = 0, next] = roomAfter(20_000);
  assert.deepEqual([first, next], [20_000 + recordLength(0), first + (first >> 1)]);
  assert.equal(roomAfter(10)[1], 1_024);
  assert.equal(roomAfter(900_000)[1], MIB);
});
