import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fold } from '#ingest/fold/fold.ts';
import { createState } from '#ingest/fold/fold-state.ts';
import { createSources } from '#ingest/fold/sources.ts';
import { createFoldGroups } from '#ingest/fold-groups.ts';
import {
  definitionText,
  type RecordReader,
  recordLength,
  writeDefinition,
  writeMessage,
} from '#ingest/journal/record.ts';
import type { Group } from '#ingest/journal/segment-file.ts';
import { createQueuedActions } from '#ingest/queued-actions.ts';

const identity = { device: 'dev_a', project_id: 'prj', device_id: 'a' };

/** A group with messages of these lengths. */
function groupOf(lengths: readonly number[]): Group {
  const text = definitionText(identity, null);
  const body = Buffer.alloc(lengths.reduce((sum, length) => sum + recordLength(length), recordLength(text.length)));
  let at = writeDefinition(body, 0, 0, text);
  for (const length of lengths)
    at = writeMessage(body, at, 0, {
      ...identity,
      topic: 'telemetry',
      payload: Buffer.alloc(length),
      received_at_ms: 1,
    });
  return { segment: 1, start: 0, records: lengths.length + 1, body };
}

test('[I54] folding a group yields between two messages, at least once per 4 KiB plus one message', () => {
  const folded: number[] = [];
  const groups = createFoldGroups({
    actions: createQueuedActions(),
    sources: createSources(),
    firstSegment: 1,
    log: () => {},
  });
  const fold = { message: ({ payload }: RecordReader) => folded.push(payload.length) } as unknown as Fold;
  groups.begin(createState(0), fold);
  const lengths = [...Array.from({ length: 300 }, (_, i) => i * 7), 200_000, 0, 0];
  let before = 0;
  let pieces = 0;
  for (const _piece of groups.take(groupOf(lengths), 0)) {
    const piece = folded.slice(before);
    assert.ok(piece.slice(0, -1).reduce((sum, length) => sum + length, 0) <= 4_096);
    before = folded.length;
    pieces++;
  }
  assert.deepEqual(folded, lengths);
  assert.ok(pieces > 60, `${pieces} pieces`);
  assert.equal(groups.taken, lengths.length);
});
