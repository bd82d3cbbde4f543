/**
 * Shapes as text, for what stands inside the answers of tools: `{spn: integer|null (Suspect parameter), fmi: integer, note?: string}`.
 * A third of the length of their JSON Schema, and nothing that a reader needs is lost: `?` may be absent, `|null`, the values of an
 * enumeration in quotes, the unit in brackets, and in parentheses what is said of a field.
 */
import type { JsonSchema } from '#servers/invoke/json-schemas.ts';

/** Says in words where a definition is described; undefined: here. */
export type Elsewhere = (definition: string) => string | undefined;

/** The definitions that schemas refer to by `#/$defs/Name`. */
export type Definitions = Readonly<Record<string, JsonSchema>>;

/** The keywords that are looked at. */
interface Wide extends JsonSchema {
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

/** The name of the definition that a schema refers to; undefined for one that is written out. */
export function refersTo(node: JsonSchema): string | undefined {
  return typeof node.$ref === 'string' ? node.$ref.slice('#/$defs/'.length) : undefined;
}

/** Replaces the reference of a schema by its definition. Keywords beside the reference override those of the definition. */
export function resolve(node: JsonSchema, defs: Definitions): JsonSchema {
  const id = refersTo(node);
  if (id === undefined) return node;
  const { $ref: _, ...beside } = node;
  return { ...defs[id], ...beside };
}

/** A schema without `null` among its branches, and whether it was there. */
export function withoutNull(node: JsonSchema): { readonly node: JsonSchema; readonly nullable: boolean } {
  const { anyOf = [], ...rest } = node as Wide;
  const branches = anyOf.filter(({ type }) => type !== 'null');
  if (branches.length === anyOf.length) return { node, nullable: false };
  const [only, ...others] = branches;
  return { node: others.length === 0 ? { ...only, ...rest } : { anyOf: branches, ...rest }, nullable: true };
}

/**
 * Writes the shapes in one answer as text. What is long and stands there a second time is told by the name of the field that had it first.
 */
export function createShapes(defs: Definitions, elsewhere: Elsewhere, plain: ReadonlySet<unknown>) {
  const first = new Map<string, string>();
  // With a path, what is long and known is told by name; without, a shape is written whole, to be known by.

  function branchesOf(schema: JsonSchema, at: string | undefined): string[] {
    const { node, nullable } = withoutNull(schema);
    const words = elsewhere(refersTo(node) ?? '');
    const branches = words === undefined ? typesOf(resolve(node, defs), at) : [words];
    return nullable ? [...branches, 'null'] : branches;
  }

  function typesOf(schema: JsonSchema, at: string | undefined): string[] {
    const { type = 'any', items = {}, format, properties, additionalProperties, ...node } = schema as Wide;
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
      return `${key}${required.includes(key) ? '' : '?'}: ${shape}${saidOf(field)}`;
    });
    return `{${fields.join(', ')}}`;
  }

  /** What a field says besides its type: its unit, that it is a share of 1, and its description. */
  function saidOf(field: JsonSchema): string {
    const { 'x-unit': unit, minimum, maximum, description } = resolve(withoutNull(field).node, defs);
    const words = plain.has(description) ? '' : String(description ?? '').replace(/ ?Unit: [^ ]+\.$/, '');
    return [
      typeof unit === 'string' ? ` [${unit}]` : '',
      minimum === 0 && maximum === 1 ? ' [0..1]' : '',
      words === '' ? '' : ` (${words.replace(/\.$/, '')})`,
    ].join('');
  }

  /** The shape of the field at this path. */
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

/** Shorter shapes are written again. */
const LONG = 60;

function listOf(each: readonly string[]): string {
  const [only = 'any', ...others] = each;
  const simple = others.length === 0 && (only.startsWith('{') || !only.includes(' '));
  return simple ? `${only}[]` : `(${each.join('|')})[]`;
}
