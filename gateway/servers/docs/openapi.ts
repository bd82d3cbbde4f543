/** Builds the OpenAPI 3.1 document from the declared operations. */
import { canonicalJson } from '#contract/base/canonical-json.ts';
import { ERRORS, ErrorBody, type ErrorCode } from '#contract/base/errors.ts';
import type { Bytes, EventStream, Operation } from '#contract/base/operation.ts';
import type { OperationName } from '#contract/operations.ts';
import { FRAME_TYPES } from '#contract/work/media.ts';
import { RUN_ERRORS } from '#contract/work/run-errors.ts';
import { takesIdempotencyKey } from '#servers/invoke/catalog.ts';
import { CONTRACT_HASH } from '#servers/invoke/contract-hash.ts';
import { TABLE_TYPES, typesOf } from '#servers/invoke/formats.ts';
import { type JsonSchema, schemaFor, schemaOf, TABLE } from '#servers/invoke/json-schemas.ts';

type Components = Record<string, JsonSchema>;

/** Returns the body of `GET /api/v1/openapi.json`, with the operations for which `serves` returns true. */
export function openApiDocument(serves: (name: OperationName) => boolean = () => true): Record<string, unknown> {
  const schemas: Components = {};
  const error = hoist(schemaFor(ErrorBody), schemas, 'Error');
  schemas.Error = error;
  const paths: Record<string, Record<string, unknown>> = {};
  const served = [...TABLE].filter(([name]) => serves(name));
  for (const [name, row] of served) {
    const path = paths[row.path] ?? {};
    path[row.method.toLowerCase()] = operationObject(name, row, schemas);
    paths[row.path] = path;
  }
  nameRunErrors(schemas);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Headframe gateway',
      version: 'v1',
      summary: 'Equipment, devices and dashboards of a site.',
      description:
        'This document, the routes, the MCP tools and the typed client are generated from one declaration. Every answer has the hash of that declaration in `X-Contract-Hash`.',
      contact: { name: 'The operator of this gateway' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      'x-contract-hash': CONTRACT_HASH,
    },
    servers: [{ url: '/', description: 'This gateway.' }],
    tags: [...new Set(served.map(([, row]) => tagOf(row)))]
      .sort()
      .map((name) => ({ name, description: `Operations under /api/v1/${name}.` })),
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description:
            'A workspace key (`wk_...`). A personal token (`pat_...`) may only read transcripts. A device key (`dk_...`) may only call the routes of its own device.',
        },
      },
      parameters: PARAMETERS,
      headers: HEADERS,
      responses: errorResponses(paths),
      schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))),
    },
  };
}

/** Adds the failure codes of runs, which are safe to branch on, with their remedies. A later version may add codes at the end. */
function nameRunErrors(schemas: Components): void {
  const { properties } = schemas.RunError as { properties: { code: JsonSchema } };
  properties.code = {
    ...properties.code,
    enum: Object.keys(RUN_ERRORS),
    'x-remedies': RUN_ERRORS,
  };
}

const PROJECT_ID = {
  name: 'Project-ID',
  in: 'header',
  required: true,
  description: 'The project of the call.',
  schema: { type: 'string' },
  example: 'prj_0198c2f4k3e7n9v5s1q8r6t2w0',
};
const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A string that you choose. If you send the same call again within 72 hours, it is not carried out again: you get the first answer, with `Idempotent-Replayed: true`. Other input with the same key is refused with 409.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
  example: 'fuel-truck-7-2031',
};
const IF_MATCH = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description: 'Revision in quotes, as in ETag. The write is refused with 412 if the object has another revision.',
  schema: { type: 'string' },
  example: '"3"',
};

const PARAMETERS = {
  ProjectId: PROJECT_ID,
  ProjectIdOfPeople: {
    ...PROJECT_ID,
    required: false,
    description: 'The project of the call. It is required, except with a device key.',
  },
  IdempotencyKey: IDEMPOTENCY_KEY,
  RequiredIdempotencyKey: { ...IDEMPOTENCY_KEY, required: true },
  IfMatch: IF_MATCH,
  RequiredIfMatch: { ...IF_MATCH, required: true },
};

const HEADERS = {
  RequestId: { description: 'Id of this call in the log of the gateway.', schema: { type: 'string' } },
  ContractHash: { description: 'Hash of the API declaration of this gateway.', schema: { type: 'string' } },
  ETag: { description: 'The revision of the object, quoted.', schema: { type: 'string' } },
  Replayed: {
    description: '`true` if this is the stored answer of an earlier call with the same Idempotency-Key.',
    schema: { type: 'string' },
  },
};

const COMMON_HEADERS = {
  'X-Request-Id': { $ref: '#/components/headers/RequestId' },
  'X-Contract-Hash': { $ref: '#/components/headers/ContractHash' },
};

function operationObject(name: OperationName, row: Operation, schemas: Components): Record<string, unknown> {
  const input = schemaOf(name, 'input');
  const pathNames = [...row.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);
  const inQuery = row.method === 'GET' || row.method === 'DELETE';
  const properties = Object.entries(input.properties).map(
    ([key, schema]) => [key, hoistInput(schema, input.$defs, schemas)] as const,
  );
  const parameters: object[] = properties
    .filter(([key]) => inQuery || pathNames.includes(key))
    .map(([key, { description, ...schema }]) => {
      const inPath = pathNames.includes(key);
      return {
        name: key,
        in: inPath ? 'path' : 'query',
        required: inPath || (input.required ?? []).includes(key),
        ...(description === undefined ? {} : { description }),
        schema,
      };
    });
  for (const parameter of headersOf(name, row)) parameters.push({ $ref: `#/components/parameters/${parameter}` });
  const body = inQuery ? [] : properties.filter(([key]) => !pathNames.includes(key));
  const required = (input.required ?? []).filter((key) => body.some(([known]) => known === key));
  return {
    operationId: name,
    summary: row.summary,
    description: describe(row),
    tags: [tagOf(row)],
    ...(row.scope === 'none' ? { security: [] } : {}),
    'x-tool': row.httpOnly === undefined ? name : null,
    'x-roles': row.roles,
    'x-source': row.source === 'spec' ? 'spec' : row.source.extension,
    parameters,
    ...(row.bytes !== undefined
      ? bytesBody(row.bytes, Object.fromEntries(body))
      : body.length === 0
        ? {}
        : {
            requestBody: {
              required: required.length > 0,
              content: {
                'application/json': {
                  schema: {
                    type: 'object',
                    properties: Object.fromEntries(body),
                    ...(required.length ? { required } : {}),
                    additionalProperties: false,
                  },
                  ...(row.example === undefined ? {} : { example: row.example }),
                },
              },
            },
          }),
    'x-error-codes': errorsOf(name, row).flatMap(([, codes]) => codes),
    responses: responses(name, row, schemas),
  };
}

/** Returns the header fields of an operation, by their names in `PARAMETERS`. */
function headersOf(name: OperationName, row: Operation): (keyof typeof PARAMETERS)[] {
  const required = new Set(row.requires ?? []);
  return [
    // A device key belongs to one project, so it may leave out the header.
    ...(row.scope !== 'project'
      ? []
      : row.roles.includes('device')
        ? (['ProjectIdOfPeople'] as const)
        : (['ProjectId'] as const)),
    ...(takesIdempotencyKey(name)
      ? ([required.has('idempotency-key') ? 'RequiredIdempotencyKey' : 'IdempotencyKey'] as const)
      : []),
    ...(row.revision === 'if-match' ? ([required.has('if-match') ? 'RequiredIfMatch' : 'IfMatch'] as const) : []),
  ];
}

function describe(row: Operation): string {
  return [
    row.description ?? `${row.summary}.`,
    row.scope === 'none' ? 'No key is needed; the rate is limited per address.' : `Roles: ${row.roles.join(', ')}.`,
    ...(row.source === 'spec' ? [] : [`Extension: ${row.source.extension}.`]),
  ].join('\n\n');
}

const BOARD_EVENTS =
  'Events `snapshot`, `delta`, `heartbeat`, `resync` and `gone`, until the client or the gateway ends the stream.';
const STREAM_EVENTS: Readonly<Record<EventStream, string>> = {
  board: BOARD_EVENTS,
  draft_board: BOARD_EVENTS,
  shared_board: BOARD_EVENTS,
  project: BOARD_EVENTS,
  run: 'Events `message` and `run`, then one `terminal` event, which ends the stream.',
};

function responses(name: OperationName, row: Operation, schemas: Components): Record<string, unknown> {
  const out: Record<string, unknown> = {
    [row.status]: row.stream
      ? {
          description: STREAM_EVENTS[row.stream],
          headers: COMMON_HEADERS,
          content: { 'text/event-stream': { schema: { type: 'string' } } },
        }
      : {
          description: row.status === 201 ? 'Created.' : row.status === 202 ? 'Accepted and on disk.' : 'Done.',
          headers: {
            ...COMMON_HEADERS,
            ...(row.revision ? { ETag: { $ref: '#/components/headers/ETag' } } : {}),
            ...(takesIdempotencyKey(name) ? { 'Idempotent-Replayed': { $ref: '#/components/headers/Replayed' } } : {}),
          },
          ...(row.status === 204
            ? {}
            : {
                content:
                  row.bytes === 'content' || row.bytes === 'shared_content' || row.bytes === 'sync'
                    ? { 'application/octet-stream': { schema: BINARY } }
                    : contentOf(name, outputRef(name, row, schemas)),
              }),
        },
  };
  if (row.unchanged !== undefined)
    out[row.unchanged] = {
      ...(out[row.status] as object),
      description: 'The call wrote nothing; for example, the object existed already.',
    };
  for (const [status] of errorsOf(name, row)) out[status] = { $ref: `#/components/responses/Error${status}` };
  return out;
}

const BINARY = { type: 'string', format: 'binary' };

/** Returns the request body of an operation that receives bytes instead of JSON. */
function bytesBody(kind: Bytes, fields: Record<string, JsonSchema>) {
  if (kind === 'upload_append')
    return { requestBody: { required: true, content: { 'application/offset+octet-stream': { schema: BINARY } } } };
  if (kind === 'sync')
    return { requestBody: { required: true, content: { 'application/octet-stream': { schema: BINARY } } } };
  if (kind !== 'frame') return {};
  // Leave out the fields that the gateway computes from the bytes.
  const { sha256: _, bytes: __, content_type: ___, ...meta } = fields;
  const form = {
    type: 'object',
    required: ['frame'],
    properties: { meta: { type: 'object', properties: meta }, frame: BINARY },
  };
  const images = [...FRAME_TYPES].map((type) => [type, { schema: BINARY }] as const);
  const content = { 'multipart/form-data': { schema: form }, ...Object.fromEntries(images) };
  return { requestBody: { required: true, content } };
}

/**
 * Returns the media types of an answer, each with its schema. JSON gets the schema of the operation, and each other media type gets a
 * general schema.
 */
function contentOf(name: OperationName, schema: JsonSchema): Record<string, unknown> {
  return Object.fromEntries(
    typesOf(name).map((type) => {
      if (type === 'application/json') return [type, { schema }];
      if (type === TABLE_TYPES.arrow) return [type, { schema: BINARY }];
      if (type === 'text/csv')
        return [
          type,
          { schema: { type: 'string', description: 'The whole list, or the table of the series, as CSV (RFC 4180).' } },
        ];
      const event = { type: 'object', description: 'A CloudEvents 1.0 event.' };
      return [type, { schema: type.includes('batch') ? { type: 'array', items: event } : event }];
    }),
  );
}

/** Returns one response for each error status. `x-error-codes` of an operation lists the codes with which it can answer. */
function errorResponses(paths: object): Record<string, unknown> {
  const byStatus = Map.groupBy(Object.entries(ERRORS), ([, [status]]) => status);
  const used = JSON.stringify(paths);
  return Object.fromEntries(
    [...byStatus]
      .filter(([status]) => used.includes(`#/components/responses/Error${status}"`))
      .sort(([a], [b]) => a - b)
      .map(([status, rows]) => [
        `Error${status}`,
        {
          description: rows.map(([code, [, , , meaning]]) => `\`${code}\`: ${meaning}`).join('\n\n'),
          headers: COMMON_HEADERS,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
        },
      ]),
  );
}

/** Returns the error codes of an operation by status: those that it declares, and those of authentication, limits and validation. */
function errorsOf(name: OperationName, row: Operation): readonly (readonly [number, readonly ErrorCode[]])[] {
  const codes = new Set<ErrorCode>(row.errors);
  codes.add('parameter_invalid').add('parameter_missing').add('parameter_unknown');
  codes.add('misdirected_request').add('permission_denied').add('rate_limited').add('internal_error');
  if (row.scope !== 'none') codes.add('authentication_required').add('credential_invalid').add('claim_required');
  if (row.scope === 'project') codes.add('project_required').add('project_not_found').add('project_mismatch');
  if (row.method !== 'GET') {
    codes.add('body_malformed').add('unsupported_media_type').add('payload_too_large').add('request_too_slow');
    codes.add('write_conflict').add('storage_full');
  }
  if (takesIdempotencyKey(name)) codes.add('idempotency_key_reused').add('operation_in_progress');
  if (!row.stream) codes.add('backend_unavailable').add('not_acceptable');
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) byStatus.set(ERRORS[code][0], [...(byStatus.get(ERRORS[code][0]) ?? []), code]);
  return [...byStatus].sort(([a], [b]) => a - b);
}

function tagOf(row: Operation): string {
  return row.path.split('/')[3] ?? '';
}

function outputRef(name: OperationName, row: Operation, schemas: Components): JsonSchema {
  const schema = hoist(schemaOf(name, 'output'), schemas);
  const id = row.output.meta()?.id;
  if (typeof id !== 'string') return schema;
  const meta = row.output.meta()?.description;
  schemas[id] = typeof meta === 'string' ? { ...schema, description: meta } : schema;
  return { $ref: `#/components/schemas/${id}` };
}

/** Moves the definitions of a schema to the components, and changes the references to them. */
function hoist(schema: JsonSchema, schemas: Components, self?: string): JsonSchema {
  const { $defs = {}, ...root } = schema as JsonSchema & { $defs?: Components };
  for (const [id, definition] of Object.entries($defs)) schemas[id] = relink(definition, (ref) => ref) as JsonSchema;
  if (self !== undefined && typeof root.$ref === 'string') return schemas[self] ?? {};
  return relink(root, (ref) => ref) as JsonSchema;
}

/**
 * Does the same as `hoist` for the schema of an input. The definitions of an input get the suffix `Input`, because they differ from those
 * of an output: a field with a default is optional in the input only.
 */
function hoistInput(schema: JsonSchema, defs: Readonly<Components> | undefined, schemas: Components): JsonSchema {
  const rename = (id: string): string => {
    const definition = defs?.[id];
    return definition === undefined ? id : `${id}Input`;
  };
  for (const [id, definition] of Object.entries(defs ?? {})) {
    if (!canonicalJson(schema).includes(`#/$defs/${id}"`)) continue;
    schemas[rename(id)] = relink(definition, rename) as JsonSchema;
  }
  return relink(schema, rename) as JsonSchema;
}

function relink(node: unknown, rename: (id: string) => string): unknown {
  if (Array.isArray(node)) return node.map((item) => relink(item, rename));
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => [
      key,
      key === '$ref' && typeof value === 'string' && value.startsWith('#/$defs/')
        ? `#/components/schemas/${rename(value.slice('#/$defs/'.length))}`
        : relink(value, rename),
    ]),
  );
}
