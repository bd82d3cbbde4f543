/** Passes with which a browser sends later what a person writes now ([H100] in gateway/servers/SPEC.md). */
import { z } from 'zod';
import { Timestamp } from '#contract/base/common.ts';
import { HINTS, operation, READERS, V1 } from '#contract/base/operation.ts';

/** The content of a pass. The gateway seals it, so that nobody else can make or change one. */
export interface PassContent {
  /** Who wrote: a user, or the key of a person. */
  readonly kind: 'user' | 'workspace';
  readonly id: string;
  /** The shared tablet on which the person was signed in; null elsewhere. */
  readonly tablet: string | null;
  /** Id of the credential of this tablet; null elsewhere. */
  readonly tablet_key: string | null;
  /** Generation of the passes of the user ([H105]); 0 for a key. */
  readonly generation: number;
  /** When the gateway made the pass, by the clock that ends sessions. Nothing was written with it before. */
  readonly issued_ms: number;
}

/** The name under which passes are sealed. */
export const PASS_RECORD = 'writing_pass';

/** Operations on passes. */
export const writingPassOperations = {
  writing_passes_create: operation({
    method: 'POST',
    path: `${V1}/writing-passes`,
    summary: 'Make a pass with which this browser sends later what the caller writes now',
    httpOnly: 'secret',
    scope: 'node',
    roles: READERS,
    hints: HINTS.READ,
    status: 201,
    input: z.object({}),
    output: z
      .object({
        object: z.literal('writing_pass'),
        pass: z.string(),
        name: z.string().meta({ description: 'Name of the person.' }),
        issued_at: Timestamp,
        ends_at: Timestamp.meta({ description: 'The gateway accepts no write with this pass after this time.' }),
      })
      .meta({ id: 'WritingPass' }),
    errors: ['permission_denied'],
    source: { extension: 'tablets and phones keep what people write while they cannot reach the gateway' },
  }),
} as const;
