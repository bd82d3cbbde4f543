/** JSON Schemas (2020-12) of the operations' inputs and outputs, trimmed to what callers need. */
import { z } from 'zod';
import type { Operation } from '#contract/base/operation.ts';
import { type OperationName, operations } from '#contract/operations.ts';

export type JsonSchema = { [key: string]: unknown };
/** A schema whose root is an object, and the definitions it refers to by `#/$defs/Name`. */
export interface ObjectSchema extends JsonSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
}

/** The declaration as rows, with the types of the single operations widened. */
export const TABLE: ReadonlyMap<OperationName, Operation> = new Map(
  Object.entries(operations) as unknown as [OperationName, Operation][],
);

/** The row of an operation. */
export function operationRow(name: OperationName): Operation {
  return operations[name] as unknown as Operation;
}

const cache = new Map<string, ObjectSchema>();

/** What callers send (`input`) or get (`output`); the root is an object and never a bare `$ref`. */
export function schemaOf(name: OperationName, side: 'input' | 'output'): ObjectSchema {
  const key = `${name}.${side}`;
  let schema = cache.get(key);
  if (schema === undefined) {
    // A root with `.meta({ id })` would become a bare $ref, which MCP clients refuse; its shape alone does not.
    const root = z.object(operationRow(name)[side].shape);
    schema = trim(z.toJSONSchema(root, { io: side, unrepresentable: 'any' }), side) as ObjectSchema;
    cache.set(key, schema);
  }
  return schema;
}

/** A zod schema as JSON Schema, trimmed like those of the operations. */
export function schemaFor(schema: z.ZodType): JsonSchema {
  return trim(z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' }), 'output') as JsonSchema;
}

function trim(node: unknown, side: 'input' | 'output'): unknown {
  if (Array.isArray(node)) return node.map((item) => trim(item, side));
  if (typeof node !== 'object' || node === null) return node;
  const out: JsonSchema = {};
  for (const [key, value] of Object.entries(node)) {
    if (key === '$schema' || key === 'id') {
      if (key === 'id' && typeof value === 'object') out[key] = trim(value, side);
      continue;
    }
    // The format says it; the pattern of every leap year is 400 characters long.
    if (key === 'pattern' && 'format' in node) continue;
    if (Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER && (key === 'minimum' || key === 'maximum')) continue;
    if (key === 'additionalProperties' && value === false) continue;
    if (key === 'unit' && typeof value === 'string') {
      out['x-unit'] = value;
      continue;
    }
    out[key] = trim(value, side);
  }
  if (typeof out['x-unit'] === 'string' && !('properties' in out))
    out.description = `${typeof out.description === 'string' ? `${out.description} ` : ''}Unit: ${out['x-unit']}.`;
  // A tuple is bounded by its length already; a linter takes `items: false` for an array without items.
  if ('prefixItems' in out && out.items === false && 'maxItems' in out) out.items = {};
  // Unknown names are refused on the way in; on the way out a later version may add some.
  if (side === 'input' && out.type === 'object' && 'properties' in out) out.additionalProperties = false;
  return out;
}
