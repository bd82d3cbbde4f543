/**
 * Says in words what is wrong with a value, for the error that a caller gets. The words complete a sentence that begins with the name of the
 * field: "`year`: must be a whole number, not a text." They say what the caller may send instead.
 */
import type { z } from 'zod';
import { part, say, type Told, type ToldPart, textOf } from './told.ts';

const TYPES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

const FORMATS: Readonly<Record<string, string>> = {
  datetime: 'must be a time with its zone, such as 2026-11-21T06:00:00Z',
  date: 'must be a day, such as 2026-11-21',
  url: 'must be a URL, such as https://host/path',
  base64: 'must be base64',
};

/** What is known about a fault: an issue of zod before or after it has its message. */
type Fault = { readonly code?: string; readonly [key: string]: unknown };

/** The words for each kind of fault. Use it as `schema.safeParse(value, PARSE)`. Words that a schema gives itself come first. */
export const PARSE = { error: (issue: z.core.$ZodRawIssue) => textOf(inputWords(issue, issue.input)) };

/** Returns the words for a fault of a value, as a template with parameters. */
export function inputWords(issue: Fault, input: unknown): Told {
  const { minimum, maximum, values, keys } = issue;
  switch (issue.code) {
    case 'invalid_type': {
      const expected = String(issue.expected);
      return say('must be {expected}, not {found}', {
        expected: part(TYPES[expected] ?? expected),
        found: typeOf(input),
      });
    }
    case 'invalid_value': {
      const all = values as readonly unknown[];
      return all.length === 1
        ? say('must be {values}', { values: quoted(all) })
        : say('must be one of {values}', { values: quoted(all) });
    }
    case 'too_big':
      return sizeWords(String(issue.origin), 'at most', Number(maximum), issue.inclusive !== false);
    case 'too_small':
      return sizeWords(String(issue.origin), 'at least', Number(minimum), issue.inclusive !== false);
    case 'invalid_format': {
      const words = FORMATS[String(issue.format)];
      return words === undefined ? formatWords(issue) : say(words);
    }
    case 'not_multiple_of':
      return say('must be a multiple of {divisor}', { divisor: Number(issue.divisor) });
    case 'unrecognized_keys':
      return say('has fields that are not allowed: {keys}', { keys: quoted(keys as readonly unknown[]) });
    case 'invalid_key':
      return say('has a name that is not allowed');
    case 'invalid_union':
      return unionWords(issue.errors as readonly (readonly z.core.$ZodIssue[])[]);
    default:
      return say('has a value that is not allowed');
  }
}

function typeOf(value: unknown): ToldPart {
  if (value === null) return part('null');
  if (typeof value === 'number') return part(Number.isInteger(value) ? 'a number' : 'a number with decimals');
  return part(TYPES[Array.isArray(value) ? 'array' : typeof value] ?? 'nothing');
}

function quoted(values: readonly unknown[]): string {
  return values.map((value) => (typeof value === 'string' ? `"${value}"` : String(value))).join(', ');
}

/** The words for a limit of each kind of value. */
const SIZES = {
  'at most': {
    string: 'must have at most {limit} characters',
    items: 'must have at most {limit} items',
    map: 'must have at most {limit} entries',
    than: 'must be less than {limit}',
    plain: 'must be at most {limit}',
  },
  'at least': {
    string: 'must have at least {limit} characters',
    items: 'must have at least {limit} items',
    map: 'must have at least {limit} entries',
    than: 'must be more than {limit}',
    plain: 'must be at least {limit}',
  },
} as const;

const COUNTED: Readonly<Record<string, 'string' | 'items' | 'map'>> = {
  string: 'string',
  array: 'items',
  map: 'map',
  set: 'items',
};

function sizeWords(origin: string, side: 'at most' | 'at least', limit: number, inclusive: boolean): Told {
  const counted = COUNTED[origin];
  if (counted === undefined) return say(SIZES[side][inclusive ? 'plain' : 'than'], { limit });
  if (limit === 1 && side === 'at least') return say('must not be empty');
  return say(SIZES[side][counted], { limit });
}

function formatWords({ prefix, suffix, includes, pattern, format }: Fault): Told {
  if (typeof prefix === 'string') return say('must begin with "{text}"', { text: prefix });
  if (typeof suffix === 'string') return say('must end with "{text}"', { text: suffix });
  if (typeof includes === 'string') return say('must contain "{text}"', { text: includes });
  return pattern === undefined
    ? say('must be a valid {format}', { format: String(format) })
    : say('must match {pattern}', { pattern: String(pattern) });
}

/** A value of several allowed types gets the words of each, for example "must be a text or must be a list". */
function unionWords(errors: readonly (readonly z.core.$ZodIssue[])[] = []): Told {
  const words = errors.flatMap(([first]) => (first?.path.length === 0 ? [first.message] : []));
  return say(words.length === 0 ? 'has none of the allowed forms' : [...new Set(words)].join(' or '));
}
