/**
 * Validates a large value against a zod schema piece by piece, and stops at the first 20 faults.
 *
 * zod itself always validates the whole value and collects all faults. For 270,000 faults this blocks the event loop for seconds. So this
 * file checks the length of a list before its items, validates a few items at a time, and stops when it has enough faults for an error
 * message. For a valid value the result is the same as the result of `safeParse`.
 */
import { z } from 'zod';
import { PARSE } from '#contract/base/input-words.ts';
import { LIMITS } from '#contract/base/limits.ts';

/** A validation fault, with the fields of an issue of zod. */
export type Issue = Pick<z.core.$ZodIssue, 'code' | 'path' | 'message'>;

/** Largest number of faults that the validation collects before it stops. */
export const MOST_FAULTS = LIMITS.json_faults.value;
/** An object or list with at least this many values is validated in pieces. */
const PART = 500;

type Path = readonly PropertyKey[];

/** Returns true if a JSON value contains more than `most` values, including itself. The function stops counting at `most`. */
export function isLarge(value: unknown, most: number = PART): boolean {
  return countParts(value, most) > most;
}

function countParts(value: unknown, most: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  if (Array.isArray(value)) {
    for (const item of value) {
      count += countParts(item, most - count);
      if (count > most) break;
    }
    return count;
  }
  for (const name in value) {
    count += countParts((value as Record<string, unknown>)[name], most - count);
    if (count > most) break;
  }
  return count;
}

/**
 * Validates `value` in pieces, and yields after each piece. Adds faults to `issues`. The returned value is valid only if there are no
 * faults.
 */
export function* parseInPieces(
  schema: z.core.$ZodType,
  value: unknown,
  issues: Issue[],
  path: Path = [],
): Generator<void, unknown> {
  if (issues.length >= MOST_FAULTS) return undefined;
  if (isLarge(value)) {
    const inner = innerOf(schema);
    if (inner !== undefined) return yield* parseInPieces(inner, value, issues, path);
    if (schema instanceof z.ZodArray && Array.isArray(value)) return yield* parseList(schema, value, issues, path);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      if (schema instanceof z.ZodObject) return yield* parseObject(schema, value, issues, path);
      if (schema instanceof z.ZodRecord) return yield* parseRecord(schema, value, issues, path);
    }
  }
  const parsed = z.safeParse(schema, value, PARSE);
  yield;
  if (parsed.success) return parsed.data;
  add(issues, parsed.error.issues, path);
  return undefined;
}

function add(issues: Issue[], found: readonly Issue[], path: Path): void {
  for (const issue of found.slice(0, MOST_FAULTS - issues.length))
    issues.push({ ...issue, path: [...path, ...issue.path] });
}

/** Returns the schema inside `optional`, `nullable` or `default`; undefined for any other schema, and for a schema with further checks. */
function innerOf(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  const wraps = schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault;
  return wraps && (schema.def as { checks?: readonly unknown[] }).checks?.length === undefined
    ? schema.def.innerType
    : undefined;
}

/** Runs the checks of a schema on a whole list or object after its parts were validated, for example the minimum length of a list. */
function wholeFits(schema: z.core.$ZodType, value: unknown, issues: Issue[], path: Path, before: number): unknown {
  const checks = schema._zod.def.checks ?? [];
  if (issues.length > before || checks.length === 0) return value;
  // The parts of the value are already validated, so run only the checks of the schema here.
  const whole = z.custom<never>(() => true).check(...checks);
  const parsed = whole.safeParse(value, PARSE);
  if (parsed.success) return parsed.data;
  add(issues, parsed.error.issues, path);
  return undefined;
}

function mostItems(schema: z.ZodArray): number {
  for (const { _zod } of schema.def.checks ?? [])
    if (_zod.def.check === 'max_length') return (_zod.def as z.core.$ZodCheckMaxLengthDef).maximum;
  return Number.POSITIVE_INFINITY;
}

function* parseList(
  schema: z.ZodArray,
  value: readonly unknown[],
  issues: Issue[],
  path: Path,
): Generator<void, unknown> {
  const before = issues.length;
  const maximum = mostItems(schema);
  if (value.length > maximum) {
    issues.push({ code: 'too_big', path: [...path], message: `must have at most ${maximum} items` });
    return undefined;
  }
  const out: unknown[] = [];
  for (const [i, item] of value.entries()) {
    out.push(yield* parseInPieces(schema.element, item, issues, [...path, i]));
    if (issues.length >= MOST_FAULTS) return undefined;
  }
  return wholeFits(schema, out, issues, path, before);
}

function* parseObject(schema: z.ZodObject, value: object, issues: Issue[], path: Path): Generator<void, unknown> {
  const before = issues.length;
  const out: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(schema.shape)) {
    const there = Object.hasOwn(value, name);
    const parsed = yield* parseInPieces(field, (value as Record<string, unknown>)[name], issues, [...path, name]);
    if (there || parsed !== undefined) out[name] = parsed;
  }
  return wholeFits(schema, out, issues, path, before);
}

function* parseRecord(schema: z.ZodRecord, value: object, issues: Issue[], path: Path): Generator<void, unknown> {
  const before = issues.length;
  const out: Record<string, unknown> = {};
  const most = z.globalRegistry.get(schema)?.maxProperties;
  if (typeof most === 'number' && Object.keys(value).length > most) {
    issues.push({ code: 'too_big', path: [...path], message: `at most ${most} entries are allowed` });
    return undefined;
  }
  for (const [name, item] of Object.entries(value)) {
    const key = z.safeParse(schema.keyType, name);
    if (!key.success)
      add(issues, [{ code: 'invalid_key', path: [name], message: 'has a name that is not allowed' }], path);
    out[name] = yield* parseInPieces(schema.valueType, item, issues, [...path, name]);
    if (issues.length >= MOST_FAULTS) return undefined;
  }
  return wholeFits(schema, out, issues, path, before);
}
