import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { EVENT_KINDS } from '#contract/base/event.ts';
import type { Role } from '#contract/base/roles.ts';
import { ROLES } from '#contract/base/roles.ts';
import type { OperationName } from '#contract/operations.ts';
import { TOOL_WORDS } from '#contract/tool-words.ts';
import { takesIdempotencyKey } from '#servers/invoke/catalog.ts';
import { type JsonSchema, operationRow, schemaFor, schemaOf } from '#servers/invoke/json-schemas.ts';
import { PROFILES, type Profile } from '#servers/mcp/profiles.ts';
import { createShapes, resolve, withoutNull } from '#servers/mcp/shapes.ts';
import { COMMON_WORDS } from '#servers/mcp/tool-input.ts';
import { TOOL_NAMES, toolList } from '#servers/mcp/tools.ts';
import { type Facts, toolChoice } from '#test/proof/agent-script.ts';

const listOf = (profile: Profile, role: Role = 'owner') => toolList({ role }, () => true, profile);

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

/** What a list says of a tool, with what it says of the tools that this one refers to. */
function told(profile: Profile, name: string): string {
  const tools = new Map(listOf(profile).map((tool) => [tool.name, JSON.stringify(tool)]));
  const text = tools.get(name) ?? '';
  const others = [...text.matchAll(/\bas in (\w+_\w+)\./gi)].map(([, other = '']) => {
    assert.ok(tools.has(other), `${name} refers to ${other}, which is not in the list ${profile}`);
    return tools.get(other);
  });
  return [text, ...others].join('\n');
}

test('[M4] the default list has at most 60 KB, and no list of any role has more than 90 KB', () => {
  for (const role of ROLES)
    for (const profile of PROFILES) {
      const bytes = Buffer.byteLength(JSON.stringify({ tools: listOf(profile, role) }));
      assert.ok(bytes <= (profile === 'default' ? 60_000 : 90_000), `${role} ${profile}: ${bytes} bytes`);
    }
});

test('[M13] the default list has every tool of the specification, and the list `all` has every tool', () => {
  const names = listOf('default').map(({ name }) => name);
  for (const name of TOOL_NAMES) if (operationRow(name).source === 'spec') assert.ok(names.includes(name), name);
  assert.deepEqual(
    listOf('all').map(({ name }) => name),
    TOOL_NAMES,
  );
  for (const profile of PROFILES) assert.ok(listOf(profile).length > 30, profile);
});

test('[M4] every list names each parameter, unit and value, or the server instructions do', () => {
  let units = 0;
  for (const profile of PROFILES)
    for (const tool of listOf(profile)) {
      const name = tool.name as OperationName;
      const text = told(profile, name);
      const { properties, $defs = {} } = schemaOf(name, 'input');
      for (const [key, field] of Object.entries(properties)) {
        if (
          key === 'as' ||
          (/^source/.test(key) && name !== 'equipment_append_event') ||
          (profile === 'all' && /^source/.test(key))
        )
          continue;
        const instructed =
          COMMON_WORDS.includes(`\`${key}\``) || (key === 'context' && COMMON_WORDS.includes('context.media'));
        assert.ok(text.includes(`"${key}":`) || instructed, `${profile} ${name}: ${key}`);
        if (!text.includes(`"${key}":`)) continue;
        const from = operationRow(name).inputFrom?.[key] as OperationName | undefined;
        if (from !== undefined && text.includes(`As ${from} returns it.`)) {
          const answer = Object.keys(schemaOf(from, 'output').properties);
          for (const part of Object.keys(resolve(withoutNull(field).node, $defs).properties ?? {}))
            assert.ok(answer.includes(part), part);
          continue;
        }
        for (const { node } of nodesOf({ field, $defs: '$ref' in field ? $defs : {} })) {
          const unit = node['x-unit'];
          if (typeof unit === 'string' && unit !== '1' && !('properties' in node)) {
            assert.ok(
              text.includes(`Unit: ${unit}.`) || text.includes(`[${unit}]`),
              `${profile} ${name}: ${key} ${unit}`,
            );
            units++;
          }
          for (const value of (node.enum as unknown[] | undefined) ?? [])
            assert.ok(
              [`"${value}"`, `'${value}'`].some((one) => text.includes(one)) || instructed,
              `${profile} ${name}: ${key} ${value}`,
            );
        }
      }
    }
  assert.ok(units > 100, `${units} units`);
});

test('[M4] a tool takes what its operation requires; arrays have items; schemas have no references', () => {
  for (const profile of PROFILES)
    for (const tool of listOf(profile)) {
      const name = tool.name as OperationName;
      const { required = [] } = schemaOf(name, 'input');
      const headers = operationRow(name).requires?.includes('if-match') ? ['if_match'] : [];
      const wanted = [...required.filter((key) => key !== 'project_id'), ...headers];
      assert.deepEqual(tool.inputSchema.required ?? [], wanted, name);
      for (const key of wanted) assert.ok(key in (tool.inputSchema.properties ?? {}), `${name} ${key}`);
      for (const { key, node } of nodesOf(tool.inputSchema))
        if ([node.type].flat().includes('array')) assert.ok('items' in node, `${name} ${key}`);
      assert.ok(!JSON.stringify(tool).includes('$ref'), name);
    }
});

test('[M1] every tool of a list names project_id, and every write idempotency_key; for the list `all` the instructions do', () => {
  for (const profile of PROFILES.filter((one) => one !== 'all'))
    for (const { name, inputSchema } of listOf(profile)) {
      const takes = Object.keys(inputSchema.properties ?? {});
      assert.ok(takes.includes('project_id'), name);
      assert.equal(takes.includes('idempotency_key'), takesIdempotencyKey(name as OperationName), name);
    }
  assert.match(COMMON_WORDS, /Every tool takes `project_id`.*Every write takes `idempotency_key`/);
});

test('[M14] every tool says what it is for, and when another tool fits better or what comes next', () => {
  for (const { name, description = '' } of listOf('all')) {
    assert.ok(TOOL_WORDS[name as OperationName] !== undefined, `${name} has no words for agents`);
    assert.ok(description.length >= 40, `${name}: ${description}`);
  }
  for (const [name, words] of Object.entries(TOOL_WORDS)) {
    assert.ok(
      TOOL_NAMES.some((one) => one === name),
      `${name} is no tool`,
    );
    for (const [other] of words.matchAll(
      /\b[a-z]+(?:_[a-z]+)*_(?:create|list|get|update|delete|events|run|test|link|draft|setup|read|diagnosis)\b/g,
    ))
      assert.ok(
        TOOL_NAMES.some((one) => one === other),
        `${name} names ${other}, which is no tool`,
      );
  }
});

test('[M14] an agent that reads only names and descriptions finds the tool for a task', () => {
  const choose = toolChoice(listOf('default'));
  const tasks: readonly (readonly [want: string, facts: Facts, tool: string])[] = [
    ['list machines with their hours', {}, 'equipment_list'],
    ['diagnose why a device has no data', { device: 'dev_1' }, 'devices_diagnosis'],
    ['read stored values of a machine', { equipment: 'HT-02', signals: ['engine.speed'] }, 'telemetry_read'],
    ['list what service is due on machines', {}, 'maintenance_list'],
    ['read the event log of a machine', { equipment: 'WL-02' }, 'equipment_events'],
    ['flag a machine for repair', { equipment: 'HT-01', title: 'Red stop lamp' }, 'repair_tickets_create'],
    ['update the status of a machine', { equipment: 'LD-2', status: 'down', reason: 'Bucket' }, 'equipment_update'],
    ['set who drives a machine', { equipment: 'HT-06', operator: 'B-17' }, 'equipment_update'],
    ['acknowledge an alert', { alert: 'al_1' }, 'alerts_acknowledge'],
    ['create an alert rule with a threshold', { name: 'Hot' }, 'alert_rules_create'],
    [
      'compute a draft of a shift report',
      { location: 'loc_1', shift: 'day', date: '2026-11-28' },
      'shift_reports_draft',
    ],
  ];
  for (const [want, facts, tool] of tasks) assert.equal(choose(want, facts)[0]?.name, tool, want);
});

test('[M14] a tool that appends an event names the kinds of its log', () => {
  for (const { name, inputSchema } of listOf('all')) {
    const [, subject = ''] = /^(\w+)_append_event$/.exec(name) ?? [];
    const kinds = EVENT_KINDS[subject.replace(/s$/, '') as keyof typeof EVENT_KINDS];
    if (kinds === undefined) continue;
    const { type } = inputSchema.properties as { type: { description: string } };
    for (const kind of [...kinds, 'note', 'x.']) assert.ok(type.description.includes(`\`${kind}\``), `${name} ${kind}`);
  }
});

test('[M4] a shape as text has absent, null, values, units, shares and descriptions', () => {
  const Point = z.object({ at: z.iso.datetime(), kpa: z.number().nullable().meta({ unit: 'kPa' }) });
  const Share = z.number().min(0).max(1).meta({ description: 'Of the whole.' });
  const Long = z.object({ first_of_them: z.int(), second_of_them: z.int(), third_of_them: z.int() });
  const { properties, $defs } = schemaFor(
    z.object({
      a: z.object({
        name: z.string(),
        state: z.enum(['on', 'off']).nullable(),
        points: z.array(Point).optional(),
        mixed: z.array(z.union([z.string(), z.int()])),
        share: Share,
        by_name: z.record(z.string(), z.int()),
        free: z.record(z.string(), z.unknown()),
        one: Long,
        again: Long.nullable(),
      }),
    }),
  ) as { properties: Record<string, JsonSchema>; $defs: Record<string, JsonSchema> };
  const long = '{first_of_them: integer, second_of_them: integer, third_of_them: integer}';
  const shape =
    "{name, state: 'on'|'off'|null, points?: {at: time, kpa: number|null [kPa]}[], mixed: (string|integer)[], " +
    'share: number [0..1] (Of the whole), by_name: {[name]: integer}, free: object, ' +
    `one: ${long}, again: ${long}|null}`;
  assert.equal(createShapes($defs, new Set())('a', properties.a ?? {}), shape);
  assert.equal(createShapes($defs, undefined)('a', properties.a ?? {}), shape.replace(' (Of the whole)', ''));
  const repeated = schemaFor(z.object({ one: z.object({ x: Long, y: Long }), z: Long }));
  const of = createShapes({}, new Set());
  const { one = {}, z: last = {} } = repeated.properties as Record<string, JsonSchema>;
  assert.match(of('one', one), /^\{x: \{first_of_them.*\}, y: as one\.x\}$/);
  assert.equal(of('z', last), 'as one.x');
});
