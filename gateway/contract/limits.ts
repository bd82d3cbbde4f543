/** What this interface takes, and what happens beyond it: one table, read by the code and by the documents. */

export interface Limit {
  readonly value: number;
  readonly unit: string;
  readonly what: string;
  /** What a caller sees at the bound. */
  readonly beyond: string;
}

export const LIMITS = {
  requests: {
    value: 6_000,
    unit: 'requests a minute and key',
    what: 'Calls by one key, tool calls included (HEADFRAME_REQUESTS_PER_MINUTE)',
    beyond: '429 `rate_limited` with `Retry-After`; every answer tells the rest in `RateLimit`',
  },
  refused: {
    value: 600,
    unit: 'requests a minute and address',
    what: 'Calls without a good key',
    beyond: '429 `rate_limited`',
  },
  body: {
    value: 1_048_576,
    unit: 'bytes',
    what: 'A JSON body, unless the operation names another bound',
    beyond: '413 `payload_too_large`',
  },
  times: {
    value: 9_999,
    unit: 'year',
    what: 'Last year of times and days that a caller sends; the first is 1970',
    beyond: '400 `parameter_invalid`',
  },
  depth: { value: 32, unit: 'levels', what: 'Nesting of a JSON body', beyond: '400 `body_malformed`' },
  json_values: {
    value: 20_000,
    unit: 'values',
    what: 'Values of all kinds in a JSON body, unless the operation names another bound',
    beyond: '413 `payload_too_large`',
  },
  json_names: {
    value: 5_000,
    unit: 'names',
    what: 'Names in one object of a JSON body',
    beyond: '413 `payload_too_large`',
  },
  json_faults: {
    value: 20,
    unit: 'faults',
    what: 'Faults of one input that an error names in `details`',
    beyond: 'the rest is not looked at',
  },
  page: { value: 200, unit: 'items', what: '`limit` of a list; 50 when absent', beyond: '400 `parameter_invalid`' },
  cursor: { value: 24, unit: 'hours', what: 'Life of a cursor', beyond: '400 `invalid_cursor`' },
  idempotency_key: {
    value: 255,
    unit: 'visible ASCII characters',
    what: 'An Idempotency-Key',
    beyond: '400 `parameter_invalid`',
  },
  receipt: {
    value: 72,
    unit: 'hours',
    what: 'How long an Idempotency-Key is remembered',
    beyond: 'the call is a new one',
  },
  receipts: {
    value: 20_000,
    unit: 'keys',
    what: 'Idempotency-Keys remembered at once',
    beyond: 'the oldest are forgotten',
  },
  sealed_receipt: {
    value: 10,
    unit: 'minutes',
    what: 'How long a repeated call is told the secret again',
    beyond: 'the answer comes without the secret',
  },
  sockets: { value: 1_000, unit: 'sockets', what: 'Open HTTP sockets', beyond: 'the connection is closed' },
  sockets_per_address: {
    value: 64,
    unit: 'sockets',
    what: 'Open HTTP sockets of one address',
    beyond: 'the connection is closed',
  },
  header: { value: 16_384, unit: 'bytes', what: 'All header fields of a request', beyond: '431' },
  header_time: { value: 5, unit: 'seconds', what: 'Time to send the header of a request', beyond: '408' },
  request_time: { value: 30, unit: 'seconds', what: 'Time to send a whole request', beyond: '408' },
  streams: { value: 200, unit: 'streams', what: 'Open live streams', beyond: '429 `rate_limited`' },
  stream_backlog: {
    value: 262_144,
    unit: 'bytes',
    what: 'What may wait for one reader of a live stream',
    beyond: 'the reader is told `resync` and dropped',
  },
  frame: {
    value: 16_777_216,
    unit: 'bytes',
    what: 'A frame of a camera',
    beyond: '413 `payload_too_large`',
  },
  artifact: {
    value: 5_368_709_120,
    unit: 'bytes',
    what: 'A file that a device uploads',
    beyond: '413 `payload_too_large`',
  },
  decodes: {
    value: 1_000,
    unit: 'runs',
    what: 'Logs of one device that wait to be decoded',
    beyond: '409 `limit_reached`; the bucket answers 503 `SlowDown`, and the logger keeps its file',
  },
  uploads: { value: 16, unit: 'uploads', what: 'Open uploads of one device', beyond: '409 `limit_reached`' },
  tool_content: {
    value: 1_048_576,
    unit: 'bytes',
    what: 'What the tool `artifacts_content` answers with',
    beyond: '`payload_too_large`; ask for a `range`',
  },
  upload_time: { value: 72, unit: 'hours', what: 'Life of an upload', beyond: 'what came of it is removed' },
  bucket_sockets: {
    value: 256,
    unit: 'sockets',
    what: 'Open sockets of the bucket, 32 of them of one address',
    beyond: 'the connection is closed',
  },
  bucket_writes: {
    value: 32,
    unit: 'uploads',
    what: 'Objects and parts that the bucket writes at once, 8 of them of one device',
    beyond: '503 `SlowDown`',
  },
  bucket_skew: {
    value: 15,
    unit: 'minutes',
    what: 'How far the clock of a logger may be from that of the gateway',
    beyond: '403 `RequestTimeTooSkewed`, with the right time in `Date`',
  },
  bucket_silence: {
    value: 30,
    unit: 'seconds',
    what: 'Silence within an upload to the bucket; it also brings 60 kB a minute at least',
    beyond: '400 `RequestTimeout`',
  },
  bucket_key: { value: 1_024, unit: 'bytes', what: 'Name of an object', beyond: '400 `KeyTooLongError`' },
  bucket_meta: {
    value: 2_048,
    unit: 'bytes',
    what: 'Names and values of the `x-amz-meta-*` of an object',
    beyond: '400 `MetadataTooLarge`',
  },
  bucket_parts: {
    value: 10_000,
    unit: 'parts',
    what: 'Parts of an upload, each but the last of 5 MiB at least',
    beyond: '400 `InvalidArgument`, 400 `EntityTooSmall`',
  },
  bucket_uploads: {
    value: 64,
    unit: 'uploads',
    what: 'Uploads in parts that one logger has open, for 72 hours each',
    beyond: 'the oldest is given up',
  },
  bucket_list: { value: 1_000, unit: 'objects', what: 'One page of a list of objects', beyond: 'the page ends' },
  bucket_delete: {
    value: 1_000,
    unit: 'objects',
    what: 'Objects deleted by one request',
    beyond: '400 `MalformedXML`',
  },
  bucket_xml: { value: 2_097_152, unit: 'bytes', what: 'XML of a request', beyond: '400 `MalformedXML`' },
  decode_task_days: {
    value: 90,
    unit: 'days',
    what: 'How long the task of a decoded file is kept that missed nothing, with its runs and transcript',
    beyond: '410 `past_retention`; file and numbers stay, and it can be decoded again',
  },
  decode_tasks: {
    value: 100_000,
    unit: 'tasks',
    what: 'Such tasks on the gateway, counted within hours',
    beyond: 'the oldest go, as above',
  },
  decode_gap_task_days: {
    value: 365,
    unit: 'days',
    what: 'How long the task of a file is kept that failed, was canceled or has gaps',
    beyond: '410 `past_retention`',
  },
  decode_gap_tasks: {
    value: 20_000,
    unit: 'tasks',
    what: 'Such tasks on the gateway, counted within hours',
    beyond: 'the oldest go, as above',
  },
  exports: { value: 4, unit: 'exports', what: 'CSV exports at a time', beyond: '429 `rate_limited`' },
} as const satisfies Record<string, Limit>;
