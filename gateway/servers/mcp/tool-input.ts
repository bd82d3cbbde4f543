/**
 * Builds the input schemas of the MCP tools. They are shorter than the schemas of the operations, because a client loads the schemas of all
 * tools of a list into the context of its AI model. The resource `headframe://tools/{name}` and the OpenAPI document have the full schemas.
 */
import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { LIMITS } from '#contract/base/limits.ts';
import { SIGNAL_NAMES } from '#contract/base/signals.ts';
import type { OperationName } from '#contract/operations.ts';
import { takesIdempotencyKey } from '#servers/invoke/catalog.ts';
import { type JsonSchema, operationRow, schemaOf, TABLE } from '#servers/invoke/json-schemas.ts';
import { takesFields } from './answers.ts';
import { createShapes, type Definitions, resolve, withoutNull } from './shapes.ts';

/** Part of the server instructions, which a client gets once when it connects: the parameters and fields that many tools share. */
export const COMMON_WORDS =
  'Wherever an id is wanted, an unambiguous unit number, serial, badge, ticket number or name works too, and `id` may be written as ' +
  '`equipment_id`, `repair_ticket_id` and so on. Every tool takes `project_id`: the id or name of the project; a key of one project needs ' +
  'none. Every write takes `idempotency_key`, a string that you choose: repeated with the same key it is carried out once. With `if_match` ' +
  'a write is carried out only while the object has that `revision`. With `dry_run` nothing is written. Lists take `limit` (1 to 200, ' +
  'default 50), `cursor` (`next_cursor` of the page before), `order` (asc or desc by creation; default desc), `created_after` and ' +
  '`created_before`; those of records also `q` (part of a name or number), `updated_after` and `updated_before`. Writes take `labels` (your ' +
  'own key and value pairs) and `context.media` (artifact ids; it replaces the list before). Times are ISO 8601 with a zone. `fields` ' +
  'chooses the fields of an answer (* for all), and `include=provenance` adds where each value comes from. A telemetry value that an answer ' +
  'leaves out is unknown, never zero. In a text such as `{name, spn: integer|null, at?: time}` a field without a type is a string, and `?` ' +
  'marks a field that may be absent.';

/** Parameters that `COMMON_WORDS` describes, each with an operation that declares it as all others do. */
const COMMON: Readonly<Record<string, OperationName>> = {
  limit: 'equipment_list',
  cursor: 'equipment_list',
  q: 'equipment_list',
  order: 'equipment_list',
  created_after: 'equipment_list',
  created_before: 'equipment_list',
  updated_after: 'equipment_list',
  updated_before: 'equipment_list',
  labels: 'equipment_create',
  context: 'equipment_create',
  dry_run: 'devices_new',
};
/** The common parameters that every list of tools names, without a description. The others are accepted and not named, to save space. The list of all tools names none of them. */
const NAMED: ReadonlySet<string> = new Set(['limit', 'cursor', 'q']);
/** Operations whose callers often send pictures in `context`, or read a log for a time. Their tools name all parameters. */
const NAMES_ALL = /^(repair_tickets_(create|update|events)|equipment_events|audit_list|alerts_list)$/;

/** Parameters that no list names: `project_id` is in every tool by itself, and `as` (the format of a table) is for REST. */
const NEVER: ReadonlySet<string> = new Set(['project_id', 'as']);
/** Parameters for programs that repeat reports. Only the tool for events of machines names them. */
const RARE: ReadonlySet<string> = new Set(['source', 'source_event_id']);
const NAMES_RARE = 'equipment_append_event';

/** The tool parameter that chooses fields of the answer. */
const FIELDS = { type: 'string', description: 'Such as id,name.' };

/** The tool parameter for the HTTP header `Range`. */
const RANGE = {
  type: 'string',
  description: `Part of the file, such as bytes=0-65535; required over ${LIMITS.tool_content.value} bytes.`,
};

/** Descriptions that repeat the name of the field. */
const PLAIN: ReadonlySet<unknown> = new Set([
  'ISO 8601 timestamp.',
  'Record identifier.',
  'Your own key-value pairs.',
  '`cost`: itemized costs.',
]);

/** A structure or enumeration with at least this many characters is described by one tool; its kin refers to this tool. */
const LONG = 100;

/** How a list of tools describes its tools. */
export interface Style {
  /** Returns true if the list has this tool. A description refers only to tools of its own list. */
  readonly lists: (name: OperationName) => boolean;
  /**
   * True for the list of all tools, which must stay below its limit of bytes: it leaves out everything that the server instructions say, ranges and defaults, the
   * descriptions inside structures, and all but the first sentence of the description of a field.
   */
  readonly terse: boolean;
}

/** Returns the kin of a tool: the tool with nearly the same input, such as `equipment_create` for `equipment_update`. */
function kinOf(name: OperationName): OperationName | undefined {
  const kin = (operationRow(name).inputLike ?? name.replace(/_update$/, '_create')) as OperationName;
  return kin !== name && TABLE.has(kin) && operationRow(kin).httpOnly === undefined ? kin : undefined;
}

/** Returns the input schema of a tool: the input of the operation, and parameters that only tools have. */
export function toolInput(name: OperationName, { lists, terse }: Style): Tool['inputSchema'] {
  const { $defs = {}, properties, required = [] } = schemaOf(name, 'input');
  const { revision, bytes, requires = [], inputFrom = {} } = operationRow(name);
  const kin = kinOf(name);
  const other = kin !== undefined && lists(kin) ? kin : undefined;
  const fields = Object.entries(properties).flatMap(([key, field]) => {
    const common = isCommon(key, field);
    if (NEVER.has(key) || (RARE.has(key) && (terse || name !== NAMES_RARE))) return [];
    if (common && (terse || (!NAMED.has(key) && !NAMES_ALL.test(name)))) return [];
    const from = inputFrom[key];
    const whole =
      from !== undefined && lists(from as OperationName)
        ? { type: 'object', description: `As ${from} returns it.` }
        : ((other && shared(key, field, $defs, other, terse)) ?? short(key, field, $defs, terse));
    const { description, maximum, default: _, ...rest } = whole;
    return [[key, common ? { ...rest, ...(terse || maximum === undefined ? {} : { maximum }) } : whole]];
  });
  const needed = [
    ...required.filter((key) => key !== 'project_id'),
    ...(requires.includes('if-match') ? ['if_match'] : []),
  ];
  const all = {
    ...Object.fromEntries(fields),
    ...(!terse && takesFields(name) ? { fields: FIELDS } : {}),
    ...(terse ? {} : { project_id: { type: 'string' } }),
    ...(!terse && takesIdempotencyKey(name) ? { idempotency_key: { type: 'string' } } : {}),
    ...(revision === 'if-match' && (!terse || needed.includes('if_match')) ? { if_match: { type: 'integer' } } : {}),
    ...(bytes === 'content' ? { range: RANGE } : {}),
  };
  return {
    type: 'object',
    ...(terse && Object.keys(all).length === 0 ? {} : { properties: all }),
    ...(needed.length === 0 ? {} : { required: needed }),
  };
}

/** Returns true for a parameter that `COMMON_WORDS` describes, if the operation declares it as all other operations do. */
function isCommon(key: string, field: JsonSchema): boolean {
  const declaredBy = COMMON[key];
  return (
    declaredBy !== undefined && JSON.stringify(schemaOf(declaredBy, 'input').properties[key]) === JSON.stringify(field)
  );
}

/**
 * Returns the short schema of a parameter that the tool `kin` also has: without its description, and with a reference to `kin` instead of a
 * long structure or enumeration. Returns undefined if `kin` has no such parameter.
 */
function shared(
  key: string,
  field: JsonSchema,
  defs: Definitions,
  kin: OperationName,
  terse: boolean,
): JsonSchema | undefined {
  const { $defs = {}, properties } = schemaOf(kin, 'input');
  const twin = properties[key];
  if (twin === undefined) return partOf(field, defs, kin);
  const own = short(key, field, defs, terse);
  const { description, default: _, ...bare } = own;
  const { description: words, default: __, ...rest } = short(key, twin, $defs, terse);
  if (description !== words || JSON.stringify({ ...bare, type: 0 }) !== JSON.stringify({ ...rest, type: 0 }))
    return own;
  const { enum: values, items, type = 'string' } = bare;
  const long = JSON.stringify(values ?? items ?? '').length >= (terse ? 0.4 * LONG : LONG);
  if (!long && !isStructured(field, defs)) return withUnit(bare, description);
  if (!long && String(description).length < LONG) return own;
  const { type: each = 'string' } = (items ?? {}) as JsonSchema;
  return { type, ...(items === undefined ? {} : { items: { type: each } }), description: `As in ${kin}.` };
}

/** Returns the schema of an object whose fields are parameters of `kin`, such as the condition of an alert rule; undefined otherwise. */
function partOf(field: JsonSchema, defs: Definitions, kin: OperationName): JsonSchema | undefined {
  const { properties: known } = schemaOf(kin, 'input');
  const names = Object.keys(resolve(withoutNull(field).node, defs).properties ?? {});
  if (names.length < 5 || names.some((name) => known[name] === undefined)) return undefined;
  return { type: 'object', description: `${names.join(', ')}: as in ${kin}.` };
}

/** Keeps of a description only the unit. */
function withUnit(field: JsonSchema, description: unknown): JsonSchema {
  const unit = /Unit: [^ ]+\.$/.exec(String(description ?? ''))?.[0];
  return unit === undefined ? field : { ...field, description: unit };
}

/**
 * Returns the short schema of a parameter: type, values, range, unit and description. The structure of objects is written as a text (see
 * `shapes.ts`), which needs a third of the space of JSON Schema.
 */
function short(key: string, field: JsonSchema, defs: Definitions, terse: boolean): JsonSchema {
  const { node, nullable } = withoutNull(field);
  const whole = resolve(node, defs);
  const { type = 'object' } = whole;
  const structured = isStructured(node, defs);
  const values = 'const' in whole ? [whole.const] : (whole.enum as unknown[] | undefined);
  const shape = structured
    ? withoutSignals(createShapes(defs, terse ? undefined : PLAIN)(key, node), terse)
    : undefined;
  const words = [terse ? firstOf(whole.description) : whole.description, shape].filter(
    (part) => typeof part === 'string' && !PLAIN.has(part),
  );
  return {
    ...(terse && values !== undefined ? {} : { type: nullable ? [type, 'null'] : type }),
    ...(values === undefined ? {} : { enum: nullable ? [...values, null] : values }),
    ...(type === 'array' ? { items: itemsOf(whole, structured, defs) } : {}),
    ...(terse ? {} : rangeOf(whole)),
    ...(words.length === 0 ? {} : { description: words.join(' ') }),
    ...(terse ? {} : defaultOf(whole)),
  };
}

/** The names of all signals as a shape writes them. */
const SIGNALS = SIGNAL_NAMES.map((name) => `'${name}'`).join('|');

/** In the list of all tools, one tool names all signals, and a shape of another tool refers to it. */
function withoutSignals(shape: string, terse: boolean): string {
  if (!terse || !shape.includes(SIGNALS)) return shape;
  return `${shape.replaceAll(SIGNALS, 'signal')}, signals as in equipment_telemetry.`;
}

/** Returns the first sentence of a description, and its unit. */
function firstOf(description: unknown): string | undefined {
  if (typeof description !== 'string') return undefined;
  const [, words = '', unit] = /^(.*?(?:\.(?= |$)|$))(?:.*?(Unit: [^ ]+\.))?/.exec(description) ?? [];
  return words === unit || unit === undefined ? words : `${words} ${unit}`;
}

function itemsOf({ items }: JsonSchema, structured: boolean, defs: Definitions): JsonSchema {
  if (structured) return { type: 'object' };
  const { type = 'string', enum: values } = resolve((items ?? {}) as JsonSchema, defs);
  return { type, ...(values === undefined ? {} : { enum: values }) };
}

/** The default of a scalar, except the values that everybody expects. */
function defaultOf({ default: value }: JsonSchema): JsonSchema {
  const expected = value === '' || value === false || !['string', 'number', 'boolean'].includes(typeof value);
  return expected ? {} : { default: value };
}

/** The range of a number, without the lower limits 0 and 1. */
function rangeOf({ minimum, maximum }: JsonSchema): JsonSchema {
  return {
    ...(typeof minimum !== 'number' || minimum === 0 || minimum === 1 ? {} : { minimum }),
    ...(maximum === undefined ? {} : { maximum }),
  };
}

/** Returns true for an object with fields, a map with described values, a union, or a list of such values. */
function isStructured(schema: JsonSchema, defs: Definitions): boolean {
  const { properties, additionalProperties, items, anyOf, oneOf } = resolve(withoutNull(schema).node, defs);
  return (
    [properties, anyOf, oneOf].some((part) => part !== undefined) ||
    Object.keys(additionalProperties ?? {}).length > 0 ||
    (items !== undefined && isStructured(items as JsonSchema, defs))
  );
}
