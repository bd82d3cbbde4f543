/** The diagnosis of a device: the steps from its connection to decoded data, the first step that fails, and the remedy. */
import { z } from 'zod';
import { idPath, Timestamp, Words } from '#contract/base/common.ts';
import { operation, V1 } from '#contract/base/operation.ts';
import { TRANSPORTS } from './ingest.ts';

export const CHAIN_STEPS = ['connection', 'key', 'topic', 'frames', 'link', 'decoded'] as const;
export type ChainStepName = (typeof CHAIN_STEPS)[number];
const STEP_STATES = ['ok', 'broken', 'waiting', 'unknown'] as const;

export const ChainStep = z.object({
  step: z.enum(CHAIN_STEPS),
  title: z.string().meta({ description: 'Name of the step; it depends on the transport.' }),
  state: z
    .enum(STEP_STATES)
    .meta({ description: '`waiting`: not there yet. `unknown`: cannot be judged before an earlier step works.' }),
  since: Timestamp.nullable().meta({ description: 'Time of the last observation of this state; null if unknown.' }),
  detail: z.string().meta({ description: 'The finding as a sentence.' }),
  detail_words: Words.optional(),
  remedy: z.string().nullable().meta({ description: 'What to do; null if nothing.' }),
  remedy_words: Words.optional(),
});
export type ChainStep = z.infer<typeof ChainStep>;

const DeviceDiagnosis = z
  .object({
    object: z.literal('device_diagnosis'),
    device_id: z.string().meta({ description: 'Record id of the device.' }),
    transport: z.enum(TRANSPORTS).meta({ description: 'The transport that the steps describe.' }),
    stopped_at: z
      .enum(CHAIN_STEPS)
      .nullable()
      .meta({ description: 'The first step that is `broken` or `waiting`; null if everything works.' }),
    summary: z.string().meta({ description: 'That step in one sentence.' }),
    steps: z.array(ChainStep).max(CHAIN_STEPS.length),
    checked_at: Timestamp,
  })
  .meta({
    id: 'DeviceDiagnosis',
    description: 'Diagnosis of a device, step by step from its connection to decoded data.',
  });

/** The operation that diagnoses a device. */
export const deviceDiagnosisOperations = {
  devices_diagnosis: operation({
    method: 'GET',
    path: `${V1}/devices/{id}/diagnosis`,
    summary: 'Diagnose why a device has no data: each step from connection to decoded values, with the remedy',
    input: z.object(idPath),
    output: DeviceDiagnosis,
    errors: ['not_found'],
    source: { extension: 'one operation tells why a device has no data' },
  }),
} as const;
