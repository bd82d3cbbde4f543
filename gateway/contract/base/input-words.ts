/**
 * Says in words what is wrong with a value, for the error that a caller gets. The words complete a sentence that begins with the name of the
 * field: "`year`: must be a whole number, not a text." They say what the caller may send instead.
 */
import type { z } from 'zod';

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

type RawIssue = z.core.$ZodRawIssue;

/** The words for each kind of fault. Use it as `schema.safeParse(value, PARSE)`. Words that a schema gives itself come first. */
export const PARSE = { error: (issue: RawIssue) => inputWords(issue) };

function inputWords(issue: RawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${TYPES[issue.expected] ?? issue.expected}, not ${typeOf(issue.input)}`;
    case 'invalid_value':
      return issue.values.length === 1 ? `must be ${quoted(issue.values)}` : `must be one of ${quoted(issue.values)}`;
    case 'too_big':
      return sizeWords(issue.origin, 'at most', Number(issue.maximum), issue.inclusive !== false);
    case 'too_small':
      return sizeWords(issue.origin, 'at least', Number(issue.minimum), issue.inclusive !== false);
    case 'invalid_format':
      return FORMATS[issue.format] ?? formatWords(issue);
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return `has fields that are not allowed: ${quoted(issue.keys)}`;
    case 'invalid_key':
      return 'has a name that is not allowed';
    case 'invalid_union':
      return unionWords(issue.errors);
    default:
      return 'has a value that is not allowed';
  }
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'number') return Number.isInteger(value) ? 'a number' : 'a number with decimals';
  return TYPES[Array.isArray(value) ? 'array' : typeof value] ?? 'nothing';
}

function quoted(values: readonly unknown[]): string {
  return values.map((value) => (typeof value === 'string' ? `"${value}"` : String(value))).join(', ');
}

const COUNTED: Readonly<Record<string, string>> = {
  string: 'characters',
  array: 'items',
  map: 'entries',
  set: 'items',
};

function sizeWords(origin: string, side: 'at most' | 'at least', limit: number, inclusive: boolean): string {
  const counted = COUNTED[origin];
  if (counted === undefined) {
    if (inclusive) return `must be ${side} ${limit}`;
    return `must be ${side === 'at most' ? 'less' : 'more'} than ${limit}`;
  }
  if (limit === 1 && side === 'at least') return 'must not be empty';
  return `must have ${side} ${limit} ${counted}`;
}

function formatWords(issue: RawIssue & { code: 'invalid_format' }): string {
  const { prefix, suffix, includes, pattern } = issue as { [key: string]: unknown };
  if (typeof prefix === 'string') return `must begin with "${prefix}"`;
  if (typeof suffix === 'string') return `must end with "${suffix}"`;
  if (typeof includes === 'string') return `must contain "${includes}"`;
  return pattern === undefined ? `must be a valid ${issue.format}` : `must match ${pattern}`;
}

/** A value of several allowed types gets the words of each, for example "must be a text or must be a list". */
function unionWords(errors: readonly (readonly z.core.$ZodIssue[])[] = []): string {
  const words = errors.flatMap(([first]) => (first?.path.length === 0 ? [first.message] : []));
  return words.length === 0 ? 'has none of the allowed forms' : [...new Set(words)].join(' or ');
}
