/** The operations that lead from a number back to the raw frame from which it was decoded. */
import { z } from 'zod';
import { Timestamp } from '#contract/base/common.ts';
import { HINTS, operation, READERS, V1 } from '#contract/base/operation.ts';

/** A message of the raw journal (the files with all accepted messages), and a frame in it: `segment:offset#frame`. */
const MESSAGE = String.raw`\d{1,10}:\d{1,10}(?:#\d{1,7})?`;
/** A frame of a log file: `artifact id#frame`. */
const FRAME = String.raw`art_[0-9a-z]{1,40}#\d{1,12}`;
/** A stored sample: machine, signal and second since 1970. */
const SAMPLE = String.raw`eq_[0-9a-z]{1,40}:[a-z_.]{1,40}:\d{1,11}`;

const Ref = z
  .string()
  .regex(
    new RegExp(`^(?:${MESSAGE}|${FRAME}|${SAMPLE})$`),
    'must be `segment:offset#frame`, `artifact id#frame` or `machine id:signal:second`',
  )
  .meta({
    description:
      'A `ref` of `context.fields`; or a stored sample: `machine id:signal:seconds since 1970`. In a path write `#` as `%23`.',
  });

/** Why the raw data of a value is not shown, by code, each with its message. */
export const LINEAGE_STATUS = {
  found: 'The raw message was found and decoded again.',
  raw_gone:
    'The raw data was deleted. The raw journal keeps 30 days, or less if its share of the disk is full; or the log file was deleted. The value stays stored.',
  no_origin: 'An earlier build stored this sample without its origin.',
  file: 'The value was decoded from a log file that cannot be read now, for example because its password was removed.',
  decoder_gone:
    'The raw message was found, but no value of this signal can be decoded from it now. The DBC file may have been deleted, or a setting changed.',
  too_much: 'The search ended after the largest amount of raw data that one call reads. Try it again at a quiet time.',
} as const;
export type LineageStatus = keyof typeof LINEAGE_STATUS;

const CLOCKS = ['device', 'gnss', 'j1939'] as const;

const Origin = z.object({
  device_id: z.string().nullable().meta({ description: 'Record id of the device.' }),
  run_id: z.string().nullable().meta({ description: 'The run that decoded the value.' }),
  task_id: z.string().nullable().meta({ description: 'The task of the run.' }),
  artifact_id: z.string().nullable().meta({ description: 'The log file; null for live data.' }),
  bus: z.number().int().nullable().meta({ description: 'CAN channel.' }),
  source_address: z.number().int().nullable(),
  pgn: z.number().int().nullable(),
  spn: z.number().int().nullable(),
  dbc: z.string().nullable().meta({ description: 'DBC file version, message and signal.' }),
  clock: z.enum(CLOCKS).meta({ description: 'The clock of the time; `device`: as reported, not corrected.' }),
  correction_ms: z.number().meta({ description: 'Was added to the reported time.', unit: 'ms' }),
  uncertainty_ms: z.number().nullable().meta({ description: 'Largest difference from `clock`.', unit: 'ms' }),
});

const Value = z.object({
  signal: z.string(),
  unit: z.string(),
  value: z.number().meta({ description: 'Decoded now, in `unit`.' }),
  raw: z.number().nullable().meta({ description: 'The number in the frame, before scale and offset.' }),
  steps: z.array(z.string()).meta({ description: 'The decoding, step by step.' }),
});

export const Lineage = z
  .object({
    object: z.literal('lineage'),
    ref: z.string(),
    status: z.enum(Object.keys(LINEAGE_STATUS) as [LineageStatus]),
    message: z.string().meta({ description: 'The status in words.' }),
    gap: z
      .object({
        artifact_id: z.string().nullable().meta({ description: 'The deleted log file; null for the raw journal.' }),
        until: Timestamp.nullable().meta({
          description: 'The raw journal has no message that was received before this time; null for a log file.',
        }),
      })
      .nullable()
      .meta({ description: 'The deleted raw data, if `status` is `raw_gone`.' }),
    equipment_id: z.string().nullable(),
    sample: z
      .object({
        signal: z.string(),
        observed_at: Timestamp,
        value: z.number(),
        unit: z.string(),
        origin: Origin,
      })
      .nullable()
      .meta({ description: 'The stored sample; null if `ref` names a message.' }),
    source: z
      .object({
        ref: z.string().meta({ description: 'Message and frame in the raw journal, or log file and frame.' }),
        device_id: z.string().meta({ description: 'Record id of the device; of the machine for topic `meter`.' }),
        topic: z.string().meta({ description: '`meter`: a reading of a person.' }),
        received_at: Timestamp,
      })
      .nullable(),
    frame: z
      .object({
        observed_at: Timestamp,
        bus: z.number().int(),
        identifier: z.string().meta({ description: 'CAN identifier, hexadecimal: 8 digits for 29 bits, 3 for 11.' }),
        data: z.string().meta({ description: 'Payload, hexadecimal.' }),
      })
      .nullable(),
    point: z.string().nullable().meta({ description: 'JSON text of a telemetry point, at most 2,000 characters.' }),
    values: z.array(Value).meta({ description: 'Decoded from the frame or point now.' }),
  })
  .meta({ id: 'Lineage', description: 'A number with the raw frame behind it.' });
export type Lineage = z.infer<typeof Lineage>;

const input = z.object({ ref: Ref });

export const lineageOperations = {
  lineage_get: operation({
    method: 'GET',
    path: `${V1}/lineage/{ref}`,
    summary: 'Show the raw frame behind a number, and how it is decoded step by step',
    source: { extension: 'lineage: the specification asks that a number can be traced and names no operation for it' },
    input,
    output: Lineage,
    errors: ['not_found', 'rate_limited'],
  }),
  lineage_replay: operation({
    method: 'POST',
    path: `${V1}/lineage/{ref}/replay`,
    summary: 'Decode a stored sample again from its raw frame and compare',
    hints: HINTS.READ,
    roles: READERS,
    source: { extension: 'lineage: the specification asks that a number can be traced and names no operation for it' },
    input,
    output: z.object({
      object: z.literal('lineage_replay'),
      ref: z.string(),
      status: z.enum(Object.keys(LINEAGE_STATUS) as [LineageStatus]),
      message: z.string(),
      gap: Lineage.shape.gap,
      stored: z.number().nullable().meta({ description: 'The stored value; null if `ref` names a message.' }),
      recomputed: z.number().nullable().meta({ description: 'Decoded from the raw frame now.' }),
      equal: z.boolean().nullable().meta({ description: 'Both are the same number, bit for bit.' }),
    }),
    errors: ['not_found', 'rate_limited'],
  }),
} as const;
