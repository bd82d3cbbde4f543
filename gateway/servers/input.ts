/** From what a caller sent to what a handler gets: unknown names and read-only fields are refused by name, the rest is zod's. */
import { TELEMETRY_OWNED } from '#contract/equipment.ts';
import { OperationError } from '#contract/errors.ts';
import type { OperationName } from '#contract/operations.ts';
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

/** Who writes a field that the resource has and the operation does not take. */
function ownerOf(object: string, field: string): string {
  if (object === 'equipment' && TELEMETRY_OWNED.has(field))
    return 'the telemetry pipeline; send telemetry from a device linked to this machine';
  if (object === 'device' && field === 'bus_requests') return 'PUT /api/v1/devices/{id}/bus-requests';
  if (object === 'device' && DEVICE_OWNED.has(field)) return 'device connectivity';
  if (LINK_OWNED.has(field)) return 'POST /api/v1/devices/link (tool telemetry_devices_link)';
  if (object === 'device' && field === 'device_id') return 'POST /api/v1/devices/provision';
  return 'the gateway itself';
}

/** What texts of a format look like. */
const EXPECTED: Readonly<Record<string, string>> = {
  datetime: 'a time with its zone, as 2026-11-21T06:00:00Z',
  date: 'a day, as 2026-11-21',
  url: 'an address, as https://host/path',
};

/** Parses the input of an operation; throws `parameter_unknown`, `read_only_field`, `parameter_missing` or `parameter_invalid`. */
export function parseInput(name: OperationName, input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  refuseUnknown(name, input);
  const parsed = operationRow(name).input.safeParse(input);
  if (parsed.success) return parsed.data;
  const details = parsed.error.issues.slice(0, 20).map((issue) => ({
    param: pathText(issue.path),
    issue: issue.code,
    message: EXPECTED[(issue as { format?: string }).format ?? ''] ?? issue.message,
  }));
  const first = details[0] ?? { param: '', message: 'the input does not fit' };
  const missing = parsed.error.issues[0]?.path.length
    ? valueAt(input, parsed.error.issues[0].path) === undefined
    : false;
  throw new OperationError(
    missing ? 'parameter_missing' : 'parameter_invalid',
    missing ? `\`${first.param}\` is required.` : `\`${first.param}\`: ${first.message}.`,
    { ...(first.param === '' ? {} : { param: first.param }), details },
  );
}

function refuseUnknown(name: OperationName, input: Readonly<Record<string, unknown>>): void {
  const schema = schemaOf(name, 'input');
  const unknown = firstUnknown(input, schema, schema.$defs ?? {}, []);
  if (unknown === undefined) return;
  const { path, known } = unknown;
  const param = pathText(path);
  const field = String(path[0]);
  if (path.length === 1) {
    const output = schemaOf(name, 'output').properties;
    const object = output.object?.const;
    if (typeof object === 'string' && Object.hasOwn(output, field))
      throw new OperationError('read_only_field', `\`${field}\` is written by ${ownerOf(object, field)}.`, { param });
  }
  const taken = known.length ? known.join(', ') : 'nothing';
  throw new OperationError(
    'parameter_unknown',
    path.length === 1
      ? `This operation takes no \`${param}\`; it takes ${taken}.`
      : `There is no \`${param}\`; what is taken there: ${taken}.`,
    { param },
  );
}

type Path = readonly (string | number)[];

/** The first name that the schema does not know, and those that it knows there; schemas of free key and value pairs know all names. */
function firstUnknown(
  value: unknown,
  schema: JsonSchema,
  defs: Readonly<Record<string, JsonSchema>>,
  path: Path,
): { readonly path: Path; readonly known: readonly string[] } | undefined {
  if (typeof schema.$ref === 'string') {
    const target = defs[schema.$ref.slice('#/$defs/'.length)];
    return target && firstUnknown(value, target, defs, path);
  }
  if (Array.isArray(schema.anyOf)) {
    const shaped = (schema.anyOf as JsonSchema[]).find((option) => option.type !== 'null');
    return shaped && firstUnknown(value, shaped, defs, path);
  }
  if (Array.isArray(value) && typeof schema.items === 'object' && schema.items !== null) {
    for (const [i, item] of value.entries()) {
      const found = firstUnknown(item, schema.items as JsonSchema, defs, [...path, i]);
      if (found) return found;
    }
    return undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value) || schema.type !== 'object') return undefined;
  const properties = schema.properties as Readonly<Record<string, JsonSchema>> | undefined;
  for (const [key, item] of Object.entries(value)) {
    const inner =
      properties === undefined
        ? schema.additionalProperties
        : Object.hasOwn(properties, key)
          ? properties[key]
          : undefined;
    if (properties !== undefined && inner === undefined)
      return { path: [...path, key], known: Object.keys(properties) };
    const found =
      typeof inner === 'object' && inner !== null && firstUnknown(item, inner as JsonSchema, defs, [...path, key]);
    if (found) return found;
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
