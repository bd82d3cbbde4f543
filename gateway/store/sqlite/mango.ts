/**
 * Translates the Mango selectors and sorts of RxDB to SQL over the columns of a table.
 *
 * The SQL condition matches every document that the selector matches. If `exact` is true, it matches no other documents. If `exact` is
 * false, it may match more documents, and RxDB's matcher filters the result. A condition may evaluate to NULL, which counts as false. A
 * negated condition is never NULL.
 */

import type { Field } from './columns.ts';
import type { Table } from './table.ts';
import { isExactText, textKey } from './text-key.ts';

type SqlValue = string | number;

export interface Condition {
  /** The SQL text; undefined if the condition matches every row. */
  readonly sql: string | undefined;
  readonly values: readonly SqlValue[];
  readonly exact: boolean;
}

const EVERY: Condition = { sql: undefined, values: [], exact: true };
const UNKNOWN: Condition = { sql: undefined, values: [], exact: false };

/** Returns the condition of a selector that RxDB has normalised. */
export function selectorToSql(table: Table, selector: object): Condition {
  const parts: Condition[] = [];
  for (const [key, value] of Object.entries(selector)) {
    if (key === '$and') parts.push(and(asArray(value).map((part) => selectorToSql(table, part))));
    else if (key === '$or') parts.push(or(asArray(value).map((part) => selectorToSql(table, part))));
    else if (key === '$nor') parts.push(and(asArray(value).map((part) => not(selectorToSql(table, part)))));
    else if (key.startsWith('$')) parts.push(UNKNOWN);
    else parts.push(fieldToSql(table, key, value));
  }
  return and(parts);
}

/** Returns the ORDER BY terms of a sort; undefined if SQL cannot sort in the same way as RxDB's comparator. */
export function sortToSql(table: Table, sort: readonly object[]): string | undefined {
  const terms: string[] = [];
  for (const part of sort) {
    const [path = '', direction] = Object.entries(part)[0] ?? [];
    const column = table.column(path);
    const field = table.field(path);
    // RxDB sorts an absent field before null. A column stores NULL for both, so SQL cannot sort such a field.
    if (!column || !field || (field.nullable && field.optional)) return undefined;
    terms.push(`${column} ${direction === 'desc' ? 'DESC' : 'ASC'}`);
    if (path === table.primary) break;
  }
  return terms.join(', ');
}

function fieldToSql(table: Table, path: string, matcher: unknown): Condition {
  const column = table.column(path);
  const field = table.field(path);
  if (!column || !field) return UNKNOWN;
  if (typeof matcher !== 'object' || matcher === null) return equals(column, field, matcher);
  if (!isPlain(matcher)) return UNKNOWN;
  const operators = Object.entries(matcher);
  if (operators.length === 0 || !operators.every(([name]) => name.startsWith('$'))) return UNKNOWN;
  return and(operators.map(([name, operand]) => operatorToSql(table, path, column, field, name, operand)));
}

function operatorToSql(
  table: Table,
  path: string,
  column: string,
  field: Field,
  name: string,
  operand: unknown,
): Condition {
  switch (name) {
    case '$eq':
      return equals(column, field, operand);
    case '$ne':
      return not(equals(column, field, operand));
    case '$in':
      return inside(column, field, operand);
    case '$nin':
      return not(inside(column, field, operand));
    case '$gt':
      return range(column, field, '>', operand);
    case '$gte':
      return range(column, field, '>=', operand);
    case '$lt':
      return range(column, field, '<', operand);
    case '$lte':
      return range(column, field, '<=', operand);
    case '$exists':
      // A column stores NULL for an absent field and for null, so SQL cannot distinguish them in a nullable field.
      if (field.nullable || typeof operand !== 'boolean') return UNKNOWN;
      return { sql: `${column} IS ${operand ? 'NOT ' : ''}NULL`, values: [], exact: true };
    case '$not':
      return not(fieldToSql(table, path, operand));
    default:
      return UNKNOWN;
  }
}

/** Returns the operand as a column value; undefined if it has another type than the column, or the column cannot store it exactly. */
function operandValue(field: Field, operand: unknown): SqlValue | undefined {
  if (typeof operand !== field.type) return undefined;
  if (typeof operand === 'string') return isExactText(operand) ? textKey(operand) : undefined;
  if (typeof operand === 'number') return Number.isFinite(operand) ? operand : undefined;
  return typeof operand === 'boolean' ? Number(operand) : undefined;
}

function equals(column: string, field: Field, operand: unknown): Condition {
  if (operand === null || operand === undefined) return { sql: `${column} IS NULL`, values: [], exact: true };
  const value = operandValue(field, operand);
  return value === undefined ? UNKNOWN : { sql: `${column}=?`, values: [value], exact: true };
}

function inside(column: string, field: Field, operand: unknown): Condition {
  if (!Array.isArray(operand)) return UNKNOWN;
  const scalars = operand.filter((item) => item !== null);
  const values = scalars.map((item) => operandValue(field, item));
  const known = values.filter((value) => value !== undefined);
  if (known.length < values.length) return UNKNOWN;
  const list = { ...listOf(column, known), exact: true };
  return scalars.length < operand.length ? or([list, equals(column, field, null)]) : list;
}

function listOf(column: string, known: readonly SqlValue[]): { sql: string; values: readonly SqlValue[] } {
  // In JSON a fraction would be text, and SQLite's conversion of this text to a number may differ in the last bit. So fractions are bound
  // values.
  if (known.some((value) => typeof value === 'number' && !Number.isSafeInteger(value))) {
    return { sql: `${column} IN (${known.map(() => '?').join(', ')})`, values: known };
  }
  // The list is one bound value, so that lists of all lengths share one prepared statement.
  return { sql: `${column} IN (SELECT value FROM json_each(?))`, values: [JSON.stringify(known)] };
}

function range(column: string, field: Field, operator: string, operand: unknown): Condition {
  const value = operandValue(field, operand);
  if (value === undefined) return UNKNOWN;
  return { sql: `${column}${operator}?`, values: [value], exact: true };
}

function and(parts: readonly Condition[]): Condition {
  const known = parts.filter((part) => part.sql !== undefined);
  return {
    sql: known.length === 0 ? undefined : known.map((part) => `(${part.sql})`).join(' AND '),
    values: known.flatMap((part) => part.values),
    exact: parts.every((part) => part.exact),
  };
}

function or(parts: readonly Condition[]): Condition {
  if (parts.length === 0) return UNKNOWN;
  // If one alternative of the OR has no SQL condition, this alternative matches every row. The OR then matches every row, too.
  if (parts.some((part) => part.sql === undefined)) return { ...EVERY, exact: parts.every((part) => part.exact) };
  return {
    sql: parts.map((part) => `(${part.sql})`).join(' OR '),
    values: parts.flatMap((part) => part.values),
    exact: parts.every((part) => part.exact),
  };
}

function not(part: Condition): Condition {
  // A condition that is not exact may match too many documents, so its negation may match too few.
  if (!part.exact) return UNKNOWN;
  return part.sql === undefined
    ? { sql: '0', values: [], exact: true }
    : {
        sql: `NOT ifnull(${part.sql.startsWith('(') ? `(${part.sql})` : part.sql}, 0)`,
        values: part.values,
        exact: true,
      };
}

function asArray(value: unknown): object[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'object' && item !== null) : [];
}

function isPlain(value: object): boolean {
  return Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null;
}
