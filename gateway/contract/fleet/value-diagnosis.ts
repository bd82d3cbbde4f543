/** The diagnosis of one value of a machine: the steps from the cable to the value, the first step that fails, and the remedy. */
import { z } from 'zod';
import { idPath, Timestamp } from '#contract/base/common.ts';
import { operation, V1 } from '#contract/base/operation.ts';
import { SIGNAL_NAMES } from '#contract/base/signals.ts';
import { CHAIN_STEPS, ChainStep } from './device-diagnosis.ts';

const ValueDiagnosis = z
  .object({
    object: z.literal('value_diagnosis'),
    equipment_id: z.string(),
    signal: z.string(),
    as_of: Timestamp.nullable().meta({ description: 'Time of the newest value; null if the machine never sent one.' }),
    device_id: z.string().nullable().meta({
      description: 'The device that the steps describe: it sent the newest value. Null: no device is linked.',
    }),
    stopped_at: z
      .enum(CHAIN_STEPS)
      .nullable()
      .meta({ description: 'The first step that is `broken` or `waiting`; null if the value is current.' }),
    summary: z.string().meta({ description: 'That step in one sentence.' }),
    steps: z.array(ChainStep).max(CHAIN_STEPS.length),
    checked_at: Timestamp,
  })
  .meta({ id: 'ValueDiagnosis' });

/** The operation that says why a machine has no current value of a signal. */
export const valueDiagnosisOperations = {
  equipment_diagnosis: operation({
    method: 'GET',
    path: `${V1}/equipment/{id}/diagnosis`,
    summary: 'Diagnose why a machine has no value of a signal',
    input: z.object({
      ...idPath,
      signal: z
        .string()
        .max(64)
        .refine((name) => (SIGNAL_NAMES as readonly string[]).includes(name), 'must be the name of a signal')
        .meta({ description: 'Such as `engine.oil_pressure`.' }),
    }),
    output: ValueDiagnosis,
    errors: ['not_found', 'parameter_invalid'],
    source: { extension: 'a device may work while one of its control units or sensors does not' },
  }),
} as const;
