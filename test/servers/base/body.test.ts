import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { OperationError } from '#contract/base/errors.ts';
import { PARSE } from '#contract/base/input-words.ts';
import { LIMITS } from '#contract/base/limits.ts';
import { operations } from '#contract/operations.ts';
import { parseJson } from '#servers/base/body.ts';
import { type Issue, parseInPieces } from '#servers/invoke/input-pieces.ts';
import { startRig } from '#test/servers/rig.ts';

const codeOf = (text: string, values?: number): Promise<string> =>
  parseJson(Buffer.from(text), values).then(
    () => 'ok',
    (error: OperationError) => error.code,
  );

/** A list that is read in pieces. */
const long = (items: readonly string[], repeat: number) =>
  `{"a":{"points":[1]},"points":[${Array.from({ length: repeat }, () => items.join(',')).join(' , ')}],"z":[[1,2],{}]}`;

test('[W18] a text is parsed as by JSON.parse, in one piece or in many', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.jsonValue({ maxDepth: 4 }), { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 1, max: 3 }),
      async (items, size) => {
        const texts = items.map((item) => JSON.stringify(item));
        const repeat = Math.ceil((size * 70_000) / texts.join().length);
        const text = long(texts, repeat);
        // Names that stand twice and names that are not allowed have a test of their own.
        const read = await parseJson(Buffer.from(text), 10_000_000).catch((error: unknown) => {
          if (error instanceof OperationError && /the name|more than 32 levels/.test(error.message))
            return JSON.parse(text);
          throw error;
        });
        assert.deepEqual(read, JSON.parse(text));
      },
    ),
    { numRuns: 40 },
  );
});

test('[W18] text that JSON.parse refuses is refused, at any place of a long list', async () => {
  const item = '{"values":{"engine.hours":12.5}}';
  const good = Array.from({ length: 6_000 }, () => item);
  assert.equal(await codeOf(long(good, 1), 100_000), 'ok');
  const wrong = [
    '',
    ' ',
    '{',
    '}',
    '[1',
    '1]',
    '{"a"}',
    '{"a":}',
    "{'a':1}",
    '1 2',
    'nul',
    '"\u0001"',
    '"\\x"',
    '01',
    ',',
    '1}]',
  ];
  for (const text of wrong)
    for (const place of [0, 2_500, 5_999]) {
      const items = good.with(place, text);
      const whole = long(items, 1);
      assert.throws(() => JSON.parse(whole), `${text} at ${place} is JSON`);
      assert.equal(await codeOf(whole, 100_000), 'body_malformed', `${text} at ${place}`);
    }
  for (const whole of [
    long(good, 1).slice(0, -1),
    `${long(good, 1)}]`,
    long(good, 1).replace('"points":[{', '"points"[{'),
  ])
    assert.equal(await codeOf(whole, 100_000), 'body_malformed');
  const bytes = Buffer.from(long(good, 1));
  bytes[100_000] = 0xff;
  await assert.rejects(() => parseJson(bytes, 100_000), { code: 'body_malformed' });
});

test('[W18] a name that occurs twice in one object is refused, also with escapes', async () => {
  for (const text of [
    '{"a":1,"a":1}',
    '{"a":1,"b":{"c":1,"c":2}}',
    '[{"x":{}},{"x":1,"y":2,"x":3}]',
    '{"a":1,"\\u0061":2}',
    '{"\\u00e9":1,"é":2}',
    '{"a\\"b":1,"a\\u0022b":2}',
    '{"":1,"":2}',
    '{"a" : 1 , "a"\n:2}',
  ])
    assert.equal(await codeOf(text), 'body_malformed', text);
  for (const text of [
    '{"a":"a","b":"a"}',
    '{"a":{"a":{"a":1}}}',
    '[{"a":1},{"a":2}]',
    '{"a:":1,"a":",\\"a\\":1"}',
    '{"a":1,"A":2}',
  ])
    assert.deepEqual(await parseJson(Buffer.from(text)), JSON.parse(text), text);
  for (const name of ['__proto__', 'constructor', 'prototype', '\\u005f_proto__'])
    assert.equal(await codeOf(`{"a":[{"${name}":1}]}`), 'body_malformed', name);
});

test('[W19] values, names and levels are counted before the body is parsed', async () => {
  const most = LIMITS.json_values.value;
  const list = (count: number) => `[${Array.from({ length: count }, () => '0').join(',')}]`;
  assert.equal(await codeOf(list(most - 1)), 'ok');
  assert.equal(await codeOf(list(most + 1)), 'payload_too_large');
  assert.equal(await codeOf(`[${'[],'.repeat(most)}[]]`), 'payload_too_large');
  const object = (count: number) => `{${Array.from({ length: count }, (_, i) => `"n${i}":0`).join(',')}}`;
  assert.equal(await codeOf(object(LIMITS.json_names.value)), 'ok');
  assert.equal(await codeOf(object(LIMITS.json_names.value + 1)), 'payload_too_large');
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  assert.equal(await codeOf(nested(LIMITS.depth.value)), 'ok');
  assert.equal(await codeOf(nested(LIMITS.depth.value + 1)), 'body_malformed');
  assert.equal(await codeOf(`"${'['.repeat(100_000)}\\"]]{{,,,:"`), 'ok', 'what stands in a text counts for nothing');
});

test('[W19] validation of a body with hundreds of thousands of faults stops at the first ones', async () => {
  await using rig = await startRig();
  const path = '/api/v1/devices/dev_1/telemetry';
  const headers = { 'content-type': 'application/json' };
  const names = Object.fromEntries(Array.from({ length: 270_000 }, (_, i) => [`k${i}`, 'x']));
  const one = await rig.request('POST', path, { headers, body: JSON.stringify({ points: [{ values: names }] }) });
  assert.equal(one.status, 413);
  const answer = (await one.json()) as { error: { code: string } };
  assert.equal(answer.error.code, 'payload_too_large');
  const values = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`k${i}`, 'x']));
  const many = JSON.stringify({ points: Array.from({ length: 5_000 }, () => ({ values })) });
  const refused = await rig.request('POST', path, { headers, body: many });
  assert.equal(refused.status, 400);
  const { error } = (await refused.json()) as { error: { param: string; details: unknown[] } };
  assert.equal(error.param, 'points[0].values.k0');
  assert.equal(error.details.length, LIMITS.json_faults.value);
});

test('[W19] a large input parsed in pieces equals the result of one parse', () => {
  const { input } = operations.devices_telemetry;
  const point = fc.record(
    {
      observed_at: fc.constantFrom('2026-11-21T06:00:00Z', 'yesterday'),
      ts: fc.oneof(fc.integer(), fc.constant('soon')),
      seq: fc.integer({ min: -1, max: 5 }),
      values: fc.dictionary(
        fc.string({ maxLength: 5 }),
        fc.oneof(fc.double({ noNaN: true }), fc.constant(null), fc.string()),
      ),
    },
    { requiredKeys: [] },
  );
  const body = fc.record({
    id: fc.constantFrom('dev_1', 7),
    points: fc.oneof(fc.array(point, { maxLength: 30 }), fc.array(fc.record({ values: fc.constant({ a: 1 }) }))),
  });
  fc.assert(
    fc.property(body, fc.integer({ min: 1, max: 60 }), (value, times) => {
      const large = { ...value, points: Array.from({ length: times }, () => value.points).flat() };
      const issues: Issue[] = [];
      const steps = parseInPieces(input, large, issues);
      let step = steps.next();
      while (!step.done) step = steps.next();
      const whole = input.safeParse(large, PARSE);
      assert.equal(issues.length, Math.min(LIMITS.json_faults.value, whole.error?.issues.length ?? 0));
      assert.deepEqual(
        issues.map(({ path, code, message }) => ({ path, code, message })),
        (whole.error?.issues ?? []).slice(0, issues.length).map(({ path, code, message }) => ({ path, code, message })),
      );
      if (whole.success) assert.deepEqual(step.value, whole.data);
    }),
    { numRuns: 200 },
  );
});

test('[W19] a list that is too long is refused before its items are validated', () => {
  const issues: Issue[] = [];
  const points = Array.from({ length: 5_001 }, () => 'x');
  const steps = parseInPieces(operations.devices_telemetry.input, { id: 'dev_1', points }, issues);
  let step = steps.next();
  while (!step.done) step = steps.next();
  assert.deepEqual(issues, [{ code: 'too_big', path: ['points'], message: 'must have at most 5000 items' }]);
});
