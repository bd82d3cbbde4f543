/**
 * Chooses what a tool answers. An answer goes into the context of a model, so it has what a question usually needs: a machine without the
 * provenance of each value, and without values that the machine does not report. `fields` and `include=provenance` ask for more.
 */
import { OperationError } from '#contract/base/errors.ts';
import type { OperationName } from '#contract/operations.ts';
import { type JsonSchema, schemaOf } from '#servers/invoke/json-schemas.ts';
import { type Definitions, resolve } from './shapes.ts';

type Body = Readonly<Record<string, unknown>>;

/** What the caller of a tool wants to get of the answer. */
export interface Wish {
  /** Names of fields; undefined for the usual ones, `all` for all. */
  readonly fields: readonly string[] | 'all' | undefined;
  readonly provenance: boolean;
}

/** Longest JSON of a machine in an answer, alone and in a list, in bytes. */
const MOST = { one: 1_900, item: 1_100 };
/** Largest number of trouble codes of a machine in an answer. `dtc_counts` has their number. */
const MOST_CODES = 5;
/** Fields of a machine that only its own read has. */
const ONLY_ALONE: ReadonlySet<string> = new Set([
  'project_id',
  'created_at',
  'updated_at',
  'dtcs',
  'expected_interval_s',
  'live_status_since',
  'operator_since',
  'status_since',
  'serial_number',
  'pin',
  'year',
]);
/** Fields that are left out first, in this order, if a machine is too long. */
const SPARE = ['labels', 'aliases', 'dtcs', 'name'] as const;

/** Returns true for a tool whose list entry names the parameter `fields`. Every tool accepts it. */
export function takesFields(name: OperationName): boolean {
  return /^(equipment|devices|alerts|repair_tickets)_(get|list)$/.test(name);
}

/**
 * Reads the parameters `fields` and `include` of a tool call. Returns the wish, and the value of `include` for the operation. Throws
 * `parameter_invalid` for a field that the answer cannot have.
 */
export function wishOf(name: OperationName, fields: unknown, include: unknown): { wish: Wish; include: unknown } {
  const names = namesOf('fields', fields);
  const includes = typeof include === 'string' ? include.split(',').map((one) => one.trim()) : undefined;
  const others = includes?.filter((one) => one !== 'provenance');
  const provenance = includes !== undefined && includes.length !== others?.length;
  if (names !== undefined && !names.includes('*')) refuseUnknownField(name, names);
  return {
    wish: { fields: names?.includes('*') ? 'all' : names, provenance },
    include: provenance ? (others?.length === 0 ? undefined : others?.join(',')) : include,
  };
}

function namesOf(param: string, value: unknown): string[] | undefined {
  if (value === undefined) return undefined;
  const list = typeof value === 'string' ? value.split(',') : value;
  if (!Array.isArray(list) || list.some((one) => typeof one !== 'string'))
    throw new OperationError('parameter_invalid', `\`${param}\` must be names, separated by commas.`, { param });
  const names = (list as string[]).map((one) => one.trim()).filter((one) => one !== '');
  return names.length === 0 ? undefined : names;
}

function refuseUnknownField(name: OperationName, names: readonly string[]): void {
  const { $defs = {}, properties } = schemaOf(name, 'output');
  const items = properties.data?.items as JsonSchema | undefined;
  const known = fieldsOf(items === undefined ? { properties } : items, $defs);
  const unknown = names.find((one) => !known.includes(one));
  if (unknown === undefined) return;
  const param = 'fields';
  throw new OperationError(
    'parameter_invalid',
    `\`${param}\`: the answer has no field \`${unknown.slice(0, 80)}\`. Its fields: ${known.join(', ')}.`,
    { param, details: [{ allowed: known }] },
  );
}

function fieldsOf(schema: JsonSchema, defs: Definitions): string[] {
  const { properties, anyOf = [] } = resolve(schema, defs) as { properties?: object; anyOf?: JsonSchema[] };
  return properties === undefined ? anyOf.flatMap((one) => fieldsOf(one, defs)) : Object.keys(properties);
}

/** Returns the part of an answer that the caller wants. */
export function chosen(body: Body, { fields, provenance }: Wish): Record<string, unknown> {
  if (fields === 'all') return body;
  const isList = body.object === 'list' && Array.isArray(body.data);
  const of = (item: Body, alone: boolean): Body =>
    fields === undefined ? usual(item, provenance, alone) : picked(item, fields, provenance);
  return isList ? { ...body, data: (body.data as Body[]).map((item) => of(item, false)) } : of(body, true);
}

function picked(item: Body, fields: readonly string[], provenance: boolean): Body {
  const wanted = new Set(['object', 'id', ...fields, ...(provenance ? ['context'] : [])]);
  return Object.fromEntries(Object.entries(item).filter(([key]) => wanted.has(key)));
}

function usual(item: Body, provenance: boolean, alone: boolean): Body {
  if (typeof item !== 'object' || item === null) return item;
  const plain = provenance ? item : withoutProvenance(item);
  return item.object === 'equipment' ? machine(plain, provenance, alone) : plain;
}

/** Leaves out of `context` where each value of the object came from. */
function withoutProvenance(item: Body): Body {
  const { context } = item as { context?: Body | null };
  if (typeof context !== 'object' || context === null || !('fields' in context || 'lineage' in context)) return item;
  const { fields: _, lineage: __, ...rest } = context;
  return { ...item, context: rest };
}

/**
 * Returns a machine without fields that are null or empty, without `meters` (their totals are fields of their own), and with a few words
 * for each trouble code. If it is still too long, some fields are left out, and `left_out` names them.
 */
function machine(item: Body, provenance: boolean, alone: boolean): Body {
  const { calc, attention, context, ...rest } = item as { calc?: unknown; attention?: unknown; context?: Body };
  const kept: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(rest)) {
    if (isEmpty(value) || key === 'meters' || (!alone && ONLY_ALONE.has(key))) continue;
    kept[key] = key === 'dtcs' ? (value as Body[]).slice(0, MOST_CODES).map(codeOf) : value;
  }
  const media = context?.media as readonly unknown[] | undefined;
  if (!provenance && (alone || (media?.length ?? 0) > 0)) kept.context = withoutEmpty(context ?? {});
  const left_out = shorten(kept, alone ? MOST.one : MOST.item);
  return {
    ...kept,
    ...(provenance ? { meters: item.meters, context } : {}),
    ...(calc === undefined ? {} : { calc }),
    ...(attention === undefined ? {} : { attention }),
    ...(left_out.length === 0 ? {} : { left_out }),
  };
}

function codeOf({ spn, fmi, meaning, lamps, since }: Body): Body {
  return withoutEmpty({ spn, fmi, meaning, lamps, since });
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (typeof value === 'object' && Object.keys(value).length === 0);
}

function withoutEmpty(body: Body): Body {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => !isEmpty(value)));
}

/** Removes spare fields until the JSON of the object has at most `most` bytes; returns their names. */
function shorten(body: Record<string, unknown>, most: number): string[] {
  const left: string[] = [];
  for (const key of SPARE) {
    if (Buffer.byteLength(JSON.stringify(body)) <= most) break;
    if (!(key in body)) continue;
    delete body[key];
    left.push(key);
  }
  return left;
}

/** Longest text of an answer in characters. */
const MOST_TEXT = 300;
const LABELS = ['unit_number', 'number', 'name', 'label', 'title', 'device_id', 'type', 'rule_name'] as const;

/** Returns one line about an answer. The answer itself is the structured content of the result. */
export function lineOf(body: Body): string {
  if (body.object !== 'list' || !Array.isArray(body.data))
    return `${nameOf(body)}${stateOf(body)}.`.slice(0, MOST_TEXT);
  const { data, next_cursor: next } = body as { data: Body[]; next_cursor?: unknown };
  const more = typeof next === 'string' ? ' There are more: send next_cursor as cursor.' : '';
  const names = data.map((item) => labelOf(item)).filter((label) => label !== '');
  let shown = '';
  for (const [i, name] of names.entries()) {
    if (shown.length + name.length > MOST_TEXT - 100) {
      shown += ', ...';
      break;
    }
    shown += `${i === 0 ? ': ' : ', '}${name}`;
  }
  return `${data.length} ${data.length === 1 ? 'item' : 'items'}${shown}.${more}`;
}

function labelOf(item: Body): string {
  const label = LABELS.map((key) => item?.[key]).find((one) => typeof one === 'string' && one !== '');
  return typeof label === 'string' ? label.slice(0, 60) : '';
}

function nameOf(body: Body): string {
  const { object, id } = body;
  return [object ?? 'answer', labelOf(body), typeof id === 'string' ? `(${id})` : '']
    .filter((part) => part !== '')
    .join(' ');
}

function stateOf({ status, live_status, revision }: Body): string {
  const parts = [status, live_status].filter((one) => typeof one === 'string');
  const all = [...parts, ...(typeof revision === 'number' ? [`revision ${revision}`] : [])];
  return all.length === 0 ? '' : `: ${all.join(', ')}`;
}
