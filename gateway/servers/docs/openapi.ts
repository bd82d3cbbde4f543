/** The OpenAPI 3.1 document, made from the declaration: nothing in it is written by hand but the words around. */
import { ERRORS, ErrorBody, type ErrorCode } from '#contract/base/errors.ts';
import type { Bytes, EventStream, Operation } from '#contract/base/operation.ts';
import type { OperationName } from '#contract/operations.ts';
import { FRAME_TYPES } from '#contract/work/media.ts';
import { RUN_ERRORS } from '#contract/work/task.ts';
import { canonicalJson } from '#servers/invoke/canonical-json.ts';
import { contractHash, takesIdempotencyKey } from '#servers/invoke/catalog.ts';
import { typesOf } from '#servers/invoke/formats.ts';
import { type JsonSchema, schemaFor, schemaOf, TABLE } from '#servers/invoke/json-schemas.ts';

type Components = Record<string, JsonSchema>;

/** The body of `GET /api/v1/openapi.json`. */
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
        'Made from the same declaration as the routes, the model tools and the typed client. Every answer carries the hash of that declaration in `X-Contract-Hash`.',
      contact: { name: 'Whoever runs this gateway' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      'x-contract-hash': contractHash(),
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
            'A workspace key (`wk_...`). A personal token (`pat_...`) reads transcripts only; a device key (`dk_...`) works on the routes of its own device only.',
        },
      },
      parameters: PARAMETERS,
      headers: HEADERS,
      responses: errorResponses(paths),
      schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))),
    },
  };
}

/** Lists the failure classes of runs. In answers they stay open, so that a client of today takes those of a later version. */
function nameRunErrors(schemas: Components): void {
  const { properties } = schemas.RunError as { properties: { code: JsonSchema } };
  properties.code = { ...properties.code, examples: Object.keys(RUN_ERRORS), 'x-remedies': RUN_ERRORS };
}

const PROJECT_ID = {
  name: 'Project-ID',
  in: 'header',
  required: true,
  description: 'The project that the call is about.',
  schema: { type: 'string' },
  example: 'prj_0198c2f4k3e7n9v5s1q8r6t2w0',
};
const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A string of yours. The same call sent again within 72 hours is done once and answered alike, with `Idempotent-Replayed: true`; other input under the same key is refused with 409.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
  example: 'fuel-truck-7-2031',
};
const IF_MATCH = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description: 'Write only while the object has this revision, quoted as in ETag.',
  schema: { type: 'string' },
  example: '"3"',
};

const PARAMETERS = {
  ProjectId: PROJECT_ID,
  ProjectIdOfPeople: {
    ...PROJECT_ID,
    required: false,
    description: 'The project that the call is about. A device key may leave it out; every other key sends it.',
  },
  IdempotencyKey: IDEMPOTENCY_KEY,
  RequiredIdempotencyKey: { ...IDEMPOTENCY_KEY, required: true },
  IfMatch: IF_MATCH,
  RequiredIfMatch: { ...IF_MATCH, required: true },
};

const HEADERS = {
  RequestId: { description: 'Finds this call in the log of the gateway.', schema: { type: 'string' } },
  ContractHash: { description: 'Identifies the declaration that answered.', schema: { type: 'string' } },
  ETag: { description: 'The revision of the object, quoted.', schema: { type: 'string' } },
  Replayed: { description: '`true` when this is the answer of an earlier call.', schema: { type: 'string' } },
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

/** The header fields that an operation reads, by their names among the parameters. */
function headersOf(name: OperationName, row: Operation): (keyof typeof PARAMETERS)[] {
  const required = new Set(row.requires ?? []);
  return [
    // A device key knows its project.
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
    row.scope === 'none' ? 'Open to all, at a limited rate.' : `Roles: ${row.roles.join(', ')}.`,
    ...(row.source === 'spec' ? [] : [`Extension: ${row.source.extension}.`]),
  ].join('\n\n');
}

const BOARD_EVENTS = 'Events `snapshot`, `delta`, `heartbeat`, `resync` and `gone` until either side ends it.';
const STREAM_EVENTS: Readonly<Record<EventStream, string>> = {
  board: BOARD_EVENTS,
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
          description: row.status === 201 ? 'Made.' : row.status === 202 ? 'Accepted and on disk.' : 'Done.',
          headers: {
            ...COMMON_HEADERS,
            ...(row.revision ? { ETag: { $ref: '#/components/headers/ETag' } } : {}),
            ...(takesIdempotencyKey(name) ? { 'Idempotent-Replayed': { $ref: '#/components/headers/Replayed' } } : {}),
          },
          ...(row.status === 204
            ? {}
            : {
                content:
                  row.bytes === 'content' || row.bytes === 'shared_content'
                    ? { 'application/octet-stream': { schema: BINARY } }
                    : contentOf(name, outputRef(name, row, schemas)),
              }),
        },
  };
  if (row.unchanged !== undefined)
    out[row.unchanged] = { ...(out[row.status] as object), description: 'It was there already.' };
  for (const [status] of errorsOf(name, row)) out[status] = { $ref: `#/components/responses/Error${status}` };
  return out;
}

const BINARY = { type: 'string', format: 'binary' };

/** The body of an operation whose bytes are no JSON. */
function bytesBody(kind: Bytes, fields: Record<string, JsonSchema>) {
  if (kind === 'upload_append')
    return { requestBody: { required: true, content: { 'application/offset+octet-stream': { schema: BINARY } } } };
  if (kind !== 'frame') return {};
  // What the gateway finds out by itself is no part of the form.
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

/** The formats of an answer; only JSON has a schema of ours. */
function contentOf(name: OperationName, schema: JsonSchema): Record<string, unknown> {
  return Object.fromEntries(
    typesOf(name).map((type) => {
      if (type === 'application/json') return [type, { schema }];
      if (type === 'text/csv') return [type, { schema: { type: 'string', description: 'RFC 4180, the whole list.' } }];
      const event = { type: 'object', description: 'A CloudEvents 1.0 event.' };
      return [type, { schema: type.includes('batch') ? { type: 'array', items: event } : event }];
    }),
  );
}

/** One response per status that errors have; which codes an operation can answer with stands at the operation. */
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

/** Every error that an operation can answer with: its own, and those of the road to it. */
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

/** Moves the definitions of a schema to the components, and its references with them. */
function hoist(schema: JsonSchema, schemas: Components, self?: string): JsonSchema {
  const { $defs = {}, ...root } = schema as JsonSchema & { $defs?: Components };
  for (const [id, definition] of Object.entries($defs)) schemas[id] = relink(definition, (ref) => ref) as JsonSchema;
  if (self !== undefined && typeof root.$ref === 'string') return schemas[self] ?? {};
  return relink(root, (ref) => ref) as JsonSchema;
}

/** As `hoist`; what callers send differs from what they get where there are defaults, and then has a name of its own. */
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
