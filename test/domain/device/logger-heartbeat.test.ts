import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readHeartbeat } from '#domain/device/logger-heartbeat.ts';

const read = (value: unknown) => readHeartbeat(Buffer.from(JSON.stringify(value)));

test('[A363] a heartbeat gives its flat fields, firmware and hardware under the names of all devices', () => {
  assert.deepEqual(
    read({ id: 'FCBF0606', fw_ver: '01.09.01', hw_ver: '00.03', space: 7572, on: true, nested: {}, list: [] }),
    {
      firmware: '01.09.01',
      hardware: '00.03',
      fw_ver: '01.09.01',
      hw_ver: '00.03',
      id: 'FCBF0606',
      space: 7572,
      on: true,
    },
  );
  // what a status message means something by is not taken from a file
  assert.deepEqual(read({ status: 'fault', buffer_depth: 1, rtt_ms: 1 }), {});
});

test('[A363] an invalid heartbeat gives undefined, and a large one is shortened', () => {
  for (const none of ['', 'text', '[1]', 'null', '"x"', '{"__proto__": 1}', '{'])
    assert.equal(readHeartbeat(Buffer.from(none)), undefined, none);
  assert.equal(readHeartbeat(Buffer.from([0xff, 0xfe])), undefined);
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.double(), fc.boolean(), fc.anything()), { maxKeys: 200 }),
      (value) => {
        const found = read(value);
        if (found === undefined) return;
        assert.ok(Object.keys(found).length <= 60);
        assert.ok(Buffer.byteLength(JSON.stringify({ ...found, status: 'online' })) < 4_096);
        for (const one of Object.values(found)) assert.ok(typeof one !== 'object');
      },
    ),
  );
});
