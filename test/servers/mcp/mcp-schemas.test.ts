import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { type JsonSchema, operationRow, schemaFor, schemaOf } from '#servers/invoke/json-schemas.ts';
import { TOOL_NAMES } from '#servers/mcp/nouns.ts';
import { toolInput, toolOutput } from '#servers/mcp/schemas.ts';
import { createShapes } from '#servers/mcp/shapes.ts';

/** Every schema in a schema, with the name of the field that has it. */
function* nodesOf(node: unknown, key = ''): Generator<{ key: string; node: JsonSchema }> {
  if (typeof node !== 'object' || node === null) return;
  if (Array.isArray(node)) for (const item of node) yield* nodesOf(item, key);
  else {
    yield { key, node: node as JsonSchema };
    for (const [keyword, value] of Object.entries(node)) {
      const named = keyword === 'properties' || keyword === '$defs';
      if (named) for (const [name, child] of Object.entries(value as object)) yield* nodesOf(child, name);
      else yield* nodesOf(value, key);
    }
  }
}

/** What the list says of one side of a tool, with what it says of those that this one refers to. */
function told(name: string, side: 'input' | 'output', seen = new Set<string>()): string {
  if (seen.has(`${name} ${side}`)) return '';
  seen.add(`${name} ${side}`);
  const tool = TOOL_NAMES.find((one) => one === name);
  assert.ok(tool !== undefined, `${name} is referred to and there is no such tool`);
  const text = JSON.stringify(side === 'input' ? toolInput(tool) : toolOutput(tool));
  const others = [...text.matchAll(/\b[Aa]s (?:an item of |in )?(\w+_\w+)( answers| takes it)?\b/g)]
    .filter(([, other]) => TOOL_NAMES.some((one) => one === other))
    .map(([, other = '', how]) => told(other, how === ' takes it' ? 'input' : 'output', seen));
  return [text, ...others].join('\n');
}

function isNullable(schema: JsonSchema): boolean {
  const { type, anyOf = [], enum: values = [] } = schema as { type?: unknown; anyOf?: JsonSchema[]; enum?: unknown[] };
  return [type].flat().includes('null') || values.includes(null) || anyOf.some((one) => one.type === 'null');
}

test('[M4] tools/list has every field, unit and value of inputs and outputs', () => {
  let fields = 0;
  let units = 0;
  for (const name of TOOL_NAMES) {
    for (const side of ['input', 'output'] as const) {
      const text = told(name, side);
      for (const { key, node } of nodesOf(schemaOf(name, side))) {
        if (key !== '' && 'type' in node && !/^[A-Z]/.test(key)) {
          assert.match(text, new RegExp(`\\b${key}\\??"?:`), `${name}: ${key}`);
          fields++;
        }
        const unit = node['x-unit'];
        if (typeof unit === 'string' && !('properties' in node)) {
          assert.ok(text.includes(`Unit: ${unit}.`) || text.includes(`[${unit}]`), `${name}: ${key} in ${unit}`);
          units++;
        }
        for (const value of (node.enum as unknown[] | undefined) ?? [])
          assert.ok(
            [`"${value}"`, `'${value}'`].some((one) => text.includes(one)),
            `${name}: ${key} ${value}`,
          );
      }
    }
  }
  assert.ok(fields > 3_000 && units > 200, `${fields} fields, ${units} units`);
});

test('[M4] tools/list marks required and nullable input, and nullable and absent output', () => {
  for (const name of TOOL_NAMES) {
    const input = schemaOf(name, 'input');
    const headers = operationRow(name).requires?.includes('if-match') ? ['if_match'] : [];
    assert.deepEqual(toolInput(name).required ?? [], [...(input.required ?? []), ...headers], name);
    const takes = toolInput(name).properties as Record<string, JsonSchema>;
    for (const [key, field] of Object.entries(input.properties))
      if (!('$ref' in field)) assert.equal(isNullable(takes[key] ?? {}), isNullable(field), `${name} takes ${key}`);
    const { properties, required = [] } = schemaOf(name, 'output');
    for (const [key, short] of Object.entries(toolOutput(name).properties ?? {})) {
      const { description } = short as { description?: string };
      const full = properties[key] ?? {};
      assert.equal(description?.startsWith('May be absent.') ?? false, !required.includes(key), `${name} ${key}`);
      const text = String(description).includes('|{')
        ? description?.includes('|null')
        : isNullable(short as JsonSchema);
      assert.equal(text, isNullable(full), `${name} answers ${key}`);
    }
  }
});

test('[M4] a model can send every array: its items have a type', () => {
  for (const name of TOOL_NAMES)
    for (const { key, node } of nodesOf(toolInput(name)))
      if ([node.type].flat().includes('array')) assert.ok('items' in node, `${name} ${key}`);
});

test('[M4] a shape as text has absent, null, values, units, shares and descriptions', () => {
  const Point = z.object({ at: z.iso.datetime(), kpa: z.number().nullable().meta({ unit: 'kPa' }) });
  const Share = z.number().min(0).max(1).meta({ description: 'Of the whole.' });
  const Long = z.object({ first_of_them: z.string(), second_of_them: z.string(), third_of_them: z.string() });
  const { properties, $defs } = schemaFor(
    z.object({
      a: z.object({
        state: z.enum(['on', 'off']).nullable(),
        points: z.array(Point).optional(),
        mixed: z.array(z.union([z.string(), z.int()])),
        share: Share,
        by_name: z.record(z.string(), z.int()),
        free: z.record(z.string(), z.unknown()),
        one: Long,
        other: z.array(Long).nullable(),
        again: Long.nullable(),
        elsewhere: z.object({ x: z.string() }).meta({ id: 'ShapeElsewhere' }),
      }),
    }),
  ) as { properties: Record<string, JsonSchema>; $defs: Record<string, JsonSchema> };
  const shapeOf = createShapes(
    $defs,
    (noun) => (noun === 'ShapeElsewhere' ? 'as x_get answers' : undefined),
    new Set(),
  );
  assert.equal(
    shapeOf('a', properties.a ?? {}),
    "{state: 'on'|'off'|null, points?: {at: time, kpa: number|null [kPa]}[], mixed: (string|integer)[], " +
      'share: number [0..1] (Of the whole), by_name: {[name]: integer}, free: object, ' +
      'one: {first_of_them: string, second_of_them: string, third_of_them: string}, ' +
      'other: {first_of_them: string, second_of_them: string, third_of_them: string}[]|null, ' +
      'again: {first_of_them: string, second_of_them: string, third_of_them: string}|null, ' +
      'elsewhere: as x_get answers}',
  );
  const repeated = schemaFor(z.object({ one: z.object({ x: Long, y: Long }), z: Long }));
  const of = createShapes({}, () => undefined, new Set());
  const { one = {}, z: last = {} } = repeated.properties as Record<string, JsonSchema>;
  assert.match(of('one', one), /^\{x: \{first_of_them.*\}, y: as one\.x\}$/);
  assert.equal(of('z', last), 'as one.x');
});
