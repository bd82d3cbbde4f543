/** The schemas of the model tools: the operations' own, made short enough that a client can carry them all. OpenAPI has them in full. */
import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { LIMITS } from '#contract/base/limits.ts';
import type { OperationName } from '#contract/operations.ts';
import { takesIdempotencyKey } from '#servers/invoke/catalog.ts';
import { type JsonSchema, operationRow, schemaOf } from '#servers/invoke/json-schemas.ts';
import { describedAt, kinOf, nounOf } from './nouns.ts';
import { createShapes, type Definitions, type Elsewhere, refersTo, resolve, withoutNull } from './shapes.ts';

/** Said once, when a client connects: what many tools take and answer alike. */
export const COMMON_WORDS =
  '`project_id` names the project, that of the connection when absent. A write sent again with the same `idempotency_key` (a string of ' +
  'yours) is done once; with `if_match` it is done only while the object has that `revision`, which counts the changes by people and ' +
  'agents. With `dry_run` a call is checked and answered as if, and nothing is written. Lists take `limit` (50 when absent, 200 at ' +
  'most), `cursor` (`next_cursor` of the page before; null at the end), `order` by creation time (desc when absent), `q` for a part of a ' +
  'name or number, and bounds on creation and update times; `warnings` names stored documents that a list leaves out. Times are ISO 8601. `context.media` takes ids of artifacts of the project ' +
  'and replaces what was there; `labels` are key and value pairs of yours. The shape of what stands inside an answer is told as text, ' +
  'with `?` for what may be absent and units in brackets.';

/** Fields that many tools take, each with a tool that declares it. Another declaration under the same name is described in full. */
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

/** What REST carries in the header of the same name. */
const RANGE = {
  type: 'string',
  description: `A part, as bytes=0-65535; of files over ${LIMITS.tool_content.value} bytes it is needed. Pictures are shown whole only.`,
};

/** Keywords that a refusal would tell. */
const BOUNDS = new Set(['minLength', 'maxLength', 'minItems', 'maxItems', 'pattern', 'contentEncoding', 'x-unit']);
/** Keywords beside those that say what a value is. */
const EXTRAS = new Set(['default', 'description', 'format', 'minimum', 'maximum']);
/** Descriptions that say no more than the name or the format beside them, or what all are told. */
const PLAIN: ReadonlySet<unknown> = new Set([
  'ISO 8601 timestamp.',
  'Record identifier.',
  ...['revision', 'labels'].map((key) => schemaOf('equipment_get', 'output').properties[key]?.description),
]);

/** What a tool takes: the input of the operation, and what REST carries in headers. */
export function toolInput(name: OperationName): Tool['inputSchema'] {
  const { $defs = {}, properties, required } = schemaOf(name, 'input');
  const { scope, revision, bytes, requires = [] } = operationRow(name);
  const needed = [...(required ?? []), ...(requires.includes('if-match') ? ['if_match'] : [])];
  const kin = kinOf(name);
  const fields = Object.entries(properties).map(([key, field]) => {
    const common = COMMON_FIELDS.get(key) === JSON.stringify(field);
    const short = compact(field, $defs, common ? EXTRAS : NOTHING) as JsonSchema;
    return [key, kin === undefined || common ? short : untold(short, key, kin)];
  });
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(fields),
      project_id: scope === 'project' ? { type: 'string' } : { type: 'string', description: 'Ignored here.' },
      ...(takesIdempotencyKey(name) ? { idempotency_key: { type: 'string' } } : {}),
      ...(revision === 'if-match' ? { if_match: { type: 'integer' } } : {}),
      ...(bytes === 'content' ? { range: RANGE } : {}),
    },
    ...(needed.length === 0 ? {} : { required: needed }),
  };
}

/** A field without what the kindred tool says of it: its words, but for the unit, and the shape of what has a long one. */
function untold(field: JsonSchema, key: string, kin: OperationName): JsonSchema {
  const { $defs = {}, properties } = schemaOf(kin, 'input');
  if (properties[key] === undefined) return field;
  const { default: _, ...told } = compact(properties[key], $defs, NOTHING) as JsonSchema;
  const { type, items, description, ...rest } = field;
  if (description !== told.description || String(description).includes('Unit: ')) return field;
  const structured = 'properties' in rest || typeof (items as JsonSchema | undefined)?.properties === 'object';
  if (!structured || JSON.stringify(field).length < 200 || JSON.stringify(field) !== JSON.stringify(told))
    return { ...(type === undefined ? {} : { type }), ...(items === undefined ? {} : { items }), ...rest };
  return {
    type,
    ...(items === undefined ? {} : { items: { type: 'object' } }),
    description: `As ${kin} takes it.`,
  };
}

/** What a tool answers with; a noun is described once, by the tool that gets it, so that the list stays small. */
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
    const told = answerOf(key, field);
    const { description = '' } = told;
    return [[key, required.includes(key) ? told : { ...told, description: `May be absent. ${description}`.trim() }]];
  });
  return { type: 'object', properties: Object.fromEntries(fields) };

  /** One field: its type as JSON Schema, and what stands inside of it as text. */
  function answerOf(key: string, field: JsonSchema): JsonSchema {
    const { node, nullable } = withoutNull(field);
    const whole = resolve(node, $defs);
    const { type = 'object', items = {} } = whole;
    const at = elsewhere(refersTo(node) ?? '');
    const itemsAt = elsewhere(refersTo(items as JsonSchema) ?? '');
    const { description = at === undefined ? whole.description : undefined } = node;
    const shape =
      at === undefined && itemsAt === undefined && isStructured(whole, $defs) ? shapeOf(key, node) : undefined;
    const said = [PLAIN.has(description) ? undefined : description, shape, at && sentence(at)];
    const text = said.filter((part) => part !== undefined).join(' ');
    const told = text === '' ? {} : { description: text };
    const types = 'anyOf' in whole ? {} : { type: nullable ? [type, 'null'] : type };
    if (itemsAt !== undefined) return { ...types, items: { type: 'object', description: sentence(itemsAt) }, ...told };
    if (at !== undefined || shape !== undefined) return { ...types, ...told };
    return { ...scalar(key, compact(field, $defs, EXTRAS) as JsonSchema), ...told };
  }
}

/** The fields of every list besides `data`. */
const ENVELOPE: { readonly [key: string]: JsonSchema } = {
  has_more: { type: 'boolean' },
  next_cursor: { type: ['string', 'null'] },
  warnings: { type: 'array', description: 'May be absent. {code: string, id: string|null, message: string}[]' },
};

/** The type of a plain field; one of several values needs no other, and the name tells a time. */
function scalar(key: string, { type, ...rest }: JsonSchema): JsonSchema {
  const { format, ...plain } = rest;
  if ('const' in rest || 'enum' in rest) return rest;
  return key.endsWith('_at') ? { type, ...plain } : { type, ...rest };
}

/** True for what has fields, or is one of several things. */
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
 * A schema with its definitions written out and without what is no news to a model: bounds that a refusal would tell, null as a branch
 * of its own, descriptions that say nothing, and the scalars under the keywords to drop.
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
  // A tuple of numbers, such as a position.
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
