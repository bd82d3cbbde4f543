/**
 * Builds the schemas of the MCP tools. These schemas are shorter than the schemas of the operations, because a client loads the schemas of
 * all tools into the context of its AI model. The OpenAPI document has the full schemas.
 */
import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { LIMITS } from '#contract/base/limits.ts';
import type { OperationName } from '#contract/operations.ts';
import { takesIdempotencyKey } from '#servers/invoke/catalog.ts';
import { type JsonSchema, operationRow, schemaOf } from '#servers/invoke/json-schemas.ts';
import { describedAt, kinOf, nounOf } from './nouns.ts';
import { createShapes, type Definitions, type Elsewhere, refersTo, resolve, withoutNull } from './shapes.ts';

/** Part of the server instructions, which a client gets once when it connects: the parameters and fields that many tools share. */
export const COMMON_WORDS =
  '`project_id` is the project; without it, the Project-ID header of the connection applies. A write that is repeated with the same ' +
  '`idempotency_key` (a string that you choose) is carried out once. With `if_match` a write is carried out only while the object has ' +
  'that `revision`, which counts the changes by people and agents. With `dry_run` the gateway checks a call and shows its result, but ' +
  'writes nothing. Lists have the parameters `limit` (default 50, at most 200), `cursor` (`next_cursor` of the page before; null on the ' +
  'last page), `order` of creation times (default desc), `q` for a part of a name or number, and limits for creation and update times. ' +
  '`warnings` names stored documents that a list leaves out. Times are ISO 8601. `context.media` is a list of artifact ids of the ' +
  'project, which replaces the list before; `labels` are key and value pairs that you choose. The schema of nested objects is ' +
  'written as a text: `?` marks fields that may be absent, and brackets contain units.';

/**
 * Parameters that `COMMON_WORDS` describes for all tools, each with an operation that declares it. If a tool has a parameter with the same
 * name but another declaration, the tool describes the parameter in full.
 */
const COMMON: readonly { readonly declaredBy: OperationName; readonly fields: readonly string[] }[] = [
  {
    declaredBy: 'equipment_list',
    fields: ['limit', 'cursor', 'order', 'q', 'created_after', 'created_before', 'updated_after', 'updated_before'],
  },
  { declaredBy: 'equipment_create', fields: ['labels', 'context'] },
  { declaredBy: 'devices_new', fields: ['dry_run'] },
];
const COMMON_FIELDS: ReadonlyMap<string, string> = new Map(
  COMMON.flatMap(({ declaredBy, fields }) =>
    fields.map((key) => [key, JSON.stringify(schemaOf(declaredBy, 'input').properties[key])]),
  ),
);

/** The tool parameter for the HTTP header `Range`. */
const RANGE = {
  type: 'string',
  description: `Part of the file, such as bytes=0-65535; required for files over ${LIMITS.tool_content.value} bytes. A part of a picture is not an image block.`,
};

/** Keywords that tool schemas leave out. Most of them are limits. A caller that exceeds a limit learns it from the error message. */
const BOUNDS = new Set(['minLength', 'maxLength', 'minItems', 'maxItems', 'pattern', 'contentEncoding', 'x-unit']);
/** Further keywords that a schema leaves out if the tool needs to show only the type of a field. */
const EXTRAS = new Set(['default', 'description', 'format', 'minimum', 'maximum']);
/** Descriptions that tool schemas leave out: they repeat the field name or format, or `COMMON_WORDS` already contains them. */
const PLAIN: ReadonlySet<unknown> = new Set([
  'ISO 8601 timestamp.',
  'Record identifier.',
  ...['revision', 'labels'].map((key) => schemaOf('equipment_get', 'output').properties[key]?.description),
]);

/** Returns the input schema of a tool: the input of the operation, and a parameter for each REST header, such as `if_match`. */
export function toolInput(name: OperationName): Tool['inputSchema'] {
  const { $defs = {}, properties, required } = schemaOf(name, 'input');
  const { scope, revision, bytes, requires = [] } = operationRow(name);
  const needed = [...(required ?? []), ...(requires.includes('if-match') ? ['if_match'] : [])];
  const kin = kinOf(name);
  const fields = Object.entries(properties).map(([key, field]) => {
    const common = COMMON_FIELDS.get(key) === JSON.stringify(field);
    const short = compact(field, $defs, common ? EXTRAS : NOTHING) as JsonSchema;
    return [key, kin === undefined || common ? short : withoutRepeats(short, key, kin)];
  });
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(fields),
      project_id: scope === 'project' ? { type: 'string' } : { type: 'string', description: 'Ignored by this tool.' },
      ...(takesIdempotencyKey(name) ? { idempotency_key: { type: 'string' } } : {}),
      ...(revision === 'if-match' ? { if_match: { type: 'integer' } } : {}),
      ...(bytes === 'content' ? { range: RANGE } : {}),
    },
    ...(needed.length === 0 ? {} : { required: needed }),
  };
}

/**
 * Shortens an input field that the tool `kin` also has with the same description. It removes the description, except if the description has
 * a unit. It replaces a structure of 200 characters or more by a reference to `kin`.
 */
function withoutRepeats(field: JsonSchema, key: string, kin: OperationName): JsonSchema {
  const { $defs = {}, properties } = schemaOf(kin, 'input');
  if (properties[key] === undefined) return field;
  const { default: _, ...described } = compact(properties[key], $defs, NOTHING) as JsonSchema;
  const { type, items, description, ...rest } = field;
  if (description !== described.description || String(description).includes('Unit: ')) return field;
  const structured = 'properties' in rest || typeof (items as JsonSchema | undefined)?.properties === 'object';
  if (!structured || JSON.stringify(field).length < 200 || JSON.stringify(field) !== JSON.stringify(described))
    return { ...(type === undefined ? {} : { type }), ...(items === undefined ? {} : { items }), ...rest };
  return {
    type,
    ...(items === undefined ? {} : { items: { type: 'object' } }),
    description: `As ${kin} takes it.`,
  };
}

/**
 * Returns the output schema of a tool. To keep the tool list small, only one tool describes each noun (a named schema such as `Equipment`);
 * the other tools refer to this tool.
 */
export function toolOutput(name: OperationName): Tool['inputSchema'] {
  const { $defs = {}, properties, required = [] } = schemaOf(name, 'output');
  const noun = nounOf(name);
  const words = noun === undefined ? undefined : describedAt(noun, name);
  if (words !== undefined) return { type: 'object', description: sentence(words) };
  const elsewhere: Elsewhere = (of) => describedAt(of, name);
  const shapeOf = createShapes($defs, elsewhere, PLAIN);
  const list = (properties.object as JsonSchema | undefined)?.const === 'list';
  const fields = Object.entries(properties).flatMap(([key, field]) => {
    if (list && key !== 'data') return ENVELOPE[key] === undefined ? [] : [[key, ENVELOPE[key]]];
    const schema = answerOf(key, field);
    const { description = '' } = schema;
    return [
      [key, required.includes(key) ? schema : { ...schema, description: `May be absent. ${description}`.trim() }],
    ];
  });
  return { type: 'object', properties: Object.fromEntries(fields) };

  /**
   * Returns the schema of one output field. The type of the field is in JSON Schema. The schema of the objects inside the field is written
   * as a short text in its description (see `shapes.ts`).
   */
  function answerOf(key: string, field: JsonSchema): JsonSchema {
    const { node, nullable } = withoutNull(field);
    const whole = resolve(node, $defs);
    const { type = 'object', items = {} } = whole;
    const at = elsewhere(refersTo(node) ?? '');
    const itemsAt = elsewhere(refersTo(items as JsonSchema) ?? '');
    const { description = at === undefined ? whole.description : undefined } = node;
    const shape =
      at === undefined && itemsAt === undefined && isStructured(whole, $defs) ? shapeOf(key, node) : undefined;
    const parts = [PLAIN.has(description) ? undefined : description, shape, at && sentence(at)];
    const text = parts.filter((part) => part !== undefined).join(' ');
    const words = text === '' ? {} : { description: text };
    const types = 'anyOf' in whole ? {} : { type: nullable ? [type, 'null'] : type };
    if (itemsAt !== undefined) return { ...types, items: { type: 'object', description: sentence(itemsAt) }, ...words };
    if (at !== undefined || shape !== undefined) return { ...types, ...words };
    return { ...scalar(key, compact(field, $defs, EXTRAS) as JsonSchema), ...words };
  }
}

/** Schemas of the fields that every list has besides `data`. */
const ENVELOPE: { readonly [key: string]: JsonSchema } = {
  has_more: { type: 'boolean' },
  next_cursor: { type: ['string', 'null'] },
  warnings: { type: 'array', description: 'May be absent. {code: string, id: string|null, message: string}[]' },
};

/**
 * Shortens the schema of a scalar. It removes `type` if there is `const` or `enum`, and removes `format` if the name ends with `_at` (a
 * time).
 */
function scalar(key: string, { type, ...rest }: JsonSchema): JsonSchema {
  const { format, ...plain } = rest;
  if ('const' in rest || 'enum' in rest) return rest;
  return key.endsWith('_at') ? { type, ...plain } : { type, ...rest };
}

/** Returns true for an object with fields, a map, a union, or a list of such values. */
function isStructured(schema: JsonSchema, defs: Definitions): boolean {
  const { properties, additionalProperties, items, anyOf, oneOf } = resolve(schema, defs);
  return (
    [properties, anyOf, oneOf].some((part) => part !== undefined) ||
    Object.keys(additionalProperties ?? {}).length > 0 ||
    (items !== undefined && isStructured(items as JsonSchema, defs))
  );
}

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

const NOTHING: ReadonlySet<string> = new Set();

/**
 * Shortens a schema for a model. It replaces references by their definitions, writes `null` as a type instead of a branch of `anyOf`, and
 * leaves out the keywords of `BOUNDS`, the descriptions of `PLAIN`, and the keywords in `drop` if their values are scalars.
 */
function compact(node: unknown, defs: Definitions, drop: ReadonlySet<string>): unknown {
  if (Array.isArray(node)) return node.map((item) => compact(item, defs, drop));
  if (typeof node !== 'object' || node === null) return node;
  const kept = Object.entries(resolve(node as JsonSchema, defs)).filter(
    ([key, value]) =>
      key !== 'propertyNames' &&
      !(key === 'additionalProperties' && (value === false || JSON.stringify(value) === '{}')) &&
      (typeof value === 'object' || !(BOUNDS.has(key) || drop.has(key) || (key === 'description' && PLAIN.has(value)))),
  );
  const { anyOf, prefixItems, ...rest } = Object.fromEntries(
    kept.map(([key, value]) => [key, compact(value, defs, drop)]),
  );
  // All tuples of the API consist of numbers, such as a position.
  if (prefixItems !== undefined) return { type: 'array', items: { type: 'number' } };
  if (anyOf === undefined) return rest;
  const branches = [...new Map((anyOf as JsonSchema[]).map((one) => [JSON.stringify(one), one])).values()];
  const [first = {}, second] = branches.toSorted((a, b) => Number(a.type === 'null') - Number(b.type === 'null'));
  if (second === undefined) return { ...first, ...rest };
  if (branches.length > 2 || second.type !== 'null' || typeof first.type !== 'string')
    return { anyOf: branches, ...rest };
  const values = Array.isArray(first.enum) ? { enum: [...first.enum, null] } : {};
  return { ...first, type: [first.type, 'null'], ...values, ...rest };
}
