/** What a model may read as resources: the documents about this interface, and every object that has a read of its own. */
import {
  ErrorCode,
  type ListResourcesResult,
  type ListResourceTemplatesResult,
  McpError,
  type ReadResourceResult,
} from '@modelcontextprotocol/sdk/types.js';
import type { Role } from '#contract/base/roles.ts';
import { SIGNAL_NAMES, signalRow } from '#contract/base/signals.ts';
import type { OperationName } from '#contract/operations.ts';
import { openApiDocument } from '#servers/docs/openapi.ts';
import { operationsDoc } from '#servers/docs/operations-doc.ts';
import { catalogDocument } from '#servers/invoke/catalog.ts';
import { operationRow, TABLE } from '#servers/invoke/json-schemas.ts';

const JSON_TYPE = 'application/json';

/** True for an operation that this node serves. */
type Serves = (name: OperationName) => boolean;

interface Document {
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  readonly mimeType: string;
  read(serves: Serves): string;
}

const DOCUMENTS: readonly Document[] = [
  {
    uri: 'headframe://docs/operations.md',
    name: 'Operations and errors',
    description: 'Every operation with its route, tool, scope and errors, and what each error code means.',
    mimeType: 'text/markdown',
    read: operationsDoc,
  },
  {
    uri: 'headframe://docs/operations.json',
    name: 'Operation catalog',
    description: 'The same for programs, with the contract hash.',
    mimeType: JSON_TYPE,
    read: (serves) => JSON.stringify(catalogDocument(serves)),
  },
  {
    uri: 'headframe://docs/openapi.json',
    name: 'OpenAPI document',
    description: 'OpenAPI 3.1 of the REST interface.',
    mimeType: JSON_TYPE,
    read: (serves) => JSON.stringify(openApiDocument(serves)),
  },
  {
    uri: 'headframe://docs/signals.json',
    name: 'Signals',
    description: 'The vocabulary of telemetry: each signal with its unit and the equipment field it fills.',
    mimeType: JSON_TYPE,
    read: () => JSON.stringify(SIGNAL_NAMES.map((name) => ({ name, ...signalRow(name) }))),
  },
];

/** Reads of one object by id: `/api/v1/equipment/{id}` is `headframe://equipment/{id}`. */
const OBJECTS: readonly { readonly name: OperationName; readonly noun: string; readonly arg: string }[] = [
  ...TABLE,
].flatMap(([name, row]) => {
  const [, noun, arg] = /^\/api\/v1\/([a-z-]+)\/\{(\w+)\}$/.exec(row.path) ?? [];
  return row.method === 'GET' && row.httpOnly === undefined && noun !== undefined && arg !== undefined
    ? [{ name, noun, arg }]
    : [];
});

/** The documents; they are few, so the first page is the last. */
export function listResources(cursor: string | undefined): ListResourcesResult {
  refuseCursor(cursor);
  return { resources: DOCUMENTS.map(({ read: _, ...resource }) => resource) };
}

/** The addresses of objects that this role may read. */
export function listTemplates(
  cursor: string | undefined,
  role: Role | null,
  serves: Serves,
): ListResourceTemplatesResult {
  refuseCursor(cursor);
  return {
    resourceTemplates: OBJECTS.filter(
      ({ name }) => role !== null && operationRow(name).roles.includes(role) && serves(name),
    ).map(({ name, noun }) => ({
      uriTemplate: `headframe://${noun}/{id}{?project_id}`,
      name,
      description: `${operationRow(name).summary}. The project is the Project-ID of the connection when absent.`,
      mimeType: JSON_TYPE,
    })),
  };
}

/** Answers with a document, or with what `get` says of an object; throws McpError for an address that names neither. */
export async function readResource(
  uri: string,
  serves: Serves,
  get: (name: OperationName, input: Record<string, string>, project_id: string | undefined) => Promise<object>,
): Promise<ReadResourceResult> {
  const document = DOCUMENTS.find((one) => one.uri === uri);
  if (document !== undefined) return { contents: [{ uri, mimeType: document.mimeType, text: document.read(serves) }] };
  const [, noun, id, query] = /^headframe:\/\/([a-z-]+)\/([\w-]{1,64})(?:\?project_id=(\w{1,64}))?$/.exec(uri) ?? [];
  const object = OBJECTS.find((one) => one.noun === noun);
  if (object === undefined || id === undefined)
    throw new McpError(RESOURCE_NOT_FOUND, 'No such resource; resources/list and resources/templates/list name them.', {
      uri,
    });
  const body = await get(object.name, { [object.arg]: id }, query);
  return { contents: [{ uri, mimeType: JSON_TYPE, text: JSON.stringify(body) }] };
}

/** MCP 2025-11-25, server/resources, error handling. */
export const RESOURCE_NOT_FOUND = -32_002;

/** Throws for a cursor, for no list here has a second page. */
export function refuseCursor(cursor: string | undefined): void {
  if (cursor !== undefined) throw new McpError(ErrorCode.InvalidParams, 'This cursor was never given out.');
}
