/** DBC files of a project: what a vendor wrote down about the frames of a machine, which of its signals are ours, and where that counts. */
import { z } from 'zod';
import { base, Context, Deleted, Id, idPath, listOf, listQuery, Timestamp } from '#contract/base/common.ts';
import { ADMINS, HINTS, operation, READERS, V1 } from '#contract/base/operation.ts';
import { SIGNAL_NAMES } from '#contract/base/signals.ts';

/** What there may be of them; more is refused by name. */
export const DBC_BOUNDS = {
  /** Characters of one file. */
  text: 2 * 1024 * 1024,
  files: 50,
  active: 8,
  mapped: 64,
  devices: 200,
  /** Frames of a log that a test reads. */
  frames: 500_000,
} as const;

const MappedSignal = z
  .object({
    message: z.string().min(1).max(200).meta({ description: 'Name of the message in the DBC.' }),
    signal: z.string().min(1).max(200).meta({ description: 'Name of the signal in the message.' }),
    to: z.enum(SIGNAL_NAMES as [string, ...string[]]).meta({ description: 'The signal of ours that it is.' }),
    unit: z
      .string()
      .max(20)
      .nullable()
      .default(null)
      .meta({ description: 'The unit of the number, where the file has none or a wrong one.' }),
    preferred: z.boolean().default(false).meta({
      description: 'True: holds the signal before what the gateway reads by itself; false: only where that is silent.',
    }),
  })
  .meta({ id: 'DbcMappedSignal', description: 'A signal of a DBC that is one of ours.' });
export type MappedSignal = z.infer<typeof MappedSignal>;

/** One message with those of its signals that are mapped, and what selects them, as plain JSON. */
export type DbcLayout = readonly Readonly<Record<string, unknown>>[];

const facts = {
  name: z.string().trim().min(1).max(120).meta({ description: 'All versions of a file have one name.' }),
  version: z.number().int().meta({ description: 'Counts the imports under this name; never changed.' }),
  file_version: z.string().meta({ description: 'What the file says its version is.' }),
  sha256: z.string(),
  bytes: z.number().int().meta({ description: 'As UTF-8.' }),
  messages: z.number().int(),
  signals: z.number().int(),
  notes: z
    .array(z.string())
    .meta({ description: 'What of the file was left out, and why, each with its line where that is known.' }),
  mapping: z.array(MappedSignal).meta({ description: 'Can be set until the version is activated for the first time.' }),
  active: z.boolean(),
  device_ids: z
    .array(z.string())
    .nullable()
    .meta({ description: 'Record ids of the devices that it is active for; null: all of the project.' }),
  first_activated_at: Timestamp.nullable(),
};

const DbcFile = z
  .object({ object: z.literal('dbc_file'), ...base, ...facts, context: Context })
  .meta({ id: 'DbcFile', description: 'One version of a DBC file.' });
export type DbcFile = z.infer<typeof DbcFile>;

/** At rest; the text stands beside it under the same id with `:text`. */
export type DbcFileData = Omit<DbcFile, 'object' | 'context' | keyof typeof base> & {
  /** What live decoding needs, so that the text is not read again. */
  layout: DbcLayout;
};
/** Compressed (zstd, base64); as it is where it was imported by an early version of the gateway. */
export type DbcTextData = { packed: string } | { text: string };

const DbcSignalRow = z.object({
  message: z.string(),
  id: z.string().meta({ description: 'Of the frame, hex; 8 digits are 29 bits.' }),
  pgn: z.number().int().nullable().meta({ description: 'Where the message is told apart by its parameter group.' }),
  signal: z.string(),
  unit: z.string(),
  spn: z.number().int().nullable(),
  comment: z.string(),
});

const Suggestion = MappedSignal.pick({ message: true, signal: true, to: true });

const DbcSignals = z
  .object({
    object: z.literal('dbc_signals'),
    total: z.number().int().meta({ description: 'Signals that `q` finds.' }),
    data: z.array(DbcSignalRow).meta({ description: 'The first 500 of them.' }),
    suggested: z
      .array(Suggestion)
      .meta({ description: 'Signals with an SPN that the gateway knows as one of its own, in a unit that fits.' }),
  })
  .meta({ id: 'DbcSignals', description: 'The signals of a DBC.' });

const Tested = z.object({
  message: z.string(),
  signal: z.string(),
  unit: z.string(),
  to: z.string().nullable().meta({ description: 'The signal of ours that it is mapped to.' }),
  values: z.number().int().meta({ description: 'How often it was a number.' }),
  states: z
    .number()
    .int()
    .meta({ description: 'How often it was none: not available, an error, reserved (J1939-71).' }),
  out_of_range: z
    .number()
    .int()
    .meta({ description: 'Numbers outside of the range in the file; they are not clamped.' }),
  implausible: z.number().int().meta({ description: 'Numbers that the signal of ours cannot have, of mapped ones.' }),
  min: z.number().nullable(),
  max: z.number().nullable(),
  last: z.number().nullable(),
});

const DbcTest = z
  .object({
    object: z.literal('dbc_test'),
    dbc_id: z.string(),
    version: z.number().int(),
    artifact_id: z.string().nullable(),
    device_id: z.string().nullable().meta({ description: 'The device whose last minutes were read.' }),
    frames: z.number().int(),
    truncated: z.boolean().meta({ description: `True: the log goes on; ${DBC_BOUNDS.frames} frames were read.` }),
    matched: z.number().int().meta({ description: 'Frames, and messages of several frames, that the DBC knows.' }),
    unmatched: z.number().int(),
    short: z.number().int().meta({ description: 'Signals that a payload was too short for.' }),
    messages: z.array(z.object({ message: z.string(), count: z.number().int() })),
    signals: z.array(Tested).meta({ description: 'Of messages that occurred, the first 500.' }),
    unmatched_ids: z
      .array(z.object({ id: z.string(), count: z.number().int() }))
      .meta({ description: 'The most frequent frames that the DBC does not know, 50 at most.' }),
  })
  .meta({ id: 'DbcTest', description: 'What a DBC reads in a recorded log.' });

const EXTENSION = {
  extension: 'vendors describe their frames in DBC files; a site imports, tests and activates them itself',
};
const CHANGERS = [...ADMINS, 'supervisor'] as const;

/** Operations on DBC files. */
export const dbcOperations = {
  dbc_import: operation({
    method: 'POST',
    path: `${V1}/dbc`,
    summary: 'Import a DBC file as the next version under its name; it counts nowhere until it is activated',
    input: z.object({
      name: facts.name,
      text: z.string().min(1).max(DBC_BOUNDS.text).meta({ description: 'The file; Windows-1252 converted to UTF-8.' }),
      mapping: z.array(MappedSignal).max(DBC_BOUNDS.mapped).default([]),
    }),
    output: DbcFile,
    status: 201,
    revision: 'etag',
    roles: CHANGERS,
    maxBody: 2 * DBC_BOUNDS.text,
    errors: ['dbc_invalid', 'limit_reached', 'not_found', 'rate_limited', 'backend_unavailable'],
    source: EXTENSION,
  }),
  dbc_list: operation({
    method: 'GET',
    path: `${V1}/dbc`,
    summary: 'List the DBC files of a project, all versions',
    input: z.object(listQuery),
    output: listOf(DbcFile),
    errors: ['invalid_cursor'],
    source: EXTENSION,
  }),
  dbc_get: operation({
    method: 'GET',
    path: `${V1}/dbc/{id}`,
    summary: 'Get a version of a DBC file with its mapping',
    input: z.object(idPath),
    output: DbcFile,
    revision: 'etag',
    errors: ['not_found'],
    source: EXTENSION,
  }),
  dbc_signals: operation({
    method: 'GET',
    path: `${V1}/dbc/{id}/signals`,
    summary: 'List the signals of a DBC file, and which of ours some of them may be',
    input: z.object({
      ...idPath,
      q: z.string().min(1).max(100).optional().meta({ description: 'Part of a name of message or signal.' }),
    }),
    output: DbcSignals,
    errors: ['not_found', 'rate_limited', 'backend_unavailable'],
    source: EXTENSION,
  }),
  dbc_map: operation({
    method: 'PUT',
    path: `${V1}/dbc/{id}/mapping`,
    summary: 'Say which signals of a DBC file are ours; until it is activated for the first time',
    hints: HINTS.CHANGE,
    input: z.object({ ...idPath, mapping: z.array(MappedSignal).max(DBC_BOUNDS.mapped) }),
    output: DbcFile,
    revision: 'if-match',
    roles: CHANGERS,
    errors: ['not_found', 'invalid_transition', 'revision_mismatch', 'rate_limited', 'backend_unavailable'],
    source: EXTENSION,
  }),
  dbc_test: operation({
    method: 'POST',
    path: `${V1}/dbc/{id}/test`,
    summary:
      'Read a recorded log, or the last minutes of a device, by a DBC file: what matches, what the numbers are; changes nothing',
    hints: HINTS.READ,
    description: 'Give one of `artifact_id` and `device_id`.',
    input: z.object({
      ...idPath,
      artifact_id: Id.optional().meta({ description: 'A recorded log of this project.' }),
      device_id: Id.optional().meta({ description: 'Record id of a device: what it sent lately.' }),
      minutes: z
        .number()
        .int()
        .min(1)
        .max(60)
        .default(10)
        .meta({ description: 'How far to look back, with `device_id`.', unit: 'min' }),
    }),
    output: DbcTest,
    roles: READERS,
    errors: ['not_found', 'parameter_missing', 'rate_limited', 'backend_unavailable'],
    source: EXTENSION,
  }),
  dbc_activate: operation({
    method: 'POST',
    path: `${V1}/dbc/{id}/activate`,
    summary: 'Decode what devices send by this version from now on; another version of the name gives way',
    description: 'Logs that came earlier are read by it when `artifacts_decode` reads them again.',
    hints: HINTS.CHANGE,
    input: z.object({
      ...idPath,
      device_ids: z
        .array(Id)
        .min(1)
        .max(DBC_BOUNDS.devices)
        .nullable()
        .default(null)
        .meta({ description: 'Devices that it counts for; null: all of the project.' }),
    }),
    output: DbcFile,
    revision: 'if-match',
    roles: CHANGERS,
    errors: ['not_found', 'invalid_transition', 'limit_reached', 'revision_mismatch'],
    source: EXTENSION,
  }),
  dbc_deactivate: operation({
    method: 'POST',
    path: `${V1}/dbc/{id}/deactivate`,
    summary: 'Decode by this version no more',
    hints: HINTS.CHANGE,
    input: z.object(idPath),
    output: DbcFile,
    revision: 'if-match',
    roles: CHANGERS,
    errors: ['not_found', 'revision_mismatch'],
    source: EXTENSION,
  }),
  dbc_delete: operation({
    method: 'DELETE',
    path: `${V1}/dbc/{id}`,
    summary: 'Delete a version of a DBC file that is not active; what it decoded stays',
    input: z.object(idPath),
    output: Deleted,
    revision: 'if-match',
    roles: CHANGERS,
    errors: ['not_found', 'invalid_transition', 'revision_mismatch'],
    source: EXTENSION,
  }),
} as const;
