/** The servers follow the declaration of an operation: none of them has a branch for one operation by its name. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseSync } from 'vite';
import { operations } from '#contract/operations.ts';

const root = join(import.meta.dirname, '..', '..');

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [key: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

/** Names such as `live` and `claim` also name other things, so only a comparison with them is a branch. */
const isCompound = (name: string) => name.includes('_');
const COMPARISONS = new Set(['===', '!==', '==', '!=']);
const LOOKUPS = new Set(['has', 'includes', 'startsWith', 'endsWith', 'indexOf', 'get']);

function nameIn(node: unknown): string | undefined {
  if (!isNode(node) || node.type !== 'Literal' || typeof node.value !== 'string') return undefined;
  return Object.hasOwn(operations, node.value) ? node.value : undefined;
}

/** The operation names that a node branches on: by a comparison, a case, a list, a table, or a lookup. */
function branchesOf(node: Node): (string | undefined)[] {
  const compound = (one: unknown) => {
    const name = nameIn(one);
    return name !== undefined && isCompound(name) ? name : undefined;
  };
  if (node.type === 'BinaryExpression' && COMPARISONS.has(String(node.operator)))
    return [nameIn(node.left), nameIn(node.right)];
  if (node.type === 'SwitchCase') return [nameIn(node.test)];
  if (node.type === 'ArrayExpression') return (node.elements as unknown[]).map(compound);
  if (node.type === 'CallExpression') {
    const { property } = node.callee as { property?: { name?: string } };
    return LOOKUPS.has(property?.name ?? '') ? (node.arguments as unknown[]).map(compound) : [];
  }
  if (node.type === 'Property') {
    const { name, value } = node.key as { name?: string; value?: unknown };
    const key = String(name ?? value);
    return Object.hasOwn(operations, key) && isCompound(key) ? [key] : [];
  }
  return [];
}

function branches(path: string, source: string): string[] {
  const found: string[] = [];
  const walk = (node: Node): void => {
    for (const name of branchesOf(node))
      if (name !== undefined) found.push(`${path}:${source.slice(0, node.start).split('\n').length}: ${name}`);
    for (const value of Object.values(node))
      for (const one of Array.isArray(value) ? value : [value]) if (isNode(one)) walk(one);
  };
  walk(parseSync(path, source).program as unknown as Node);
  return found;
}

test('no server and no client branches on the name of an operation, only on its declaration', () => {
  const servers = readdirSync(join(root, 'gateway/servers'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => `gateway/servers/${path.replaceAll('\\', '/')}`);
  assert.ok(servers.length > 50);
  const found = [...servers, 'gateway/contract/client.ts'].flatMap((path) =>
    branches(path, readFileSync(join(root, path), 'utf8')),
  );
  assert.deepEqual(found, []);
});

test('the check finds each form of a branch on a name', () => {
  const planted = [
    "if (name === 'live') x();",
    "switch (name) { case 'claim': x(); }",
    "const SLOW = new Set(['tasks_get']);",
    'const LIMITS = { devices_new: 3 };',
    "if (LIST.includes('tasks_stream')) x();",
  ];
  for (const text of planted) assert.equal(branches('planted.ts', text).length, 1, text);
  const allowed = [
    "view.get('live', id);",
    "invoke.call({ name: 'equipment_list', input });",
    "type A = Output<'tasks_get'>;",
  ];
  for (const text of allowed) assert.deepEqual(branches('planted.ts', text), [], text);
});
