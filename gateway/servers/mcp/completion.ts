/** Completes the arguments of prompts and of resource templates while a person types them (MCP 2025-11-25, "Completion"). */
import { type CompleteRequest, type CompleteResult, ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import type { Completed } from '#contract/agent-prompts.ts';
import type { OperationName } from '#contract/operations.ts';
import { schemaOf } from '#servers/invoke/json-schemas.ts';
import { namesOf, type ReadList } from './names.ts';
import type { PromptRow } from './prompts.ts';
import { listOfTemplate } from './resources.ts';
import { TOOL_NAMES } from './tools.ts';

/** Largest number of values in an answer (MCP 2025-11-25, schema, CompleteResult). */
const MOST = 100;

const LISTS = {
  equipment: { list: 'equipment_list', field: 'unit_number' },
  location: { list: 'locations_list', field: 'name' },
  shift: { list: 'projects_list', field: '' },
} as const;

type Item = Readonly<Record<string, unknown>>;

/** Returns the values that begin with, or contain, what was typed. `read` reads lists for the caller. */
export async function complete(
  { ref, argument }: CompleteRequest['params'],
  prompts: readonly PromptRow[],
  read: ReadList,
): Promise<CompleteResult> {
  if (ref.type === 'ref/prompt') {
    const row = prompts.find(({ name }) => name === ref.name);
    const field = row?.arguments.find(({ name }) => name === argument.name);
    if (field === undefined)
      throw new McpError(ErrorCode.InvalidParams, `There is no prompt ${ref.name.slice(0, 100)} with this argument.`);
    return resultOf(field.of === undefined ? [] : await valuesOf(field.of, argument.value, read), argument.value);
  }
  if (ref.uri.startsWith('headframe://tools/')) return resultOf(TOOL_NAMES, argument.value);
  const list = listOfTemplate(ref.uri);
  if (argument.name === 'project_id') {
    const projects = ((await read('projects_list', { limit: MOST }))?.data ?? []) as Item[];
    return resultOf(
      projects.map(({ id }) => String(id)),
      argument.value,
    );
  }
  if (list === undefined || argument.name !== 'id') return resultOf([], argument.value);
  return resultOf(await namesIn(list, argument.value, read), argument.value);
}

/** The names and ids of the objects of a list. A name of an object stands in the place of its id, as in the arguments of tools. */
async function namesIn(list: OperationName, typed: string, read: ReadList): Promise<string[]> {
  const wanted = typed.trim().slice(0, 80);
  const isSearch = wanted !== '' && 'q' in schemaOf(list, 'input').properties;
  const found = isSearch ? await read(list, { limit: MOST, q: wanted }) : undefined;
  const first = await read(list, { limit: MOST });
  const items = [found, first].flatMap((answer) => (answer?.data ?? []) as Item[]);
  return items.flatMap((item) => [...namesOf(list, item), String(item.id)]);
}

async function valuesOf(of: Completed, typed: string, read: ReadList): Promise<string[]> {
  const { list, field } = LISTS[of];
  const wanted = typed.trim().slice(0, 80);
  const answer = await read(list, { limit: MOST, ...(wanted === '' || of === 'shift' ? {} : { q: wanted }) });
  const items = (answer?.data ?? []) as Item[];
  if (of !== 'shift') return items.map((item) => String(item[field]));
  return items.flatMap(({ shift_pattern: shifts }) => (shifts as { name: string }[]).map(({ name }) => name));
}

function resultOf(all: readonly string[], typed: string): CompleteResult {
  const wanted = typed.trim().toLowerCase();
  const found = [...new Set(all)].filter((value) => value.toLowerCase().includes(wanted));
  const values = found.toSorted((a, b) => Number(begins(b, wanted)) - Number(begins(a, wanted)));
  return { completion: { values: values.slice(0, MOST), total: values.length, hasMore: values.length > MOST } };
}

const begins = (value: string, wanted: string): boolean => value.toLowerCase().startsWith(wanted);
