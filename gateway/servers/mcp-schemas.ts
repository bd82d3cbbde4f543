/** The schemas of the model tools: the operations' own, made short enough that a client can carry them all. */
import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import type { OperationName } from '#contract/operations.ts';
import { takesIdempotencyKey } from './catalog.ts';
import { type JsonSchema, type ObjectSchema, operationRow, schemaOf, TABLE } from './json-schemas.ts';

/** Said once, when a client connects: what many tools take alike. */
export const COMMON_ARGUMENTS =
  '`project_id` names the project, that of the connection when absent. A write sent again with the same `idempotency_key` (a string of ' +
  'yours) is done once; with `if_match` it is done only while the object has that `revision`. Lists take `limit` (200 at most), `cursor` ' +
  '(`next_cursor` of the page before), `order` by creation time, `q` for words, and bounds on creation and update times.';
const TOLD: ReadonlySet<string> = new Set([
  'limit',
  'cursor',
  'order',
  'q',
  'created_after',
  'created_before',
  'updated_after',
  'updated_before',
]);

const BOUNDS = new Set(['minLength', 'maxLength', 'minItems', 'maxItems', 'pattern', 'x-unit']);
/** Descriptions that say no more than the format beside them. */
const PLAIN: ReadonlySet<unknown> = new Set(['ISO 8601 timestamp.', 'Record identifier.']);

/** Which tool describes each noun: the one that gets it by its id, else another that reads it. */
const HOMES: ReadonlyMap<string, OperationName> = new Map([
  ['Context', 'equipment_get'] as const,
  ['Event', 'equipment_events'] as const,
  ...[...TABLE]
    .flatMap(([name, { tool, method, path, output }]) => {
      const noun = output.meta()?.id;
      return tool && method === 'GET' && typeof noun === 'string' ? [{ noun, name, byId: path.endsWith('}') }] : [];
    })
    .sort((a, b) => Number(a.byId) - Number(b.byId))
    .map(({ noun, name }) => [noun, name] as const),
]);

/** What a tool takes: the input of the operation, and what REST carries in headers. */
export function toolInput(name: OperationName): Tool['inputSchema'] {
  const schema = compact(schemaOf(name, 'input'), { described: true, required: true }) as ObjectSchema;
  const { scope, revision } = operationRow(name);
  const made = name.replace(/_update$/, '_create') as OperationName;
  const told = made !== name && TABLE.has(made) ? schemaOf(made, 'input').properties : {};
  const { $defs = {}, ...root } = schema;
  const short = {
    ...root,
    properties: {
      ...Object.fromEntries(
        Object.entries(schema.properties).map(([key, field]) => [
          key,
          untold(field, TOLD.has(key) ? field : told[key], made),
        ]),
      ),
      project_id: scope === 'project' ? { type: 'string' } : { type: 'string', description: 'Ignored here.' },
      ...(takesIdempotencyKey(name) ? { idempotency_key: { type: 'string' } } : {}),
      ...(revision === 'if-match' ? { if_match: { type: 'integer' } } : {}),
    },
  };
  return plain(withUsed(short, $defs));
}

/** A field of a change without what its creation says: its words, and the shape of what has one. */
function untold(field: JsonSchema, told: JsonSchema | undefined, made: OperationName): JsonSchema {
  const { default: _, ...shape } = told ?? {};
  const same = JSON.stringify(compact(shape, { described: true, required: true })) === JSON.stringify(field);
  const { type = 'object' } = field;
  const long = JSON.stringify(field).length > 200 || JSON.stringify(field).includes('"$ref"');
  if (same && long && (type === 'object' || type === 'array')) return { type, description: `As ${made} takes it.` };
  if (told === undefined || field.description !== told.description) return field;
  const { description: __, ...rest } = field;
  return rest;
}

/** What a tool answers with; a noun is described once, by the tool that gets it, so that the list stays small. */
export function toolOutput(name: OperationName): Tool['inputSchema'] {
  const noun = operationRow(name).output.meta()?.id;
  const home = typeof noun === 'string' ? HOMES.get(noun) : undefined;
  if (home !== undefined && home !== name)
    return plain({ ...elsewhere(home), properties: { object: { type: 'string' }, id: { type: 'string' } } });
  const { $defs = {}, ...root } = schemaOf(name, 'output');
  const defs = Object.entries($defs).map(([id, definition]) => {
    const at = HOMES.get(id);
    return [id, at === undefined || at === name ? definition : elsewhere(at)] as const;
  });
  const whole = withUsed(root, Object.fromEntries(defs));
  return plain(compact(whole, { described: [...HOMES.values()].includes(name), required: false }) as JsonSchema);
}

/** Stands for a noun that another tool describes. */
function elsewhere(home: OperationName): JsonSchema {
  return { type: 'object', description: `As ${home} answers.` };
}

/** A schema with those definitions that it refers to, directly or through others. */
function withUsed(root: JsonSchema, defs: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const used: Record<string, JsonSchema> = {};
  const follow = (node: JsonSchema) => {
    for (const [, id = ''] of JSON.stringify(node).matchAll(/"#\/\$defs\/(\w+)"/g)) {
      const definition = defs[id];
      if (definition === undefined || id in used) continue;
      used[id] = definition;
      follow(definition);
    }
  };
  follow(root);
  return Object.keys(used).length === 0 ? root : { ...root, $defs: used };
}

/** A schema without what is no news to a model: bounds that a refusal would tell, null as a branch of its own, and on demand more. */
function compact(node: unknown, keep: { readonly described: boolean; readonly required: boolean }): unknown {
  if (Array.isArray(node)) return node.map((item) => compact(item, keep));
  if (typeof node !== 'object' || node === null) return node;
  const kept = Object.entries(node).filter(
    ([key, value]) =>
      key !== 'propertyNames' &&
      !(key === 'additionalProperties' && value === false) &&
      (keep.required || !(key === 'required' && Array.isArray(value))) &&
      (typeof value === 'object' ||
        !(BOUNDS.has(key) || (key === 'description' && (!keep.described || PLAIN.has(value))))),
  );
  const { anyOf, ...rest } = Object.fromEntries(kept.map(([key, value]) => [key, compact(value, keep)]));
  if (anyOf === undefined) return rest;
  const [first, second] = anyOf as JsonSchema[];
  const nullable = (anyOf as JsonSchema[]).length === 2 && second?.type === 'null' && typeof first?.type === 'string';
  if (!nullable || 'enum' in first) return { anyOf, ...rest };
  return { ...first, type: [first.type, 'null'], ...rest };
}

function plain(schema: ObjectSchema | JsonSchema): Tool['inputSchema'] {
  return schema as unknown as Tool['inputSchema'];
}
