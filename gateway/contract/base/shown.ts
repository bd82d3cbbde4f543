/**
 * Schemas of stored records in answers. The other end may have a newer version, which knows more values of a choice. An answer shows such a
 * value as `unknown`, and the stored value stays.
 */
import { z } from 'zod';

/** What an answer shows in the place of a stored value that this version does not know. */
export const UNKNOWN_VALUE = 'unknown';
type UnknownValue = typeof UNKNOWN_VALUE;
const FROM_NEWER = '`unknown`: a newer version wrote a value that this one does not know; it is kept.';

/**
 * A stored choice in an answer. The other end may have a newer version with more values; this version keeps such a value and shows it as
 * `unknown`. Requests cannot give this value.
 */
export function shown<const T extends readonly [string, ...string[]]>(values: T, description?: string) {
  const words = description === undefined ? FROM_NEWER : `${description} ${FROM_NEWER}`;
  return z.enum([...values, UNKNOWN_VALUE]).meta({ description: words });
}

type IsUnion<T, U = T> = [T] extends [never] ? false : T extends U ? ([U] extends [T] ? false : true) : never;
/** A choice of several strings gets the value `unknown`; a free text and a single string stay as they are. */
type ShownText<T> = [T] extends [never] ? never : string extends T ? T : IsUnion<T> extends true ? T | UnknownValue : T;
type ShownOther<T> = T extends readonly (infer E)[]
  ? Shown<E>[]
  : T extends object
    ? { [K in keyof T]: Shown<T[K]> }
    : T;
/** A stored record as an answer shows it: each choice in it may be `unknown`. */
export type Shown<T> = ShownText<Extract<T, string>> | ShownOther<Exclude<T, string>>;

type ShownShape<S extends z.ZodRawShape> = {
  [K in keyof S]: S[K] extends z.ZodOptional
    ? z.ZodOptional<z.ZodType<Shown<Exclude<z.output<S[K]>, undefined>>>>
    : z.ZodType<Shown<z.output<S[K]>>>;
};

/**
 * The fields of a stored record as answers show them: each choice in them may be `unknown`. Rules over several fields of an object are left
 * out, because a newer version may have other rules.
 */
export function shownFields<S extends z.ZodRawShape>(shape: S): ShownShape<S> {
  const known = new Map<z.ZodType, z.ZodType>();
  return Object.fromEntries(
    Object.entries(shape).map(([key, field]) => [key, shownOf(field as z.ZodType, known)]),
  ) as unknown as ShownShape<S>;
}

/** Returns the schema itself if it has no choice. `known`: the results until now, so that a schema that is used twice is rebuilt once. */
function shownOf(schema: z.ZodType, known: Map<z.ZodType, z.ZodType>): z.ZodType {
  const before = known.get(schema);
  if (before !== undefined) return before;
  const made = rebuilt(schema, (inner) => shownOf(inner as z.ZodType, known));
  const meta = schema.meta();
  const result = made === schema || meta === undefined ? made : made.meta(meta);
  known.set(schema, result);
  return result;
}

function rebuilt(schema: z.ZodType, inside: (inner: unknown) => z.ZodType): z.ZodType {
  if (schema instanceof z.ZodEnum) {
    const values = schema.options as string[];
    return values.includes(UNKNOWN_VALUE) ? schema : z.enum([...values, UNKNOWN_VALUE]);
  }
  // A choice from a long list, such as the names of signals, is a checked text.
  if (schema instanceof z.ZodCustom && schema.meta()?.type === 'string')
    return z.custom((value) => value === UNKNOWN_VALUE || schema.safeParse(value).success);
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries(schema.shape as z.ZodRawShape);
    const shape = Object.fromEntries(fields.map(([key, field]) => [key, inside(field)]));
    return fields.every(([key, field]) => shape[key] === field) ? schema : z.object(shape);
  }
  if (schema instanceof z.ZodArray) {
    const element = inside(schema.element);
    return element === schema.element
      ? schema
      : z.array(element).check(...((schema.def.checks as z.core.$ZodCheck<unknown[]>[]) ?? []));
  }
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) {
    const inner = inside(schema.unwrap());
    if (inner === schema.unwrap()) return schema;
    if (schema instanceof z.ZodNullable) return inner.nullable();
    return schema instanceof z.ZodOptional ? inner.optional() : inner.default(schema.def.defaultValue);
  }
  return schema;
}
