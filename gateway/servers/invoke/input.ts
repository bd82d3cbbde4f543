/**
 * Validates the input of a caller and returns the input for the handler. This file refuses unknown names and read-only fields with an error
 * that names the field. zod validates the rest.
 */

import { OperationError } from '#contract/base/errors.ts';
import { inputWords, PARSE } from '#contract/base/input-words.ts';
import { part, say, type Told, textOf } from '#contract/base/told.ts';
import { TELEMETRY_OWNED } from '#contract/fleet/equipment.ts';
import type { OperationName } from '#contract/operations.ts';
import { inSlices } from '#servers/base/pause.ts';
import { type Issue, isLarge, MOST_FAULTS, parseInPieces } from './input-pieces.ts';
import { type Fault, faultOf } from './input-values.ts';
import { type JsonSchema, operationRow, schemaOf } from './json-schemas.ts';

const DEVICE_OWNED = new Set([
  'status',
  'status_color',
  'status_reported_at',
  'last_seen_at',
  'state',
  'observation',
  'timeline_changes',
  'metrics',
]);
const LINK_OWNED = new Set(['equipment_id', 'linked_at', 'device_ids']);

/** Returns a text for the error about a read-only field: which operation or which part of the gateway writes this field. */
function ownerOf(object: string, field: string): string {
  if (object === 'equipment' && TELEMETRY_OWNED.has(field))
    return 'the telemetry pipeline; send telemetry from a device linked to this machine';
  if (object === 'device' && field === 'bus_requests') return 'PUT /api/v1/devices/{id}/bus-requests';
  if (object === 'device' && DEVICE_OWNED.has(field)) return 'device connectivity';
  if (LINK_OWNED.has(field)) return 'POST /api/v1/devices/link (tool telemetry_devices_link)';
  if (object === 'device' && field === 'device_id') return 'POST /api/v1/devices/provision';
  return 'the gateway itself';
}

type Input = Readonly<Record<string, unknown>>;

/**
 * Validates the input of an operation; throws `parameter_unknown`, `read_only_field`, `parameter_missing` or `parameter_invalid`.
 * It validates a large input in slices, so that the gateway can serve other requests between them, and stops after 20 faults.
 */
export async function parseInput(name: OperationName, input: Input): Promise<Record<string, unknown>> {
  if (isLarge(input)) return inSlices(parseLarge(name, input));
  refuseUnknown(name, input);
  const parsed = operationRow(name).input.safeParse(input, PARSE);
  if (!parsed.success) throw misfit(input, parsed.error.issues);
  refuseFaults(name, input);
  return parsed.data;
}

function* parseLarge(name: OperationName, input: Input): Generator<void, Record<string, unknown>> {
  yield* refuseUnknownInPieces(name, input);
  const issues: Issue[] = [];
  const parsed = yield* parseInPieces(operationRow(name).input, input, issues);
  if (issues.length > 0) throw misfit(input, issues);
  yield* refuseFaultsInPieces(name, input);
  return parsed as Record<string, unknown>;
}

/** Returns the error for an input that does not fit its schema. */
function misfit(input: Input, issues: readonly Issue[]): OperationError {
  const details = issues.slice(0, MOST_FAULTS).map((issue) => ({
    param: pathText(issue.path),
    issue: issue.code,
    message: issue.message,
  }));
  const first = details[0] ?? { param: '', message: 'the input does not fit the schema' };
  const path = issues[0]?.path ?? [];
  const value = valueAt(input, path);
  const missing = path.length > 0 && value === undefined;
  return new OperationError(
    missing ? 'parameter_missing' : 'parameter_invalid',
    missing ? say('`{param}` is required.', { param: first.param }) : misfitWords(first, issues[0], value),
    { ...(first.param === '' ? {} : { param: first.param }), details },
  );
}

/** Returns the sentence for a value that does not fit. A schema may have words of its own; these are the template then. */
function misfitWords(
  of: { readonly param: string; readonly message: string },
  issue: Issue | undefined,
  value: unknown,
): Told {
  const made = inputWords(issue ?? {}, value);
  const { text, params } = textOf(made) === of.message ? made : say(of.message);
  return { text: `\`{param}\`: ${text}.`, params: { param: of.param, ...params } };
}

/** Returns the error for a text or time that `input-values.ts` refuses in every operation. */
function faulty(fault: Fault): OperationError {
  const param = pathText(fault.path)
    .toWellFormed()
    .replace(/\p{Cc}/gu, '\u{fffd}');
  return new OperationError(
    'parameter_invalid',
    { text: `\`{param}\`: ${fault.message}.`, params: { param } },
    {
      param,
      details: [{ param, issue: 'custom', message: fault.message }],
    },
  );
}

function refuseFaults(name: OperationName, input: Input): void {
  const schema = schemaOf(name, 'input');
  const fault = faultOf(input, schema, schema.$defs ?? {});
  if (fault !== undefined) throw faulty(fault);
}

/** Does the same as `refuseFaults`, and yields after each item of a list. */
function* refuseFaultsInPieces(name: OperationName, input: Input): Generator<void, void> {
  const { rest, items } = piecesOf(name, input);
  refuseFaults(name, rest);
  for (const { key, i, item, schema, defs } of items) {
    const fault = faultOf(item, schema, defs);
    if (fault !== undefined) throw faulty({ ...fault, path: [key, i, ...fault.path] });
    yield;
  }
}

interface Piece {
  readonly key: string;
  readonly i: number;
  readonly item: unknown;
  readonly schema: JsonSchema;
  readonly defs: Readonly<Record<string, JsonSchema>>;
}

/** Returns a copy of the input with empty lists, and an iterator over the items of the original lists. */
function piecesOf(name: OperationName, input: Input): { rest: Input; items: Iterable<Piece> } {
  const schema = schemaOf(name, 'input');
  const defs = schema.$defs ?? {};
  const lists = Object.entries(input).filter(([key, value]) => Array.isArray(value) && schema.properties[key]?.items);
  function* items(): Generator<Piece> {
    for (const [key, list] of lists)
      for (const [i, item] of (list as unknown[]).entries())
        yield { key, i, item, schema: schema.properties[key]?.items as JsonSchema, defs };
  }
  return { rest: { ...input, ...Object.fromEntries(lists.map(([key]) => [key, []])) }, items: items() };
}

function refuseUnknown(name: OperationName, input: Input): void {
  const schema = schemaOf(name, 'input');
  const unknown = firstUnknown(input, schema, schema.$defs ?? {});
  if (unknown !== undefined) throw unknownName(name, unknown);
}

/** Does the same as `refuseUnknown`, and yields after each item of a list. */
function* refuseUnknownInPieces(name: OperationName, input: Input): Generator<void, void> {
  const { rest, items } = piecesOf(name, input);
  refuseUnknown(name, rest);
  for (const { key, i, item, schema, defs } of items) {
    const found = firstUnknown(item, schema, defs);
    if (found !== undefined) throw unknownName(name, { path: [key, i, ...found.path], known: found.known });
    yield;
  }
}

interface Unknown {
  readonly path: Path;
  /** The names that the schema allows in the object that has the unknown name. */
  readonly known: readonly string[];
}

function unknownName(name: OperationName, { path, known }: Unknown): OperationError {
  const param = pathText(path);
  const field = String(path[0]);
  if (path.length === 1) {
    const output = schemaOf(name, 'output').properties;
    const object = output.object?.const;
    if (typeof object === 'string' && Object.hasOwn(output, field))
      return new OperationError(
        'read_only_field',
        say('`{field}` is read-only here; it is written by {owner}.', { field, owner: part(ownerOf(object, field)) }),
        { param },
      );
  }
  const allowed = known.length ? known.join(', ') : part('none');
  return new OperationError(
    'parameter_unknown',
    path.length === 1
      ? say('This operation has no parameter `{param}`. Its parameters: {allowed}.', { param, allowed })
      : say('There is no field `{param}`. Fields that are allowed there: {allowed}.', { param, allowed }),
    { param },
  );
}

type Path = readonly (string | number)[];

/**
 * Returns the first name that the schema does not declare, together with the names that the schema declares at this place. Returns
 * undefined if the schema declares all names. A map with free names, such as `labels`, allows every name.
 */
function firstUnknown(
  value: unknown,
  schema: JsonSchema,
  defs: Readonly<Record<string, JsonSchema>>,
): Unknown | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (typeof schema.$ref === 'string') {
    const target = defs[schema.$ref.slice('#/$defs/'.length)];
    return target && firstUnknown(value, target, defs);
  }
  if (Array.isArray(schema.anyOf)) {
    const shaped = (schema.anyOf as JsonSchema[]).find((option) => option.type !== 'null');
    return shaped && firstUnknown(value, shaped, defs);
  }
  if (Array.isArray(value)) {
    if (typeof schema.items !== 'object' || schema.items === null) return undefined;
    for (let i = 0; i < value.length; i++) {
      const found = firstUnknown(value[i], schema.items as JsonSchema, defs);
      if (found) return { path: [i, ...found.path], known: found.known };
    }
    return undefined;
  }
  if (schema.type !== 'object') return undefined;
  const properties = schema.properties as Readonly<Record<string, JsonSchema>> | undefined;
  const free = schema.additionalProperties;
  if (properties === undefined && (typeof free !== 'object' || free === null)) return undefined;
  for (const [key, item] of Object.entries(value)) {
    const inner =
      properties === undefined ? (free as JsonSchema) : Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (inner === undefined) return { path: [key], known: Object.keys(properties ?? {}) };
    const found = firstUnknown(item, inner, defs);
    if (found) return { path: [key, ...found.path], known: found.known };
  }
  return undefined;
}

function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((step, i) => (typeof step === 'number' ? `[${step}]` : i === 0 ? String(step) : `.${String(step)}`))
    .join('');
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at: unknown = value;
  for (const step of path) {
    if (typeof at !== 'object' || at === null) return undefined;
    at = (at as Record<PropertyKey, unknown>)[step];
  }
  return at;
}
