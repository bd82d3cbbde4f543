import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationError } from '#contract/base/errors.ts';
import type { OperationName } from '#contract/operations.ts';
import { parseInput } from '#servers/invoke/input.ts';
import { faultOf } from '#servers/invoke/input-values.ts';
import { type JsonSchema, schemaOf, TABLE } from '#servers/invoke/json-schemas.ts';
import { addMachine, connectDevice, eventually, startGateway } from '#test/support/gateway.ts';

type Defs = Readonly<Record<string, JsonSchema>>;

/** Inputs that hold nothing but `value`, one for each place of this operation where `wanted` fits the schema. */
function* places(
  schema: JsonSchema | undefined,
  defs: Defs,
  wanted: (schema: JsonSchema) => unknown,
): Generator<unknown> {
  if (schema === undefined) return;
  if (typeof schema.$ref === 'string') yield* places(defs[schema.$ref.slice('#/$defs/'.length)], defs, wanted);
  for (const option of (schema.anyOf ?? []) as JsonSchema[]) yield* places(option, defs, wanted);
  const value = wanted(schema);
  if (value !== undefined) yield value;
  for (const [name, field] of Object.entries((schema.properties ?? {}) as Defs))
    for (const inner of places(field, defs, wanted)) yield { [name]: inner };
  if (typeof schema.items === 'object')
    for (const inner of places(schema.items as JsonSchema, defs, wanted)) yield [inner];
  if (typeof schema.additionalProperties === 'object')
    for (const inner of places(schema.additionalProperties as JsonSchema, defs, wanted)) yield { key: inner };
  if (typeof schema.propertyNames === 'object')
    for (const inner of places(schema.propertyNames as JsonSchema, defs, wanted)) yield { [String(inner)]: 1 };
}

/** Calls back for each such input of every operation. */
function everywhere(wanted: (schema: JsonSchema) => unknown, check: (name: OperationName, input: unknown) => void) {
  let count = 0;
  for (const name of TABLE.keys()) {
    const schema = schemaOf(name, 'input');
    for (const input of places(schema, schema.$defs ?? {}, wanted)) {
      count++;
      check(name, input);
    }
  }
  return count;
}

const refused = (name: OperationName, input: unknown) => {
  const schema = schemaOf(name, 'input');
  return faultOf(input, schema, schema.$defs ?? {}) !== undefined;
};

test('[H30] in every operation every time and day outside the years 1970 to 9999 is refused', () => {
  const bad = {
    date: ['0000-01-01', '0001-01-01', '0099-12-31', '1969-12-31'],
    'date-time': [
      '0000-01-01T00:00:00Z',
      '0099-06-01T00:00:00+14:00',
      '1969-12-31T23:59:59.999Z',
      '1970-01-01T00:00:00+01:00',
      '9999-12-31T23:59:59-12:00',
      `2026-11-21T06:00:00.${'0'.repeat(100)}Z`,
    ],
  };
  const good = {
    date: ['1970-01-01', '9999-12-31'],
    'date-time': ['1970-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z'],
  };
  for (const [times, wanted] of [
    [bad, true],
    [good, false],
  ] as const)
    for (const format of ['date', 'date-time'] as const)
      for (const time of times[format]) {
        const count = everywhere(
          (schema) => (schema.format === format ? time : undefined),
          (name, input) => assert.equal(refused(name, input), wanted, `${name} ${JSON.stringify(input)}`),
        );
        assert.ok(count >= (format === 'date' ? 5 : 100), `${count} places of ${format}`);
      }
});

test('[H31] every operation refuses control characters, half surrogate pairs and names without visible characters', () => {
  const isText = ({ type, format, maxLength }: JsonSchema) =>
    type === 'string' && format === undefined && !(typeof maxLength === 'number' && maxLength > 65_536);
  const isName = (schema: JsonSchema) =>
    isText(schema) && typeof schema.maxLength === 'number' && schema.maxLength <= 200;
  for (const text of ['a\0b', '\u001b[2J', 'a\u007f', 'a\u0085', '\ud800', 'a\udc00b']) {
    const count = everywhere(
      (schema) => (isText(schema) ? text : undefined),
      (name, input) => assert.ok(refused(name, input), `${name} ${JSON.stringify(input)}`),
    );
    assert.ok(count > 500, `${count} texts`);
  }
  for (const text of ['HT\n14', 'HT\t14', 'HT\u202e14', 'HT\u2028'])
    everywhere(
      (schema) => (isName(schema) ? text : undefined),
      (name, input) => assert.ok(refused(name, input), `${name} ${JSON.stringify(input)}`),
    );
  for (const text of ['\u200b', ' \ufeff ', '\u3164\u00ad'])
    everywhere(
      (schema) => (isName(schema) && Number(schema.minLength) > 0 ? text : undefined),
      (name, input) => assert.ok(refused(name, input), `${name} ${JSON.stringify(input)}`),
    );
  for (const text of ['HT-14', 'Grúa 3 – Süd', '钻机', '👷🏽‍♀️', 'نرم‌افزار'])
    everywhere(
      (schema) => (isText(schema) ? text : undefined),
      (name, input) => assert.ok(!refused(name, input), `${name} ${JSON.stringify(input)}`),
    );
});

test('[H31] the error names the path, also in maps and long lists, and descriptions may have several lines', async () => {
  const create = (more: object) => parseInput('equipment_append_event', { id: 'eq_1', type: 'note', ...more });
  const param = (wanted: string) => (error: OperationError) =>
    error.code === 'parameter_invalid' && error.param === wanted && error.message.isWellFormed();
  await assert.rejects(create({ data: { a: [{ b: 'x\0' }] } }), param('data.a[0].b'));
  await assert.rejects(create({ data: { 'x\u001b': 1 } }), param('data.x\ufffd'));
  await assert.rejects(create({ data: { '\ud800': 1 } }), param('data.\ufffd'));
  const points = Array.from({ length: 3_000 }, (_, i) => ({ values: { [i === 2_000 ? 'a\0' : 'a']: 1 } }));
  await assert.rejects(parseInput('devices_telemetry', { id: 'dev_1', points }), param('points[2000].values.a\ufffd'));
  const text = 'first\n\tsecond\r\n';
  assert.deepEqual((await create({ data: { text } })).data, { text });
});

test('[H30] no time in a request or of a device causes a 500', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'Pit', timezone: 'Asia/Kolkata' });
  const client = gateway.project(project.id);
  const { id: location_id } = await client.call('locations_create', { name: 'North' });
  const machine = await addMachine(client, 'HT-1');
  const get = async (path: string) =>
    (await fetch(`${gateway.node.http}/api/v1${path}`, { headers: client.headers() })).status;
  for (const year of ['0000', '0001', '0050', '0099', '0100', '1969', '9999', '10000', '-00001'])
    for (const shift of ['day', 'night']) {
      const path = `/shift-reports/draft?location_id=${location_id}&shift=${shift}&date=${year}-01-01`;
      assert.equal(await get(path), 400, path);
    }
  assert.equal(await get(`/shift-reports/draft?location_id=${location_id}&shift=day&date=1970-01-01`), 200);
  for (const time of ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59-12:00'])
    for (const filter of ['created_after', 'created_before', 'updated_after', 'updated_before'])
      assert.equal(await get(`/equipment?${filter}=${time}`), 400);
  // What a device says over MQTT is refused by the fold, and its log is still read.
  const mqtt = await connectDevice(gateway.node.mqttPort, machine);
  const publish = (event: object) =>
    mqtt.publishAsync(`v1/devices/${machine.device_id}/events`, JSON.stringify(event), { qos: 1 });
  for (const occurred_at of [8.64e15, 1e300, -1, '0001-01-01T00:00:00Z', '9999-12-31T23:59:59-12:00'])
    await publish({ type: 'x.odd', occurred_at });
  await publish({ type: 'x.last' });
  const { data } = await eventually(
    () => client.call('devices_events', { id: machine.device }),
    (log) => log.data.some(({ type }) => type === 'x.last'),
  );
  assert.equal(data.filter(({ type }) => type === 'x.odd').length, 0);
  await mqtt.endAsync();
});
