/** Expected intervals that people set for a signal: of one machine, or of all machines of a kind. */
import { z } from 'zod';
import { base, Deleted, Id, idPath, listOf, listQuery } from '#contract/base/common.ts';
import { HINTS, operation, V1 } from '#contract/base/operation.ts';
import { isSignal, SIGNAL_NAMES, type SignalName } from '#contract/base/signals.ts';

const EXTENSION = {
  extension: 'only the site knows how often a machine must send a value; the interval decides when the value is stale',
};

const fields = {
  equipment_id: z.string().nullable().meta({ description: 'The machine; null: all machines of `kind`.' }),
  kind: z.string().nullable().meta({ description: 'The kind of machines; null: one machine.' }),
  signal: z
    .custom<SignalName>((text) => typeof text === 'string' && isSignal(text), `one of ${SIGNAL_NAMES.join(', ')}`)
    .meta({ type: 'string', maxLength: 64, description: 'Signal name such as fuel.level.' }),
  interval_s: z.number().min(1).max(86_400).meta({ description: 'Longest normal time between two values.', unit: 's' }),
};

/** `data` of a stored interval. */
export interface ExpectedIntervalData {
  readonly equipment_id: string | null;
  readonly kind: string | null;
  readonly signal: SignalName;
  readonly interval_s: number;
}

const ExpectedInterval = z.object({ object: z.literal('expected_interval'), ...base, ...fields }).meta({
  id: 'ExpectedInterval',
  description: 'Replaces the interval that the gateway learned; that of a machine replaces that of its kind.',
});

/** Operations on expected intervals. */
export const expectedIntervalOperations = {
  expected_intervals_set: operation({
    example: { kind: 'haul_truck', signal: 'fuel.level', interval_s: 60 },
    method: 'PUT',
    path: `${V1}/expected-intervals`,
    summary: 'Set how often a machine, or each machine of a kind, sends a signal',
    description: 'Values are fresh for 3 intervals (at least 5 s), then ageing, and stale after 10 intervals.',
    input: z.object({
      equipment_id: Id.optional().meta({ description: 'Give this or `kind`.' }),
      kind: z.string().trim().min(1).max(60).optional(),
      signal: fields.signal,
      interval_s: fields.interval_s,
    }),
    output: ExpectedInterval,
    hints: HINTS.CHANGE,
    errors: ['not_found', 'parameter_invalid', 'limit_reached'],
    source: EXTENSION,
  }),
  expected_intervals_list: operation({
    method: 'GET',
    path: `${V1}/expected-intervals`,
    summary: 'List the intervals that people set',
    input: z.object({
      ...listQuery,
      equipment_id: Id.optional(),
      kind: z.string().max(60).optional(),
      signal: fields.signal.optional(),
    }),
    output: listOf(ExpectedInterval),
    errors: ['invalid_cursor'],
    source: EXTENSION,
  }),
  expected_intervals_delete: operation({
    method: 'DELETE',
    path: `${V1}/expected-intervals/{id}`,
    summary: 'Remove a set interval; the learned interval applies again',
    input: z.object(idPath),
    output: Deleted,
    errors: ['not_found'],
    source: EXTENSION,
  }),
} as const;
