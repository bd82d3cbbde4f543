import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shareSockets } from '#gateway/sockets.ts';

function listening(open: number) {
  const one = {
    most: 0,
    open: () => open,
    limitSockets(most: number) {
      one.most = most;
    },
  };
  return one;
}

test('[Z8] 64 file handles are reserved for files, devices get four fifths of the rest, and eight pages can always be opened', () => {
  const [broker, loggers, pages] = [listening(10), listening(2), listening(3)];
  const limits = (hasMemory: boolean, handles: { open: number; limit: number } | null) => {
    shareSockets({ broker, loggers, pages }, hasMemory, handles);
    return [broker.most, loggers.most, pages.most];
  };
  assert.deepEqual(limits(true, { open: 100, limit: 1164 }), [10 + 800, 2 + 199, 3 + 199]);
  assert.deepEqual(limits(true, { open: 1100, limit: 1164 }), [10, 2, 3 + 8]);
  assert.deepEqual(limits(true, { open: 1164, limit: 1164 }), [10, 2, 3 + 8]);
  assert.deepEqual(limits(false, { open: 100, limit: 1164 }), [10, 2, 3 + 8]);
  assert.deepEqual(limits(true, null), [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]);
});
