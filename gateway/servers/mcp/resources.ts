/** MCP resources: the documents about the API, the schemas of each tool, and each object that a GET operation returns by its id. */
import {
  ErrorCode,
  type ListResourcesResult,
  type ListResourceTemplatesResult,
  McpError,
  type ReadResourceResult,
} from '@modelcontextprotocol/sdk/types.js';
import { SIGNAL_NAMES, signalRow } from '#contract/base/signals.ts';
import type { OperationName } from '#contract/operations.ts';
import { type Permitted, permits } from '#contract/permissions.ts';
import { openApiDocument } from '#servers/docs/openapi.ts';
import { operationsDoc } from '#servers/docs/operations-doc.ts';
import { catalogDocument } from '#servers/invoke/catalog.ts';
import { operationRow, schemaOf, TABLE } from '#servers/invoke/json-schemas.ts';

const JSON_TYPE = 'application/json';

/** Returns true for an operation that this gateway serves. */
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
    description: 'The operations and error codes as JSON, with the contract hash.',
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
    description: 'Names of telemetry signals, each with its unit and the equipment field that shows it.',
    mimeType: JSON_TYPE,
    read: () => JSON.stringify(SIGNAL_NAMES.map((name) => ({ name, ...signalRow(name) }))),
  },
];

/** Operations that read one object by id: `GET /api/v1/equipment/{id}` is the resource `headframe://equipment/{id}`. */
const OBJECTS: readonly { readonly name: OperationName; readonly noun: string; readonly arg: string }[] = [
  ...TABLE,
].flatMap(([name, row]) => {
  const [, noun, arg] = /^\/api\/v1\/([a-z-]+)\/\{(\w+)\}$/.exec(row.path) ?? [];
  return row.method === 'GET' && row.httpOnly === undefined && noun !== undefined && arg !== undefined
    ? [{ name, noun, arg }]
    : [];
});

const TOOL_TEMPLATE = {
  uriTemplate: 'headframe://tools/{name}',
  name: 'tool_schema',
  description: 'The full JSON Schemas of the input and the output of a tool.',
  mimeType: JSON_TYPE,
};

/** Returns the full schemas of a tool; undefined if there is no such tool. */
function toolDocument(name: string): object | undefined {
  const found = [...TABLE.keys()].find((one) => one === name);
  if (found === undefined || operationRow(found).httpOnly !== undefined) return undefined;
  return { name, input: schemaOf(found, 'input'), output: schemaOf(found, 'output') };
}

/** Returns the list operation for the objects of a URI template, such as `headframe://equipment/{id}`; undefined if there is none. */
export function listOfTemplate(uriTemplate: string): OperationName | undefined {
  const [, noun] = /^headframe:\/\/([a-z-]+)\//.exec(uriTemplate) ?? [];
  const { name } = OBJECTS.find((one) => one.noun === noun) ?? {};
  const list = name?.replace(/_get$/, '_list');
  return [...TABLE.keys()].find((one) => one === list);
}

/** Returns the list of documents, which has one page; throws McpError for a cursor. */
export function listResources(cursor: string | undefined): ListResourcesResult {
  refuseCursor(cursor);
  return { resources: DOCUMENTS.map(({ read: _, ...resource }) => resource) };
}

/** Returns the URI templates of the objects that a caller may read; throws McpError for a cursor. */
export function listTemplates(
  cursor: string | undefined,
  caller: Permitted,
  serves: Serves,
): ListResourceTemplatesResult {
  refuseCursor(cursor);
  return {
    resourceTemplates: [
      TOOL_TEMPLATE,
      ...OBJECTS.filter(({ name }) => permits(caller, name) && serves(name)).map(({ name, noun }) => ({
        uriTemplate: `headframe://${noun}/{id}{?project_id}`,
        name,
        description: `${operationRow(name).summary}. Without project_id, the Project-ID header of the connection applies.`,
        mimeType: JSON_TYPE,
      })),
    ],
  };
}

/** Returns a document, or an object that `get` reads; throws McpError for an unknown URI. */
export async function readResource(
  uri: string,
  serves: Serves,
  get: (name: OperationName, input: Record<string, string>, project_id: string | undefined) => Promise<object>,
): Promise<ReadResourceResult> {
  const document = DOCUMENTS.find((one) => one.uri === uri);
  if (document !== undefined) return { contents: [{ uri, mimeType: document.mimeType, text: document.read(serves) }] };
  const [, tool] = /^headframe:\/\/tools\/(\w{1,64})$/.exec(uri) ?? [];
  const schemas = tool === undefined ? undefined : toolDocument(tool);
  if (schemas !== undefined) return { contents: [{ uri, mimeType: JSON_TYPE, text: JSON.stringify(schemas) }] };
  const [, noun, sent, project] =
    /^headframe:\/\/([a-z-]+)\/([^/?#]{1,240})(?:\?project_id=([^&#]{1,240}))?$/.exec(uri) ?? [];
  const object = OBJECTS.find((one) => one.noun === noun);
  const id = decoded(sent);
  if (object === undefined || id === undefined)
    throw new McpError(RESOURCE_NOT_FOUND, 'No such resource. See resources/list and resources/templates/list.', {
      uri,
    });
  const body = await get(object.name, { [object.arg]: id }, decoded(project));
  return { contents: [{ uri, mimeType: JSON_TYPE, text: JSON.stringify(body) }] };
}

/** Decodes a part of an address; undefined if there is none or if it is not valid. */
function decoded(part: string | undefined): string | undefined {
  try {
    return part === undefined ? undefined : decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

/** JSON-RPC error code for an unknown resource (MCP 2025-11-25, server/resources, "Error Handling"). */
export const RESOURCE_NOT_FOUND = -32_002;

/** Throws McpError if the request has a cursor. No list of this server has a second page, so no cursor is valid. */
export function refuseCursor(cursor: string | undefined): void {
  if (cursor !== undefined)
    throw new McpError(ErrorCode.InvalidParams, 'This cursor is not valid: the list has one page.');
}
