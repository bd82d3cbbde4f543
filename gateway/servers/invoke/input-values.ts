/**
 * Checks every text and time of an input, in all operations. It refuses invisible characters, half surrogate pairs, and times outside the
 * years 1970 to 9999, which calendars and sorted lists cannot handle. The check runs after the input was validated against its schema.
 */
import { LIMITS } from '#contract/base/limits.ts';
import type { JsonSchema } from './json-schemas.ts';

type Defs = Readonly<Record<string, JsonSchema>>;

/** A refused value of an input: the path of the value, outermost field first, and the reason for the refusal. */
export interface Fault {
  readonly path: (string | number)[];
  readonly message: string;
}

/** A text with a `maxLength` of at most this number is treated as a name: it must be one line and must have a visible character. */
const LONGEST_NAME = 200;
/**
 * A text with a `maxLength` above this number is the content of a file. This module does not check it; the parser of the file checks it.
 */
const LONGEST_TEXT = 65_536;
/** Largest length of a time in characters. The schema allows any number of digits after the seconds, so the length needs its own limit. */
const LONGEST_TIME = 40;
const EARLIEST_MS = 0;
const LATEST_MS = Date.UTC(LIMITS.times.value + 1, 0, 1);

const CONTROL = /\p{Cc}/u;
const NEITHER_TAB_NOR_LINE_END = /[^\t\n\r\P{Cc}]/u;
/** Characters that a name must not contain: line ends, and marks that change the direction of the text around them. */
const NOT_IN_A_NAME = /[\p{Zl}\p{Zp}\p{Bidi_Control}]/u;
const VISIBLE = /[^\s\p{Default_Ignorable_Code_Point}]/u;

function faultOfText(text: string, schema: JsonSchema | undefined): string | undefined {
  const { maxLength, minLength, format } = schema ?? {};
  if (format === 'date-time' || format === 'date') {
    const ms = Date.parse(text);
    return text.length <= LONGEST_TIME && ms >= EARLIEST_MS && ms < LATEST_MS
      ? undefined
      : `must be a time in the years 1970 to ${LIMITS.times.value}`;
  }
  if (typeof maxLength === 'number' && maxLength > LONGEST_TEXT) return undefined;
  if (!text.isWellFormed()) return 'must be valid Unicode; it contains half of a surrogate pair';
  if (typeof maxLength !== 'number' || maxLength > LONGEST_NAME)
    return NEITHER_TAB_NOR_LINE_END.test(text) ? 'must not contain control characters' : undefined;
  if (CONTROL.test(text) || NOT_IN_A_NAME.test(text))
    return 'must be one line without control characters and text direction marks';
  return typeof minLength === 'number' && minLength > 0 && !VISIBLE.test(text)
    ? 'must have at least one visible character'
    : undefined;
}

/** Returns the first text or time of an input that breaks a rule of this file; undefined if there is none. */
export function faultOf(value: unknown, schema: JsonSchema | undefined, defs: Defs): Fault | undefined {
  if (typeof value === 'number' || typeof value === 'boolean' || value === null || value === undefined)
    return undefined;
  if (typeof schema?.$ref === 'string') return faultOf(value, defs[schema.$ref.slice('#/$defs/'.length)], defs);
  if (Array.isArray(schema?.anyOf)) {
    const wanted = typeof value === 'string' ? 'string' : Array.isArray(value) ? 'array' : 'object';
    const options = schema.anyOf as JsonSchema[];
    const option = options.find(({ type, $ref }) => type === wanted || $ref !== undefined);
    return faultOf(value, option, defs);
  }
  if (typeof value === 'string') {
    const message = faultOfText(value, schema);
    return message === undefined ? undefined : { path: [], message };
  }
  if (Array.isArray(value)) return faultOfItems(value, schema, defs);
  return typeof value === 'object' ? faultOfFields(value, schema, defs) : undefined;
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function faultOfItems(items: readonly unknown[], schema: JsonSchema | undefined, defs: Defs): Fault | undefined {
  const inner = isSchema(schema?.items) ? schema.items : undefined;
  for (const [i, item] of items.entries()) {
    const fault = faultOf(item, inner, defs);
    if (fault === undefined) continue;
    fault.path.unshift(i);
    return fault;
  }
  return undefined;
}

function faultOfFields(fields: object, schema: JsonSchema | undefined, defs: Defs): Fault | undefined {
  const properties = schema?.properties as Readonly<Record<string, JsonSchema>> | undefined;
  const others = isSchema(schema?.additionalProperties) ? schema.additionalProperties : undefined;
  for (const [key, item] of Object.entries(fields)) {
    const known = properties !== undefined && Object.hasOwn(properties, key);
    const named = known ? undefined : faultOfText(key, isSchema(schema?.propertyNames) ? schema.propertyNames : NAME);
    if (named !== undefined) return { path: [key], message: `the name ${named}` };
    const fault = faultOf(item, known ? properties[key] : others, defs);
    if (fault === undefined) continue;
    fault.path.unshift(key);
    return fault;
  }
  return undefined;
}

const NAME: JsonSchema = { maxLength: LONGEST_NAME };
