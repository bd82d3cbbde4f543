/**
 * The longest time for which one request holds up the event loop: `node test/bench/stalls.ts [PATTERN] [TRIES]`
 *
 * For every operation (whose name has PATTERN in it) this builds the worst requests that its schema and its limits allow, sends each
 * alone, and reads the longest delay of the event loop inside the gateway meanwhile: the longest lists, the most names, the deepest
 * nesting, the longest texts and texts that make regular expressions slow, names twice, escapes everywhere, items that do not fit.
 * A delay is processor time of the gateway's thread between two turns of its loop: other work on the machine adds to the time on the
 * wall, which is printed beside it. Each request is sent up to TRIES times (3) and the shortest of its delays counts, because a
 * collection of garbage of earlier requests may fall into one. Prints the ten worst; exit code 1 when one is over 100 ms.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LIMITS } from '#contract/base/limits.ts';
import { createClient } from '#contract/client.ts';
import type { OperationName } from '#contract/operations.ts';
import { GATEWAY_ENVIRONMENT, gatewayFlags } from '#host/memory.ts';
import { type JsonSchema, operationRow, schemaOf, TABLE } from '#servers/invoke/json-schemas.ts';
import { addMachine, OWNER_KEY } from '#test/support/gateway.ts';

const [, , pattern = '', tries = '3'] = process.argv;
const LIMIT_MS = 100;
/** Room for the rest of a request within the bound of its header. */
const QUERY = 12_000;

/** Texts that are slow for some regular expression, number reader or normaliser; each is repeated up to the limit. */
const TEXTS: Readonly<Record<string, string>> = {
  letters: 'a',
  spaces: ' ',
  digits: '1',
  dots: '1.',
  dashes: 'a-',
  colons: '::1:',
  mail: 'a@a.',
  url: 'http://a/%41',
  marks: 'e\u0301\u0323',
  wide: '\u{1f69c}',
  controls: '\u0001',
  quotes: '"',
  tags: '<&amp;',
  times: '2026-01-01T00:00:00.0',
  lines: 'a\n',
};

interface Attack {
  readonly what: string;
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly accept?: string;
}

/** A value that fits a schema, as large as `bytes` allows. */
function fitting(
  schema: JsonSchema,
  defs: Readonly<Record<string, JsonSchema>>,
  bytes: number,
  ids: Ids,
  name = '',
): unknown {
  if (typeof schema.$ref === 'string')
    return fitting(defs[schema.$ref.slice('#/$defs/'.length)] ?? {}, defs, bytes, ids, name);
  const choices = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined;
  if (choices !== undefined) {
    const some = choices.filter(({ type }) => type !== 'null');
    return fitting(some.at(-1) ?? {}, defs, bytes, ids, name);
  }
  if (Array.isArray(schema.type)) {
    const type = schema.type.find((one) => one !== 'null');
    return fitting({ ...schema, type }, defs, bytes, ids, name);
  }
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (ids[name] !== undefined) return ids[name];
  if (schema.type === 'array') return list(schema, defs, bytes, ids, name);
  if (schema.type === 'object') return object(schema, defs, bytes, ids);
  if (schema.type === 'boolean') return true;
  if (schema.type === 'integer' || schema.type === 'number')
    return Math.min(Number(schema.maximum ?? 7), Math.max(7, Number(schema.minimum ?? 7)));
  if (schema.type === 'null') return null;
  if (schema.type === undefined) return { a: ['x'.repeat(Math.max(0, Math.min(bytes, 100)))] };
  if (schema.format === 'date-time') return '2026-06-01T00:00:00Z';
  if (schema.format === 'date') return '2026-06-01';
  if (schema.format === 'uri') return 'https://example.com/a';
  return 'x'.repeat(Math.max(Number(schema.minLength ?? 1), Math.min(Number(schema.maxLength ?? bytes), bytes, 400)));
}

function list(schema: JsonSchema, defs: Readonly<Record<string, JsonSchema>>, bytes: number, ids: Ids, name: string) {
  const items: unknown[] = [];
  const most = Number(schema.maxItems ?? LIMITS.json_values.value);
  for (let left = bytes; items.length < most && left > 0; ) {
    const item = fitting((schema.items ?? {}) as JsonSchema, defs, Math.min(left, 800), ids, name.replace(/s$/, ''));
    left -= JSON.stringify(item)?.length ?? left;
    items.push(item);
  }
  return items;
}

function object(schema: JsonSchema, defs: Readonly<Record<string, JsonSchema>>, bytes: number, ids: Ids): object {
  const out: Record<string, unknown> = {};
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  for (const [name, inner] of properties)
    out[name] = fitting(inner, defs, Math.floor(bytes / properties.length), ids, name);
  const free = schema.additionalProperties;
  if (properties.length === 0 && free !== false) {
    const most = Math.min(Number(schema.maxProperties ?? LIMITS.json_names.value), LIMITS.json_names.value);
    for (let i = 0, left = bytes; i < most && left > 0; i++) {
      const value = fitting((typeof free === 'object' ? free : {}) as JsonSchema, defs, 40, ids);
      left -= 12 + (JSON.stringify(value)?.length ?? left);
      out[`name${i}`] = value;
    }
  }
  return out;
}

type Ids = Readonly<Record<string, string | undefined>>;

/** A text of about so many bytes. */
const fill = (text: string, bytes: number) =>
  text.repeat(Math.max(1, Math.floor(bytes / Buffer.byteLength(JSON.stringify(text).slice(1, -1)))));

function* attacks(name: OperationName, ids: Ids): Generator<Attack> {
  const row = operationRow(name);
  const { method } = row;
  if (row.bytes !== undefined || row.stream) return;
  const schema = schemaOf(name, 'input');
  const defs = schema.$defs ?? {};
  const inPath = new Set([...row.path.matchAll(/\{(\w+)\}/g)].map(([, key]) => key as string));
  const path = row.path.replace(
    /\{(\w+)\}/g,
    (_, key: string) => ids[`${row.path.split('/')[3]}.${key}`] ?? ids[key] ?? 'x',
  );
  const fields = Object.entries(schema.properties).filter(([key]) => !inPath.has(key));
  if (method === 'GET' || method === 'DELETE') {
    yield { what: 'as it is', method, path };
    if (method === 'GET') yield { what: 'limit 200', method, path: `${path}?limit=200` };
    if (method === 'GET') yield { what: 'CSV', method, path, accept: 'text/csv' };
    for (const [key, field] of fields)
      for (const [what, text] of Object.entries(TEXTS)) {
        const value = encodeURIComponent(fill(text, QUERY / 3)).slice(0, QUERY);
        yield { what: `${key}: ${what}`, method, path: `${path}?${key}=${value.replace(/%\w?$/, '')}` };
        if (field.type === 'array')
          yield { what: `${key}: many`, method, path: `${path}?${`${key}=a&`.repeat(QUERY / (key.length + 3))}` };
      }
    return;
  }
  const bytes = (row.maxBody ?? LIMITS.body.value) - 2_000;
  const values = row.maxValues ?? LIMITS.json_values.value;
  const send = (what: string, body: string): Attack => ({ what, method, path, body: body.slice(0, bytes + 1_900) });
  const filled = Object.fromEntries(
    fields.map(([key, field]) => [key, fitting(field, defs, bytes / fields.length, ids, key)]),
  );
  yield send('all that fits', JSON.stringify(filled));
  const small = Object.fromEntries(fields.map(([key, field]) => [key, fitting(field, defs, 10, ids, key)]));
  for (const [key, field] of fields) {
    const one = { ...small, [key]: fitting(field, defs, bytes - 5_000, ids, key) };
    if (JSON.stringify(one).length > 5_000) yield send(`${key}: the most that fits`, JSON.stringify(one));
    const text = JSON.stringify(field);
    const kind = /"type":"(array|object)"/.exec(text)?.[1] ?? (text.includes('$ref') ? 'object' : '');
    if (kind !== '') {
      yield send(
        `${key}: wrong items`,
        JSON.stringify({ ...small, [key]: Array.from({ length: values - 200 }, () => 'x') }),
      );
      yield send(
        `${key}: empty objects`,
        JSON.stringify({ ...small, [key]: Array.from({ length: values - 200 }, () => ({})) }),
      );
      const names = Object.fromEntries(Array.from({ length: LIMITS.json_names.value }, (_, i) => [`k${i}`, 'x']));
      yield send(`${key}: names`, JSON.stringify({ ...small, [key]: names }));
      yield send(`${key}: names in an item`, JSON.stringify({ ...small, [key]: [names, names, names] }));
      const deep = '['.repeat(28) + Array.from({ length: values - 300 }, () => '1').join() + ']'.repeat(28);
      yield send(`${key}: deep`, JSON.stringify({ ...small, [key]: 0 }).replace(`"${key}":0`, `"${key}":${deep}`));
    }
    if (/"type":"string"/.test(text))
      for (const [what, unit] of Object.entries(TEXTS))
        yield send(`${key}: ${what}`, JSON.stringify({ ...small, [key]: fill(unit, bytes - 5_000) }));
  }
  yield send(
    'unknown names',
    JSON.stringify(Object.fromEntries(Array.from({ length: LIMITS.json_names.value }, (_, i) => [`k${i}`, i]))),
  );
  yield send('a long number', `{"a":${'1'.repeat(bytes - 100)}}`);
  yield send('escapes', `{"a":"${'\\u0041'.repeat(Math.floor((bytes - 100) / 6))}"}`);
  yield send('values', `{"a":[${'0,'.repeat(values - 100)}0]}`);
  yield send('too many values', `{"a":[${'0,'.repeat((bytes - 100) / 2)}0]}`);
  yield send('objects', `{"a":[${Array.from({ length: values / 2 - 100 }, (_, i) => `{"b${i}":0}`).join()}]}`);
  yield send(
    'integer names',
    `{"a":{${Array.from({ length: LIMITS.json_names.value }, (_, i) => `"${i * 65_537}":0`).join()}}}`,
  );
  yield send('a name twice', `{"a":[${'0,'.repeat(values - 100)}0],"a":0}`);
  yield send('a long name', `{"${'a'.repeat(bytes - 100)}":0}`);
  yield send('white space', `{${' '.repeat(bytes - 100)}}`);
}

/** What the paths and fields of the operations refer to. */
async function seed(http: string): Promise<Ids> {
  const project = (await createClient({ base_url: http, key: OWNER_KEY }).call('projects_create', { name: 'Stalls' }))
    .project.id;
  const client = createClient({ base_url: http, key: OWNER_KEY, project_id: project });
  const machine = await addMachine(client, 'HT-1');
  const location = await client.call('locations_create', { name: 'Pit' });
  const operator = await client.call('operators_create', { name: 'Ann' });
  const mechanic = await client.call('mechanics_create', { name: 'Bob' });
  const dashboard = await client.call('dashboards_create', { name: 'Board' });
  return {
    project_id: project,
    'projects.project_id': project,
    'projects.id': project,
    equipment_id: machine.equipment_id,
    'equipment.id': machine.equipment_id,
    'devices.id': machine.device,
    location_id: location.id,
    'locations.id': location.id,
    operator_id: operator.id,
    'operators.id': operator.id,
    mechanic_id: mechanic.id,
    'mechanics.id': mechanic.id,
    dashboard_id: dashboard.id,
    'dashboards.id': dashboard.id,
    object_id: dashboard.id,
  };
}

/** In ms. */
interface Delay {
  readonly cpu: number;
  readonly wall: number;
}

async function ask(child: ChildProcess, what: 'reset' | 'read'): Promise<Delay> {
  const told = once(child, 'message') as Promise<[Delay]>;
  child.send(what);
  return (await told)[0];
}

const folder = mkdtempSync(join(tmpdir(), 'headframe-stalls-'));
const child = fork(join(import.meta.dirname, 'stalls-child.ts'), [folder], {
  execArgv: gatewayFlags('gateway'),
  env: { ...process.env, ...GATEWAY_ENVIRONMENT },
});
const [{ http }] = (await once(child, 'message')) as [{ http: string }];
const ids = await seed(http);
const headers = { authorization: `Bearer ${OWNER_KEY}`, 'project-id': ids.project_id as string };

/** The shortest of the longest delays of some tries. */
async function stall({ method, path, body, accept }: Attack): Promise<Delay & { status: number }> {
  let best: Delay = { cpu: Number.POSITIVE_INFINITY, wall: Number.POSITIVE_INFINITY };
  let status = 0;
  for (let i = 0; i < Number(tries); i++) {
    await ask(child, 'reset');
    const response = await fetch(`${http}${path}`, {
      method,
      headers: {
        ...headers,
        ...(accept === undefined ? {} : { accept }),
        ...(body === undefined ? {} : { 'content-type': 'application/json', 'idempotency-key': `k${Math.random()}` }),
      },
      ...(body === undefined ? {} : { body }),
    });
    await response.arrayBuffer();
    status = response.status;
    // What the request leaves behind, as the fold of its points, is part of it.
    await new Promise((resolve) => setTimeout(resolve, body !== undefined && status < 300 ? 300 : 0));
    const delay = await ask(child, 'read');
    if (delay.cpu < best.cpu) best = delay;
    if (best.cpu < LIMIT_MS / 4) break;
  }
  return { ...best, status };
}

const found: (Delay & { status: number; name: string; what: string })[] = [];
const say = ({ cpu, wall, status, name, what }: (typeof found)[number]) =>
  process.stdout.write(
    `${cpu.toFixed(0).padStart(5)} ms (${wall.toFixed(0)} ms on the wall)  ${status}  ${name}: ${what}\n`,
  );
/** Keys and projects are not removed on the way. */
const SPARED = /^(keys_revoke|keys_roll|claim_code|projects_delete)/;
const order = [...TABLE.keys()].filter((name) => name.includes(pattern) && !SPARED.test(name));
// Reads come last: they meet what the writes before them made.
for (const name of order.toSorted(
  (a, b) => Number(operationRow(a).method === 'GET') - Number(operationRow(b).method === 'GET'),
))
  for (const attack of attacks(name, ids)) {
    const one = { ...(await stall(attack)), name, what: attack.what };
    found.push(one);
    if (one.cpu > LIMIT_MS / 2) say(one);
  }
found.sort((a, b) => b.cpu - a.cpu);
process.stdout.write(
  `${found.length} requests to ${order.length} operations; the ten that held up the event loop longest:\n`,
);
for (const one of found.slice(0, 10)) say(one);
child.disconnect();
await once(child, 'exit');
rmSync(folder, { recursive: true, force: true });
process.exitCode = (found[0]?.cpu ?? 0) > LIMIT_MS ? 1 : 0;
