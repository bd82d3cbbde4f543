/**
 * What every text and time of a caller is checked for, whatever the operation: characters that nobody can see, half characters, and
 * years that a calendar or a sorted list cannot hold. One walk over the input and its schema, after the schema accepted the input.
 */
import { LIMITS } from '#contract/base/limits.ts';
import type { JsonSchema } from './json-schemas.ts';

type Defs = Readonly<Record<string, JsonSchema>>;

/** A value that is refused. The path leads to it from the outside in. */
export interface Fault {
  readonly path: (string | number)[];
  readonly message: string;
}

/** A text with this bound or a smaller one is a name: one line that shows something. */
const LONGEST_NAME = 200;
/** A text with a larger bound is the content of a file, which its own reader judges. */
const LONGEST_TEXT = 65_536;
/** A fraction of a second may have any number of digits. */
const LONGEST_TIME = 40;
const EARLIEST_MS = 0;
const LATEST_MS = Date.UTC(LIMITS.times.value + 1, 0, 1);

const CONTROL = /\p{Cc}/u;
const NEITHER_TAB_NOR_LINE_END = /[^\t\n\r\P{Cc}]/u;
/** Ends of lines, and marks that change the direction of what stands beside them. */
const NOT_IN_A_NAME = /[\p{Zl}\p{Zp}\p{Bidi_Control}]/u;
const VISIBLE = /[^\s\p{Default_Ignorable_Code_Point}]/u;

function faultOfText(text: string, schema: JsonSchema | undefined): string | undefined {
  const { maxLength, minLength, format } = schema ?? {};
  if (format === 'date-time' || format === 'date') {
    const ms = Date.parse(text);
    return text.length <= LONGEST_TIME && ms >= EARLIEST_MS && ms < LATEST_MS
      ? undefined
      : `a time in the years 1970 to ${LIMITS.times.value}`;
  }
  if (typeof maxLength === 'number' && maxLength > LONGEST_TEXT) return undefined;
  if (!text.isWellFormed()) return 'a text of whole characters; this one has half a surrogate pair';
  if (typeof maxLength !== 'number' || maxLength > LONGEST_NAME)
    return NEITHER_TAB_NOR_LINE_END.test(text) ? 'a text without control characters' : undefined;
  if (CONTROL.test(text) || NOT_IN_A_NAME.test(text))
    return 'one line, without control characters and marks of direction';
  return typeof minLength === 'number' && minLength > 0 && !VISIBLE.test(text)
    ? 'a text with at least one visible character'
    : undefined;
}

/** The first text or time of an input that is refused; undefined when there is none. */
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
    if (named !== undefined) return { path: [key], message: `the name is not ${named}` };
    const fault = faultOf(item, known ? properties[key] : others, defs);
    if (fault === undefined) continue;
    fault.path.unshift(key);
    return fault;
  }
  return undefined;
}

const NAME: JsonSchema = { maxLength: LONGEST_NAME };
