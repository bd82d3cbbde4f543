/** Limits of the API and the behaviour at each limit. The code and the documentation use this table. */

export interface Limit {
  readonly value: number;
  readonly unit: string;
  readonly what: string;
  /** The behaviour at the limit, as a caller sees it. */
  readonly beyond: string;
}

export const LIMITS = {
  requests: {
    value: 6_000,
    unit: 'requests a minute and key',
    what: 'Calls by one key, tool calls included (HEADFRAME_REQUESTS_PER_MINUTE)',
    beyond: '429 `rate_limited` with `Retry-After`; each answer has the number of calls left in `RateLimit`',
  },
  refused: {
    value: 600,
    unit: 'requests a minute and address',
    what: 'Calls without a valid key',
    beyond: '429 `rate_limited`',
  },
  open_requests: {
    value: 3_000,
    unit: 'requests a minute and address',
    what: 'Requests that need no key: pages, `/healthz`, `/metrics`; an API document counts as 20 requests',
    beyond:
      '429 `rate_limited`; the gateway delays this answer by a second if the address got a 429 less than a second ago',
  },
  watched_addresses: {
    value: 200,
    unit: 'addresses',
    what: 'Addresses for which failed logins and codes are counted',
    beyond: 'the gateway discards the counter of the address whose last failed try is the oldest',
  },
  body_bytes: {
    value: 8_192,
    unit: 'bytes of JSON for each request that a key may make in a minute',
    what: 'JSON bodies of one key per minute: 48 MB at 6,000 requests; a body without Content-Length counts with the largest allowed length',
    beyond: '429 `rate_limited`',
  },
  body_silence: {
    value: 10,
    unit: 'seconds',
    what: 'Longest time without a byte while a body arrives',
    beyond: '408 `request_too_slow`',
  },
  body_pace: {
    value: 1_000,
    unit: 'bytes a second',
    what: 'Lowest rate of a body that is not complete after 10 s',
    beyond: '408 `request_too_slow`',
  },
  large_bodies: {
    value: 16,
    unit: 'bodies',
    what: 'Concurrent requests with a JSON body over 64 KiB; 2 per key',
    beyond: '429 `rate_limited`',
  },
  reader_silence: {
    value: 30,
    unit: 'seconds',
    what: 'How long the client of an export may stop reading',
    beyond: 'the connection is closed',
  },
  body: {
    value: 1_048_576,
    unit: 'bytes',
    what: 'A JSON body, unless the operation has its own limit',
    beyond: '413 `payload_too_large`',
  },
  times: {
    value: 9_999,
    unit: 'year',
    what: 'Last year of times and dates in requests; the first is 1970',
    beyond: '400 `parameter_invalid`',
  },
  depth: { value: 32, unit: 'levels', what: 'Nesting of a JSON body', beyond: '400 `body_malformed`' },
  json_values: {
    value: 20_000,
    unit: 'values',
    what: 'Values in a JSON body, unless the operation has its own limit',
    beyond: '413 `payload_too_large`',
  },
  json_names: {
    value: 5_000,
    unit: 'names',
    what: 'Names in one object of a JSON body',
    beyond: '413 `payload_too_large`',
  },
  json_name: { value: 1_000, unit: 'bytes', what: 'One name in a JSON body', beyond: '400 `body_malformed`' },
  json_faults: {
    value: 20,
    unit: 'faults',
    what: 'Faults of one input that `details` of an error lists',
    beyond: 'the gateway checks no further values',
  },
  page: { value: 200, unit: 'items', what: '`limit` of a list; 50 when absent', beyond: '400 `parameter_invalid`' },
  page_bytes: {
    value: 4_194_304,
    unit: 'bytes',
    what: 'Approximate JSON size of the items of one page; a page has at least one item',
    beyond: 'the page ends, `has_more` is true, and the cursor returns the next page',
  },
  amendments: {
    value: 1_048_576,
    unit: 'bytes',
    what: 'Approximate JSON size of the amendments returned with one shift report (the newest, at least one); the same for its acknowledgements',
    beyond: '`more_amendments` or `more_acknowledgements` is true; the event log of the report has all of them',
  },
  cursor: { value: 24, unit: 'hours', what: 'How long a cursor is valid', beyond: '400 `invalid_cursor`' },
  idempotency_key: {
    value: 255,
    unit: 'visible ASCII characters',
    what: 'An Idempotency-Key',
    beyond: '400 `parameter_invalid`',
  },
  receipt: {
    value: 72,
    unit: 'hours',
    what: 'How long the gateway stores an Idempotency-Key',
    beyond: 'a call with this key is executed as a new call',
  },
  receipts: {
    value: 20_000,
    unit: 'keys',
    what: 'Idempotency-Keys that the gateway stores at the same time',
    beyond: 'the oldest keys are deleted',
  },
  sealed_receipt: {
    value: 10,
    unit: 'minutes',
    what: 'How long a repeated call returns the secret again',
    beyond: 'the gateway answers without the secret',
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
  streams: {
    value: 200,
    unit: 'streams',
    what: 'Open live streams; 50 per display link, key or address; 25 are reserved for clients that have no open stream',
    beyond: '429 `rate_limited`',
  },
  task_streams: { value: 100, unit: 'streams', what: 'Open task streams, 25 of one key', beyond: '429 `rate_limited`' },
  frames: {
    value: 32,
    unit: 'frames',
    what: 'Camera frames that are received at once; 8 per camera',
    beyond: '429 `rate_limited`',
  },
  upload_writes: {
    value: 16,
    unit: 'uploads',
    what: 'Uploads that are written at once; 4 per device or key',
    beyond: '429 `rate_limited`',
  },
  stream_backlog: {
    value: 262_144,
    unit: 'bytes',
    what: 'Unsent data of one client of a live stream',
    beyond: 'the gateway sends the event `resync` and closes the stream',
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
    what: 'Content in an answer of the tool `artifacts_content`',
    beyond: '`payload_too_large`; ask for a `range`',
  },
  upload_time: {
    value: 72,
    unit: 'hours',
    what: 'How long an upload may take',
    beyond: 'the gateway deletes the bytes received so far',
  },
  bucket_sockets: {
    value: 256,
    unit: 'sockets',
    what: 'Open sockets of the bucket; 32 per address',
    beyond: 'the connection is closed',
  },
  bucket_writes: {
    value: 32,
    unit: 'uploads',
    what: 'Objects and parts that the bucket writes at once; 8 per device',
    beyond: '503 `SlowDown`',
  },
  bucket_skew: {
    value: 15,
    unit: 'minutes',
    what: 'Largest difference between the clocks of a logger and the gateway',
    beyond: '403 `RequestTimeTooSkewed`, with the right time in `Date`',
  },
  bucket_silence: {
    value: 30,
    unit: 'seconds',
    what: 'Pause within an upload to the bucket; the upload must also reach 60 kB per minute',
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
    what: 'Parts of an upload; each part except the last has at least 5 MiB',
    beyond: '400 `InvalidArgument`, 400 `EntityTooSmall`',
  },
  bucket_uploads: {
    value: 64,
    unit: 'uploads',
    what: 'Open multipart uploads of one logger, each for at most 72 hours',
    beyond: 'the gateway discards the oldest upload',
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
    what: 'How long the task of a completely decoded file is kept, with its runs and transcript',
    beyond: '410 `past_retention`; the file and its decoded values stay, and the file can be decoded again',
  },
  decode_tasks: {
    value: 100_000,
    unit: 'tasks',
    what: 'Tasks of completely decoded files on the gateway; enforced within hours',
    beyond: 'the oldest tasks are deleted: 410 `past_retention`',
  },
  decode_gap_task_days: {
    value: 365,
    unit: 'days',
    what: 'How long the task of a file is kept if it failed, was canceled or has gaps',
    beyond: '410 `past_retention`',
  },
  decode_gap_tasks: {
    value: 20_000,
    unit: 'tasks',
    what: 'Tasks of files that failed, were canceled or have gaps, on the gateway; enforced within hours',
    beyond: 'the oldest tasks are deleted: 410 `past_retention`',
  },
  device_event_days: {
    value: 400,
    unit: 'days',
    what: 'How long an event is kept that a device caused in its own log, or that has the kind `note` or `x.*`',
    beyond: 'deleted; an entry `purged` in the log of the device has the number and the times of the deleted events',
  },
  history_days: {
    value: 400,
    unit: 'days',
    what: 'How long a sample of history is kept, from the time when the gateway stored it (HEADFRAME_HISTORY_DAYS)',
    beyond: 'deleted; `history_from` of the machine is the time of the newest deleted sample',
  },
  database_share: {
    value: 15,
    unit: '% of the disk',
    what: 'Size of the database (HEADFRAME_DATABASE_GIGABYTES)',
    beyond:
      'the oldest samples are deleted early, except those of the last 24 hours; `history` in health lists the machines',
  },
  telemetry_days: {
    value: 366,
    unit: 'days',
    what: 'Range of one read of stored telemetry',
    beyond: '400 `parameter_invalid`; ask for several shorter ranges',
  },
  telemetry_steps: {
    value: 2_000,
    unit: 'steps',
    what: 'Steps of one series in a read of stored telemetry',
    beyond: '400 `parameter_invalid`; ask for a longer step',
  },
  telemetry_raw: {
    value: 100_000,
    unit: 'samples',
    what: 'Seconds of the range, multiplied by the number of signals, in a read with `resolution=raw`',
    beyond: '400 `parameter_invalid`; ask for a shorter range, fewer signals or steps',
  },
  telemetry_examined: {
    value: 100_000_000,
    unit: 'samples',
    what: 'Stored samples of the machine, of all its signals, that one read of stored telemetry examines',
    beyond:
      'the read ends at the end of that UTC day: `truncated` is true, and `next_from` is the time to continue from',
  },
  telemetry_reads: {
    value: 4,
    unit: 'reads',
    what: 'Reads of stored telemetry at the same time; 32 more wait',
    beyond: '429 `rate_limited`',
  },
  exports: { value: 8, unit: 'exports', what: 'Concurrent CSV exports; 2 per key', beyond: '429 `rate_limited`' },
} as const satisfies Record<string, Limit>;
