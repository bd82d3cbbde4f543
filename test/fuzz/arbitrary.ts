/** Values from a JSON Schema: mostly what fits, sometimes what nearly does, sometimes anything. */
import fc from 'fast-check';
import type { JsonSchema } from '#servers/invoke/json-schemas.ts';

/** Words that mean something under a name: ids of things that exist, kinds of events. */
export type Known = (name: string) => readonly string[];
type Defs = Readonly<Record<string, JsonSchema>>;

/** What strangers send where a name, a number or an object was meant. */
const STRANGE: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    '',
    ' ',
    0,
    -1,
    1e308,
    2 ** 53,
    [],
    {},
    [[]],
    '\u0000',
    '\uFFFE',
    '__proto__',
    "'; DROP TABLE records;--",
    '../../etc/passwd',
    '{{7*7}}',
    '<script>alert(1)</script>',
    '\u202Egnp.exe',
    'NaN',
    '1970-01-01T00:00:00Z',
    '9999-12-31T23:59:59.999Z',
    '2026-02-30T00:00:00Z',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ minLength: 3_000, maxLength: 5_000 }),
  fc.jsonValue({ maxDepth: 3 }),
  fc.array(fc.integer(), { maxLength: 300 }),
);

/** An arbitrary for a schema. */
export function arbitraryOf(node: JsonSchema, defs: Defs, known: Known, depth = 0): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 60, arbitrary: fitting(node, defs, known, depth) }, { weight: 1, arbitrary: STRANGE });
}

function fitting(node: JsonSchema, defs: Defs, known: Known, depth: number): fc.Arbitrary<unknown> {
  if (depth > 6) return fc.constant(null);
  if (typeof node.$ref === 'string')
    return fitting(defs[node.$ref.slice('#/$defs/'.length)] ?? {}, defs, known, depth + 1);
  const branches = (node.anyOf ?? node.oneOf) as JsonSchema[] | undefined;
  if (branches !== undefined) return fc.oneof(...branches.map((branch) => fitting(branch, defs, known, depth + 1)));
  if (node.const !== undefined) return fc.constant(node.const);
  if (Array.isArray(node.enum)) return fc.constantFrom(...(node.enum as unknown[]));
  switch (node.type) {
    case 'object':
      return objectOf(node, defs, known, depth);
    case 'array': {
      const members = node.prefixItems as JsonSchema[] | undefined;
      if (members !== undefined)
        return fc.tuple(...members.map((member) => arbitraryOf(member, defs, known, depth + 1)));
      const least = Number(node.minItems ?? 0);
      return fc.array(arbitraryOf((node.items as JsonSchema | undefined) ?? {}, defs, known, depth + 1), {
        minLength: least,
        maxLength: Math.max(least, Math.min(Number(node.maxItems ?? 4), 4)),
      });
    }
    case 'integer': {
      const min = clamp(node.minimum, -1_000);
      return fc.integer({ min, max: clamp(node.maximum, Math.max(100_000, min + 1_000)) });
    }
    case 'number':
      return fc.double({
        min: clamp(node.minimum ?? node.exclusiveMinimum, -1_000),
        max: clamp(node.maximum, 100_000),
        noNaN: true,
      });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'string':
      return stringOf(node);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function objectOf(node: JsonSchema, defs: Defs, known: Known, depth: number): fc.Arbitrary<unknown> {
  const properties = (node.properties ?? {}) as Record<string, JsonSchema>;
  const required = new Set(node.required as string[] | undefined);
  const names = Object.keys(properties);
  if (names.length === 0) {
    const inner = (node.additionalProperties ?? {}) as JsonSchema;
    return fc.dictionary(fc.string({ maxLength: 12 }), fitting(inner, defs, known, depth + 1), { maxKeys: 3 });
  }
  const model = Object.fromEntries(
    names.map((name) => {
      const words = known(name);
      const schema = properties[name] ?? {};
      return [
        name,
        words.length > 0 ? named(schema, defs, words, known, depth) : arbitraryOf(schema, defs, known, depth + 1),
      ];
    }),
  );
  const requiredKeys = names.filter((name) => required.has(name));
  const optional = names.filter((name) => !required.has(name));
  // Few optional names at a time, or one of them spoils nearly every request; required ones are left out now and then.
  return fc
    .tuple(
      fc.record(model),
      fc.subarray(optional, { maxLength: Math.min(optional.length, 4) }),
      fc.integer({ min: 0, max: 100 }),
      fc.constantFrom(...names),
      fc.string({ maxLength: 10 }),
    )
    .map(([value, few, dice, name, extra]) => {
      const kept = new Set(dice > 80 ? names : [...requiredKeys, ...few]);
      if (dice === 0) kept.delete(name);
      const chosen = Object.fromEntries(Object.entries(value).filter(([key]) => kept.has(key)));
      return dice === 1 ? { ...chosen, [extra]: 1 } : chosen;
    });
}

/** A field whose name says what belongs there; a list of it where the schema wants one. */
function named(
  schema: JsonSchema,
  defs: Defs,
  words: readonly string[],
  known: Known,
  depth: number,
): fc.Arbitrary<unknown> {
  const word = fc.constantFrom(...words);
  const fit = schema.type === 'array' ? fc.array(word, { minLength: 1, maxLength: 3 }) : word;
  return fc.oneof({ weight: 8, arbitrary: fit }, { weight: 1, arbitrary: arbitraryOf(schema, defs, known, depth + 1) });
}

function stringOf(node: JsonSchema): fc.Arbitrary<string> {
  const least = Number(node.minLength ?? 0);
  const plain = fc.string({ minLength: least, maxLength: Math.max(least, Math.min(Number(node.maxLength ?? 40), 40)) });
  if (node.format === 'date-time') return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
  if (node.format === 'date') return fc.date({ noInvalidDate: true }).map((date) => date.toISOString().slice(0, 10));
  if (node.format === 'uri') return fc.webUrl();
  const pattern = typeof node.pattern === 'string' ? patternOf(node.pattern) : undefined;
  if (pattern !== undefined) return fc.oneof({ weight: 4, arbitrary: pattern }, { weight: 1, arbitrary: plain });
  return plain;
}

function patternOf(pattern: string): fc.Arbitrary<string> | undefined {
  try {
    return fc.stringMatching(new RegExp(pattern));
  } catch {
    return undefined;
  }
}

function clamp(bound: unknown, otherwise: number): number {
  return typeof bound === 'number' && Math.abs(bound) < 2 ** 31 ? bound : otherwise;
}
