/** The bytes of messages between a site and the cloud. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { handleRequest } from '#domain/sync/cloud.ts';
import type { Push } from '#domain/sync/messages.ts';
import { MOST_BYTES, MOST_TEXT, packFrame } from '#sync/wire/frame.ts';
import { decodeAnswer, decodeRequest, encodeAnswer, encodeRequest } from '#sync/wire/messages.ts';
import { WireError } from '#sync/wire/wire-error.ts';
import { runHistory } from '#test/sim/sync/history.ts';
import type { Bug } from '#test/sim/sync/world.ts';
import { commit } from './arbitraries.ts';

const push = (commits: Push['commits']): Push => ({
  type: 'push',
  gateway: 'gw_a',
  life: { number: 1, token: 'x' },
  token: 't',
  commits,
});

const PROJECT = 'prj_1';
const NOTHING = { text: '', bytes: Buffer.alloc(0), contents: Buffer.alloc(0) };

/** All messages of a history go over the wire. */
const overWire: Bug = {
  handle(tx, env, request) {
    const asked = decodeRequest(encodeRequest({ project: PROJECT, request }));
    assert.deepEqual([asked.project, asked.request.type], [PROJECT, request.type]);
    return decodeAnswer(encodeAnswer(handleRequest(tx, env, asked.request)));
  },
};

/** Calls a function; returns the code of the `WireError` that it throws. Every other error fails the test. */
function codeOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    assert.ok(error instanceof WireError, String(error instanceof Error ? error.stack : error));
    return error.code;
  }
}

test('[Y65] a page is read as it was written, with fields and kinds that this version does not know', () => {
  fc.assert(
    fc.property(fc.array(commit, { maxLength: 4 }), (commits) => {
      const { request, project } = decodeRequest(encodeRequest({ project: PROJECT, request: push(commits) }));
      assert.deepEqual([project, request], [PROJECT, push(commits)]);
      const answer = { type: 'pull', to: { n: 3, chain: 'c' }, commits, more: true } as const;
      assert.deepEqual(decodeAnswer(encodeAnswer(answer)), answer);
    }),
    { numRuns: 300 },
  );
});

test('[Y65] 60 histories with restores, clones and a bad network end in one state when all messages go over the wire', () => {
  for (let seed = 1; seed <= 60; seed++)
    assert.equal(runHistory(seed, 140, overWire).violation, undefined, `seed ${seed}`);
});

test('[Y66] random bytes, changed bytes and cut messages give a named error and nothing else', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      const given = Buffer.from(bytes);
      assert.notEqual(
        codeOf(() => decodeRequest(given)),
        undefined,
      );
      // Bytes that pass the checksum reach the code behind it.
      const framed = Buffer.concat([Buffer.from('HFS\x01\0\0\0\0\0\0\0\0', 'latin1'), given, Buffer.alloc(4)]);
      framed.writeUInt32LE(crc32(framed.subarray(0, -4)), framed.length - 4);
      assert.notEqual(
        codeOf(() => decodeAnswer(framed)),
        undefined,
      );
    }),
    { numRuns: 1_000 },
  );
  fc.assert(
    fc.property(fc.array(commit, { maxLength: 3 }), fc.nat(), fc.integer({ min: 1, max: 255 }), (commits, at, by) => {
      const bytes = encodeRequest({ project: PROJECT, request: push(commits) });
      const changed = Buffer.from(bytes);
      changed[at % bytes.length] = (bytes[at % bytes.length] as number) ^ by;
      assert.notEqual(
        codeOf(() => decodeRequest(changed)),
        undefined,
      );
      assert.notEqual(
        codeOf(() => decodeRequest(bytes.subarray(0, at % bytes.length))),
        undefined,
      );
    }),
    { numRuns: 300 },
  );
});

test('[Y66] a text of the right compression and the wrong form gives a named error', () => {
  const json = fc.oneof(
    fc.json({ maxDepth: 4 }),
    fc
      .tuple(fc.constantFrom('hello', 'push', 'pull', 'give', 'holds', 'digest', 'ok'), fc.jsonValue({ maxDepth: 4 }))
      .map(([type, value]) =>
        JSON.stringify({
          d: 1,
          p: 'p',
          l: ['gw_a.1.x'],
          n: 'AAAA',
          s: ['x'],
          m: { ...(push([]) as object), type, commits: value, parts: value },
        }),
      ),
  );
  fc.assert(
    fc.property(json, (text) => {
      const bytes = packFrame({ ...NOTHING, text });
      codeOf(() => decodeRequest(bytes));
      codeOf(() => decodeAnswer(bytes));
    }),
    { numRuns: 1_000 },
  );
  const codeOfRegisters = (registers: string) => {
    const m = JSON.stringify({
      ...push([]),
      commits: [[0, 0, 2, [['records', 'eq_1', 'equipment', 1, 1, 'HERE']], 1]],
    });
    const text = `{"d":1,"p":"p","n":"C","m":${m.replace('"HERE"', registers)}}`;
    return codeOf(() => decodeRequest(packFrame({ ...NOTHING, text, bytes: Buffer.alloc(16) })));
  };
  assert.equal(codeOfRegisters('[["name",["x"]]]'), undefined);
  assert.equal(codeOfRegisters('[["name",["~~x"]]]'), undefined);
  const deep = `${'['.repeat(10_000)}1${']'.repeat(10_000)}`;
  for (const registers of [
    '[["name"]]',
    '[["name",["x"]],["name",["x"]]]',
    `[["name",[${deep}]]]`,
    '[["_deleted",[5]]]',
    '[["name",["x",1]]]',
    '[["name",["x"],["x"]]]',
    '[["name",["~x8"]]]',
    '[["name",["~x"]]]',
    '[["name",["~ieq_"]]]',
    '[["name",["~jeq_<"]]]',
    '[["name",["~heq_"]]]',
    '[["name",["~b3"]]]',
    '[["name",["~r7"]]]',
    '[["name",["~t"]]]',
    '[["name",["~s"]]]',
    '[["name",["~y"]]]',
  ])
    assert.equal(codeOfRegisters(registers), 'message_damaged', registers.slice(0, 80));
});

test('[Y66] a small message that would become large is refused before it uses the memory', () => {
  const bytes = packFrame({ ...NOTHING, text: ' '.repeat(MOST_TEXT) });
  assert.ok(bytes.length < 100_000);
  assert.equal(
    codeOf(() => packFrame({ ...NOTHING, text: ' '.repeat(MOST_TEXT + 1) })),
    'message_too_large',
  );
  assert.equal(
    codeOf(() => packFrame({ ...NOTHING, bytes: Buffer.alloc(MOST_BYTES) })),
    'message_too_large',
  );
  const contents = packFrame({ ...NOTHING, contents: Buffer.alloc(MOST_TEXT) });
  assert.ok(contents.length < 100_000);
  assert.equal(
    codeOf(() => packFrame({ ...NOTHING, contents: Buffer.alloc(MOST_TEXT + 1) })),
    'message_too_large',
  );
  assert.equal(
    codeOf(() => decodeRequest(Buffer.alloc(MOST_BYTES + 1))),
    'message_too_large',
  );
});

test('[Y67] another version of the protocol is refused by name, and what is no message is not taken for an answer', () => {
  const bytes = encodeAnswer({ type: 'ok', place: 1, quarantined: [] });
  bytes[3] = 9;
  assert.equal(
    codeOf(() => decodeAnswer(bytes)),
    'protocol_unsupported',
  );
  assert.equal(
    codeOf(() => decodeAnswer(Buffer.from('<html>Please sign in to the network</html>'))),
    'not_sync',
  );
});
