/**
 * Checks the output of a handler against the schema of its operation.
 *
 * A stored value that only a newer version knows is shown as `unknown`. If an item of a list does not fit otherwise, the list leaves out
 * this item and reports it, so that the caller still gets all other items. Any other output that does not fit is an error.
 */
import { z } from 'zod';
import { OperationError } from '#contract/base/errors.ts';
import { UNKNOWN_VALUE } from '#contract/base/shown.ts';
import type { OperationName } from '#contract/operations.ts';
import { isLong } from '#servers/base/json-text.ts';
import { inSlices } from '#servers/base/pause.ts';
import { type Issue, parseInPieces } from './input-pieces.ts';
import { operationRow } from './json-schemas.ts';
import type { Unreadable } from './unreadable.ts';

type Body = Record<string, unknown>;

/** The checked answer of an operation, and the documents that the check left out of this answer or shows with `unknown` values. */
export interface CheckedOutput {
  readonly body: Body;
  readonly unreadable: readonly Unreadable[];
}

/** Largest number of fields that a message names. */
const MOST_FAULTS = 5;
/** Characters of a value that a message shows. */
const MOST_SHOWN = 60;

/**
 * Returns the output as the schema parses it, and leaves out items of a list that do not fit. If the rest of the output does not fit, it
 * throws `document_unreadable` for a read of one object, and an `Error` for any other operation.
 */
export async function checkOutput(name: OperationName, output: unknown, id: unknown): Promise<CheckedOutput> {
  const { output: schema } = operationRow(name);
  const whole = await parse(schema, output);
  if (whole.issues.length === 0) return { body: whole.body, unreadable: [] };
  const items = itemsOf(schema, output);
  if (items === undefined) {
    const { value, found } = withoutUnknown(schema, output);
    if (found.length === 0) throw misfit(name, id, faultsOf(whole.issues));
    return {
      body: value as Body,
      unreadable: [{ id: idOf(value) ?? idOf({ id }), faults: found.join('; '), shown: true }],
    };
  }
  const { kept, unreadable } = await inSlices(readableItems(items));
  const rest = await parse(schema, { ...(output as Body), data: kept });
  // If all items fit the schema but another field of the answer does not, the handler has a fault in its code.
  if (unreadable.length === 0 || rest.issues.length > 0) throw misfit(name, id, faultsOf(whole.issues));
  return { body: rest.body, unreadable };
}

/** Adds a warning to a list for each document that was left out or has `unknown` values; returns other bodies unchanged. */
export function withWarnings(name: OperationName, body: Body, unreadable: readonly Unreadable[]): Body {
  if (unreadable.length === 0 || !('warnings' in operationRow(name).output.shape)) return body;
  const warnings = unreadable.map(({ id, faults, shown }) =>
    shown === true
      ? { code: 'values_unknown', id, message: `This version does not know some values and shows unknown: ${faults}.` }
      : {
          code: 'document_unreadable',
          id,
          message: `This document does not fit the schema of this version and is left out: ${faults}.`,
        },
  );
  return { ...body, warnings };
}

/** Returns true for an operation that reads one object by its id. */
export function readsOneObject(name: OperationName): boolean {
  const { method, path } = operationRow(name);
  return method === 'GET' && path.includes('{');
}

/** Returns the error for a stored document that an operation cannot read. */
export function unreadableError(id: unknown, faults: string, cause?: unknown): OperationError {
  return new OperationError(
    'document_unreadable',
    `The stored document${typeof id === 'string' ? ` ${id}` : ''} does not fit the schema of this version: ${faults}. A newer version of the gateway may have written it.`,
    { param: 'id', details: [{ faults }], ...(cause === undefined ? {} : { cause }) },
  );
}

interface Parsed {
  readonly body: Body;
  readonly issues: readonly Issue[];
}

/** Validates an output. It validates a long list in slices, so that the gateway can serve other requests between them. */
async function parse(schema: z.ZodType, output: unknown): Promise<Parsed> {
  if (isLong(output as Body)) {
    const issues: Issue[] = [];
    const body = await inSlices(parseInPieces(schema, output, issues));
    return { body: body as Body, issues };
  }
  const parsed = schema.safeParse(output);
  return parsed.success
    ? { body: parsed.data as Body, issues: [] }
    : { body: output as Body, issues: parsed.error.issues };
}

interface Items {
  readonly element: z.core.$ZodType;
  readonly data: readonly unknown[];
}

/** Returns the items of a list answer and their schema; undefined for any other answer. */
function itemsOf(schema: z.ZodObject, output: unknown): Items | undefined {
  const { data } = (output ?? {}) as { data?: unknown };
  const list = schema.shape.data;
  return 'next_cursor' in schema.shape && list instanceof z.ZodArray && Array.isArray(data)
    ? { element: list.element, data }
    : undefined;
}

function* readableItems({ element, data }: Items): Generator<void, { kept: unknown[]; unreadable: Unreadable[] }> {
  const kept: unknown[] = [];
  const unreadable: Unreadable[] = [];
  for (const item of data) {
    const parsed = z.safeParse(element, item);
    if (parsed.success) kept.push(item);
    else {
      const { value, found } = withoutUnknown(element, item);
      if (found.length > 0) {
        kept.push(value);
        unreadable.push({ id: idOf(item), faults: found.join('; '), shown: true });
      } else unreadable.push({ id: idOf(item), faults: faultsOf(parsed.error.issues) });
    }
    yield;
  }
  return { kept, unreadable };
}

/**
 * Returns the value with `unknown` in the place of each value that only a newer version knows, and what was replaced. If the value does not
 * fit for another reason, nothing is found.
 */
function withoutUnknown(schema: z.core.$ZodType, output: unknown): { value: unknown; found: string[] } {
  const checked = z.safeParse(schema, output);
  if (checked.success) return { value: checked.data, found: [] };
  const copy = structuredClone(output) as Body;
  const found: string[] = [];
  for (const issue of checked.error.issues) {
    // A choice from a long list, such as the names of signals, is a custom check.
    const isChoice = issue.code === 'invalid_value' ? issue.values.includes(UNKNOWN_VALUE) : issue.code === 'custom';
    if (!isChoice) continue;
    const last = issue.path.at(-1);
    const holder = issue.path.slice(0, -1).reduce<unknown>((at, name) => (at as Body)[String(name)], copy) as Body;
    const value = last === undefined ? undefined : holder[String(last)];
    if (last === undefined || typeof value !== 'string') continue;
    holder[String(last)] = UNKNOWN_VALUE;
    found.push(`${issue.path.join('.')} is ${value.slice(0, MOST_SHOWN)}`);
  }
  const fits = z.safeParse(schema, copy);
  return fits.success ? { value: fits.data, found: found.slice(0, MOST_FAULTS) } : { value: output, found: [] };
}

function idOf(item: unknown): string | null {
  const { id } = (item ?? {}) as { id?: unknown };
  return typeof id === 'string' ? id : null;
}

function faultsOf(issues: readonly Issue[]): string {
  return issues
    .slice(0, MOST_FAULTS)
    .map(({ path, code }) => `${path.join('.')} ${code}`)
    .join('; ');
}

function misfit(name: OperationName, id: unknown, faults: string): Error {
  return readsOneObject(name)
    ? unreadableError(id, faults)
    : new Error(`the output of ${name} does not fit its schema: ${faults}`);
}
