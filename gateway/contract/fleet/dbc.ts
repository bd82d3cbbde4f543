/**
 * DBC files of a project. A DBC file is a vendor's description of CAN frames. Each stored file has a mapping of its signals to the signals
 * of the gateway, and a list of the devices that use it.
 */
import { z } from 'zod';
import { base, Context, Deleted, Id, idPath, listOf, listQuery, Timestamp } from '#contract/base/common.ts';
import { ADMINS, HINTS, operation, READERS, V1 } from '#contract/base/operation.ts';
import { SIGNAL_NAMES } from '#contract/base/signals.ts';

/** Limits of DBC files. The gateway refuses a file or mapping over a limit with an error that names the limit. */
export const DBC_BOUNDS = {
  /** Largest number of characters of one DBC file. */
  text: 2 * 1024 * 1024,
  files: 50,
  active: 8,
  mapped: 64,
  devices: 200,
  /** Largest number of frames that a test of a DBC file reads from a log. */
  frames: 500_000,
} as const;

const MappedSignal = z
  .object({
    message: z.string().min(1).max(200).meta({ description: 'Name of the message in the DBC.' }),
    signal: z.string().min(1).max(200).meta({ description: 'Name of the signal in the message.' }),
    to: z.enum(SIGNAL_NAMES as [string, ...string[]]).meta({ description: 'The Headframe signal that it measures.' }),
    unit: z
      .string()
      .max(20)
      .nullable()
      .default(null)
      .meta({ description: 'Unit of the value, if the file gives none or a wrong one.' }),
    preferred: z.boolean().default(false).meta({
      description: "True: preferred to the gateway's own J1939 value. False: used only if there is none.",
    }),
  })
  .meta({ id: 'DbcMappedSignal', description: 'Maps a signal of a DBC file to a Headframe signal.' });
export type MappedSignal = z.infer<typeof MappedSignal>;

/** The messages of a DBC file that have mapped signals, with these signals and their multiplexers, as plain JSON. */
export type DbcLayout = readonly Readonly<Record<string, unknown>>[];

const facts = {
  name: z.string().trim().min(1).max(120).meta({ description: 'All versions of a file have one name.' }),
  version: z.number().int().meta({ description: 'Number of this import under its name, from 1.' }),
  file_version: z.string().meta({ description: 'The version string in the file.' }),
  sha256: z.string(),
  bytes: z.number().int().meta({ description: 'As UTF-8.' }),
  messages: z.number().int(),
  signals: z.number().int(),
  notes: z
    .array(z.string())
    .meta({ description: 'Parts of the file that were ignored, with the reason and, if known, the line.' }),
  mapping: z
    .array(MappedSignal)
    .meta({ description: 'Can be changed until the version is activated for the first time.' }),
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

/** The stored document of a DBC file. A second document, with the suffix `:text` after the same id, has the text of the file. */
export type DbcFileData = Omit<DbcFile, 'object' | 'context' | keyof typeof base> & {
  /**
   * The messages in the form that the gateway uses to decode frames. They are stored so that the gateway does not parse the text again at
   * each start.
   */
  layout: DbcLayout;
};
/** The text of a DBC file: `packed` is compressed (zstd, base64). Early versions of the gateway stored `text`, uncompressed. */
export type DbcTextData = { packed: string } | { text: string };

const DbcSignalRow = z.object({
  message: z.string(),
  id: z.string().meta({ description: 'CAN identifier in hexadecimal; 8 digits for 29 bits.' }),
  pgn: z
    .number()
    .int()
    .nullable()
    .meta({ description: 'Set if the message is identified by its parameter group number.' }),
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
    data: z.array(DbcSignalRow).meta({ description: 'The first 500 signals.' }),
    suggested: z.array(Suggestion).meta({ description: 'Headframe signals with the same SPN and a compatible unit.' }),
  })
  .meta({ id: 'DbcSignals', description: 'The signals of a DBC.' });

const Tested = z.object({
  message: z.string(),
  signal: z.string(),
  unit: z.string(),
  to: z.string().nullable().meta({ description: 'The Headframe signal that it is mapped to.' }),
  values: z.number().int().meta({ description: 'Number of valid values.' }),
  states: z
    .number()
    .int()
    .meta({ description: 'Number of special values: not available, error or reserved (J1939-71).' }),
  out_of_range: z.number().int().meta({ description: 'Values outside the range in the file. They are not clamped.' }),
  implausible: z.number().int().meta({ description: 'Values that are impossible for the Headframe signal.' }),
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
    device_id: z.string().nullable().meta({ description: 'The device whose recent frames were decoded.' }),
    frames: z.number().int(),
    truncated: z
      .boolean()
      .meta({ description: `True if the log has more frames than were read (${DBC_BOUNDS.frames}).` }),
    matched: z
      .number()
      .int()
      .meta({ description: 'Frames and multi-packet messages that match a message of the file.' }),
    unmatched: z.number().int(),
    short: z.number().int().meta({ description: 'Signals outside a payload that was too short.' }),
    messages: z.array(z.object({ message: z.string(), count: z.number().int() })),
    signals: z.array(Tested).meta({ description: 'Signals of the messages that occurred; the first 500.' }),
    unmatched_ids: z
      .array(z.object({ id: z.string(), count: z.number().int() }))
      .meta({ description: 'The most frequent frames without a matching message; at most 50.' }),
  })
  .meta({ id: 'DbcTest', description: 'Result of decoding a log or recent frames with a DBC file.' });

const EXTENSION = {
  extension: 'vendors describe their frames in DBC files; a site imports, tests and activates them itself',
};
const CHANGERS = [...ADMINS, 'supervisor'] as const;

/** Operations on DBC files. */
export const dbcOperations = {
  dbc_import: operation({
    method: 'POST',
    path: `${V1}/dbc`,
    summary: 'Import a DBC file as the next version under its name; it is not used until it is activated',
    input: z.object({
      name: facts.name,
      text: z
        .string()
        .min(1)
        .max(DBC_BOUNDS.text)
        .meta({ description: 'Text of the file. Convert Windows-1252 to UTF-8 first.' }),
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
    summary: 'List the signals of a DBC file, with suggested mappings',
    input: z.object({
      ...idPath,
      q: z.string().min(1).max(100).optional().meta({ description: 'Part of a name of message or signal.' }),
    }),
    output: DbcSignals,
    errors: ['not_found', 'rate_limited', 'backend_unavailable'],
    source: EXTENSION,
  }),
  dbc_map: operation({
    inputLike: 'dbc_import',
    method: 'PUT',
    path: `${V1}/dbc/{id}/mapping`,
    summary: 'Set the mapping of a DBC file; possible until it is activated for the first time',
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
    summary: 'Test a DBC file on a recorded log or on recent frames of a device; changes nothing',
    hints: HINTS.READ,
    description: 'Send either `artifact_id` or `device_id`.',
    input: z.object({
      ...idPath,
      artifact_id: Id.optional().meta({ description: 'A recorded log of this project.' }),
      device_id: Id.optional().meta({ description: 'Record id of a device whose recent frames are decoded.' }),
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
    summary: 'Decode live data with this version from now on; it replaces another active version of the same name',
    description: 'Logs that arrived earlier use it only after `artifacts_decode`.',
    hints: HINTS.CHANGE,
    input: z.object({
      ...idPath,
      device_ids: z
        .array(Id)
        .min(1)
        .max(DBC_BOUNDS.devices)
        .nullable()
        .default(null)
        .meta({ description: 'Devices that use it; null: all devices of the project.' }),
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
    summary: 'Deactivate this version',
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
    summary: 'Delete a version of a DBC file that is not active; decoded values stay',
    input: z.object(idPath),
    output: Deleted,
    revision: 'if-match',
    roles: CHANGERS,
    errors: ['not_found', 'invalid_transition', 'revision_mismatch'],
    source: EXTENSION,
  }),
} as const;
