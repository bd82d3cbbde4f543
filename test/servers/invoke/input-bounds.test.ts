/** Every collection that a caller sends has a bound, in the schema and in what is refused. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationName } from '#contract/operations.ts';
import { type JsonSchema, operationRow, schemaOf, TABLE } from '#servers/invoke/json-schemas.ts';

type Defs = Readonly<Record<string, JsonSchema>>;
/** A schema at its place in an input: names, and the numbers of items. */
interface Place {
  readonly schema: JsonSchema;
  readonly path: readonly (string | number)[];
  /** True within JSON of any kind whose size is bounded as a whole. */
  readonly measured: boolean;
}

function* placesOf(schema: JsonSchema, defs: Defs, path: Place['path'], measured = false): Generator<Place> {
  if (typeof schema.$ref === 'string') {
    yield* placesOf(defs[schema.$ref.slice('#/$defs/'.length)] ?? {}, defs, path, measured);
    return;
  }
  yield { schema, path, measured };
  for (const option of [...((schema.anyOf ?? schema.oneOf ?? []) as JsonSchema[])])
    yield* placesOf(option, defs, path, measured);
  for (const [name, field] of Object.entries((schema.properties ?? {}) as Defs))
    yield* placesOf(field, defs, [...path, name], measured);
  const within = measured || 'x-max-json' in schema;
  // A tuple is as long as its parts.
  if (typeof schema.items === 'object' && schema.prefixItems === undefined)
    yield* placesOf(schema.items as JsonSchema, defs, [...path, 0], within);
  if (typeof schema.additionalProperties === 'object')
    yield* placesOf(schema.additionalProperties as JsonSchema, defs, [...path, 'key'], within);
}

function* everyPlace(): Generator<Place & { name: OperationName }> {
  for (const name of TABLE.keys()) {
    const schema = schemaOf(name, 'input');
    for (const place of placesOf(schema, schema.$defs ?? {}, [])) yield { name, ...place };
  }
}

/** Formats that end; of times [H30] sees to it. */
const FORMATS: ReadonlySet<string> = new Set(['date', 'date-time', 'cidrv4', 'cidrv6']);

/** A pattern whose matches have a greatest length: quantifiers with an end only. */
function isEndingPattern(pattern: unknown): boolean {
  return (
    typeof pattern === 'string' &&
    /^\^.*\$$/s.test(pattern) &&
    !/[*+]|\{\d+,\}/.test(pattern.replace(/\\./g, 'x').replace(/\[[^\]]*\]/g, 'x'))
  );
}

test('[H32] every list, map and text of every operation has a limit in its schema', () => {
  const count = { array: 0, map: 0, text: 0 };
  for (const { name, schema, path, measured } of everyPlace()) {
    const where = `${name} ${path.join('.')} ${JSON.stringify(schema).slice(0, 200)}`;
    const { type, enum: words, format } = schema;
    if (type === 'array') {
      count.array++;
      assert.equal(typeof schema.maxItems, 'number', where);
    } else if (type === 'object' && schema.properties === undefined) {
      count.map++;
      assert.equal(typeof schema.maxProperties, 'number', where);
      assert.ok(typeof (schema.propertyNames as JsonSchema).maxLength === 'number', where);
    } else if (type === 'string' && words === undefined && schema.const === undefined && !FORMATS.has(String(format))) {
      count.text++;
      const bound = typeof schema.maxLength === 'number' || isEndingPattern(schema.pattern);
      assert.ok(bound, where);
    } else if (type === undefined && schema.anyOf === undefined && schema.oneOf === undefined)
      assert.ok(
        measured || words !== undefined || schema.const !== undefined,
        `JSON of any kind without a bound: ${where}`,
      );
  }
  assert.ok(count.array > 60 && count.map > 25 && count.text > 500, JSON.stringify(count));
});

/** An input that holds `value` at this path and nothing else. */
const inputWith = (path: Place['path'], value: unknown): unknown =>
  path.reduceRight<unknown>((inner, step) => (step === 0 ? [inner] : { [step]: inner }), value);

test('[H32] a value at the limit is accepted, and one above it is refused with its path', () => {
  let tried = 0;
  for (const { name, schema, path } of everyPlace()) {
    const faults = (value: unknown) =>
      (operationRow(name).input.safeParse(inputWith(path, value)).error?.issues ?? []).filter(
        (issue) =>
          issue.path.join('.') === path.join('.') &&
          (issue.code === 'too_big' || (issue.code === 'custom' && /at most$/.test(issue.message))),
      );
    const list = (length: number) => Array.from({ length }, () => null);
    const map = (length: number) => Object.fromEntries(Array.from({ length }, (_, i) => [`k${i}`, 1]));
    const make = schema.type === 'array' ? list : schema.maxProperties === undefined ? undefined : map;
    // Checks of a whole run where its parts fit: numbers do in maps of numbers and of any JSON.
    const inner = schema.additionalProperties as JsonSchema | undefined;
    // What a fence takes depends on its type: [A104].
    if (path[0] === 'geofence') continue;
    if (make === undefined || (make === map && inner?.type !== undefined && inner.type !== 'number')) continue;
    const most = Number(schema.maxItems ?? schema.maxProperties);
    tried++;
    assert.equal(faults(make(most + 1)).length, 1, `${name} ${path.join('.')} takes more than ${most}`);
    assert.equal(faults(make(most)).length, 0, `${name} ${path.join('.')} refuses ${most}`);
  }
  assert.ok(tried > 60, `${tried} collections`);
});
