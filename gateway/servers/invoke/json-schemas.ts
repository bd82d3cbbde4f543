/** Builds JSON Schemas (2020-12) of the inputs and outputs of operations, without keywords that callers do not need. */
import { z } from 'zod';
import type { Operation } from '#contract/base/operation.ts';
import { type OperationName, operations } from '#contract/operations.ts';

export type JsonSchema = { [key: string]: unknown };
/** A schema with an object as its root, and the definitions to which it refers as `#/$defs/Name`. */
export interface ObjectSchema extends JsonSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
}

/** The declared operations by name, all with the type `Operation`. */
export const TABLE: ReadonlyMap<OperationName, Operation> = new Map(
  Object.entries(operations) as unknown as [OperationName, Operation][],
);

/** Returns the declaration of an operation. */
export function operationRow(name: OperationName): Operation {
  return operations[name] as unknown as Operation;
}

const cache = new Map<string, ObjectSchema>();

/** Returns the JSON Schema of the input or output of an operation. The root of this schema is an object, never a `$ref`. */
export function schemaOf(name: OperationName, side: 'input' | 'output'): ObjectSchema {
  const key = `${name}.${side}`;
  let schema = cache.get(key);
  if (schema === undefined) {
    // zod would turn a root with `.meta({ id })` into a `$ref`, which MCP clients refuse. So build the root from its shape.
    const root = z.object(operationRow(name)[side].shape);
    schema = trim(z.toJSONSchema(root, { io: side, unrepresentable: 'any' }), side) as ObjectSchema;
    cache.set(key, schema);
  }
  return schema;
}

/** Converts any zod schema to JSON Schema. Removes the same keywords as `schemaOf`. */
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
    // Remove the pattern that zod adds for dates. It has 400 characters to describe leap years, and `format` is enough for callers.
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
  // Replace `items: false` of a tuple: `maxItems` already limits the tuple, and some linters read `items: false` as "must be empty".
  if ('prefixItems' in out && out.items === false && 'maxItems' in out) out.items = {};
  // The gateway refuses an input with unknown names, so say this in the schema. An output may get new names in a later version, so its
  // schema allows them.
  if (side === 'input' && out.type === 'object' && 'properties' in out) out.additionalProperties = false;
  return out;
}
