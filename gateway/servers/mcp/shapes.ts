/**
 * Writes the schema of the nested objects in the input of a tool as a short text, for example `{spn: integer|null (Suspect parameter), wall_ms?:
 * number [ms]}`. This text is a third as long as the JSON Schema. `?` marks a field that may be absent, `|null` one that may be null. The
 * values of an enumeration are in quotes, units in brackets, and descriptions in parentheses.
 */
import type { JsonSchema } from '#servers/invoke/json-schemas.ts';

/** The definitions to which schemas refer as `#/$defs/Name`. */
export type Definitions = Readonly<Record<string, JsonSchema>>;

/** The keywords of JSON Schema that this file uses. */
interface KnownKeywords extends JsonSchema {
  readonly type?: string;
  readonly properties?: Definitions;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly format?: string;
}

/** Returns the name of the definition that a schema refers to; undefined for a schema without `$ref`. */
function refersTo(node: JsonSchema): string | undefined {
  return typeof node.$ref === 'string' ? node.$ref.slice('#/$defs/'.length) : undefined;
}

/** Replaces the reference of a schema by its definition. Keywords beside the reference override the same keywords of the definition. */
export function resolve(node: JsonSchema, defs: Definitions): JsonSchema {
  const id = refersTo(node);
  if (id === undefined) return node;
  const { $ref: _, ...beside } = node;
  return { ...defs[id], ...beside };
}

/** Removes the branch `null` from the `anyOf` of a schema. `nullable` is true if the schema had this branch. */
export function withoutNull(node: JsonSchema): { readonly node: JsonSchema; readonly nullable: boolean } {
  const { anyOf = [], ...rest } = node as KnownKeywords;
  const branches = anyOf.filter(({ type }) => type !== 'null');
  if (branches.length === anyOf.length) return { node, nullable: false };
  const [only, ...others] = branches;
  return { node: others.length === 0 ? { ...only, ...rest } : { anyOf: branches, ...rest }, nullable: true };
}

/**
 * Creates the function that writes the shapes of one input. It leaves out the descriptions in `plain`; if `plain` is undefined, all
 * descriptions except units. A shape is the text that describes the objects inside a field. If a shape of
 * 60 characters or more appears again, the function writes `as` and the path of the first field with that shape.
 */
export function createShapes(defs: Definitions, plain: ReadonlySet<unknown> | undefined) {
  const first = new Map<string, string>();
  // `at` is the path of the field. If `at` is undefined, the functions below write a shape in full, to compare it with earlier shapes. If
  // `at` is set, they may write `as <path>` for an inner field.

  function branchesOf(schema: JsonSchema, at: string | undefined): string[] {
    const { node, nullable } = withoutNull(schema);
    const branches = typesOf(resolve(node, defs), at);
    return nullable ? [...branches, 'null'] : branches;
  }

  function typesOf(schema: JsonSchema, at: string | undefined): string[] {
    const { type = 'any', items = {}, format, properties, additionalProperties, ...node } = schema as KnownKeywords;
    const union = node.anyOf ?? node.oneOf;
    if (union !== undefined) return union.flatMap((one) => branchesOf(one, at));
    const values = 'const' in node ? [node.const] : node.enum;
    if (values !== undefined) return values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value)));
    if (type === 'array') return [listOf(branchesOf(items, at))];
    if (type !== 'object') return [format === 'date-time' ? 'time' : type].flat();
    if (properties !== undefined) return [fieldsOf(properties, node.required ?? [], at)];
    const each = Object.keys(additionalProperties ?? {}).length > 0 ? additionalProperties : undefined;
    return [each === undefined ? 'object' : `{[name]: ${branchesOf(each, at).join('|')}}`];
  }

  function fieldsOf(properties: Definitions, required: readonly string[], at: string | undefined): string {
    const fields = Object.entries(properties).map(([key, field]) => {
      const shape = at === undefined ? branchesOf(field, at).join('|') : shapeOf(`${at}.${key}`, field);
      const type = shape === 'string' ? '' : `: ${shape}`;
      return `${key}${required.includes(key) ? '' : '?'}${type}${notesOf(field)}`;
    });
    return `{${fields.join(', ')}}`;
  }

  /** Returns the text after the type of a field: its unit, `[0..1]` for a share of 1, and its description. */
  function notesOf(field: JsonSchema): string {
    const { 'x-unit': unit, minimum, maximum, description } = resolve(withoutNull(field).node, defs);
    const words =
      plain === undefined || plain.has(description) ? '' : String(description ?? '').replace(/ ?Unit: [^ ]+\.$/, '');
    return [
      typeof unit === 'string' && unit !== '1' ? ` [${unit}]` : '',
      minimum === 0 && maximum === 1 ? ' [0..1]' : '',
      words === '' ? '' : ` (${words.replace(/\.$/, '')})`,
    ].join('');
  }

  /** Returns the shape of the field at a path, or `as <path>` if the same long shape was written before. */
  function shapeOf(path: string, field: JsonSchema): string {
    const whole = branchesOf(field, undefined).join('|');
    if (whole.length < LONG) return whole;
    const known = first.get(whole);
    if (known !== undefined) return `as ${known}`;
    first.set(whole, path);
    return branchesOf(field, path).join('|');
  }

  return shapeOf;
}

/** A repeated shape with at least this many characters is replaced by `as <path>`. */
const LONG = 60;

function listOf(each: readonly string[]): string {
  const [only = 'any', ...others] = each;
  const simple = others.length === 0 && (only.startsWith('{') || !only.includes(' '));
  return simple ? `${only}[]` : `(${each.join('|')})[]`;
}
