/** The budget of the link of a site: what it costs, how many bytes a month it may use, and when files are sent. */
import { z } from 'zod';
import { Timestamp } from '#contract/base/common.ts';
import { ADMINS, operation, V1 } from '#contract/base/operation.ts';
import { isZoneName } from '#contract/base/zones.ts';

const MOST_HOURS = 4;
const time = z.string().regex(/^([01][0-9]|2[0-3]):[0-5][0-9]$/, 'a time such as 22:00');

const described = {
  metered: z.boolean().meta({
    description:
      'The link costs money by the byte. Files over 1 MiB then wait until somebody asks for them, and the site asks head office for news every 15 minutes. Alerts and changes of the site are sent at once.',
  }),
  bytes_per_month: z.number().int().min(1_000_000).max(1e15).nullable().meta({
    unit: 'B',
    description:
      'Null: without limit. At 80 % files wait. At 100 % only alerts are sent, and one short call in an hour, so that head office knows that the site is there.',
  }),
  file_hours: z
    .array(z.object({ from: time, to: time }))
    .max(MOST_HOURS)
    .meta({ description: 'Files are sent only in these hours; empty: at any time. `to` may be on the next day.' }),
  timezone: z.string().max(64).refine(isZoneName, 'an IANA time zone').meta({ description: 'Time zone of the hours.' }),
  override_until: Timestamp.nullable().meta({
    description: 'Emergency: no limit counts until this time; bytes are still counted. At most 31 days ahead.',
  }),
};

const Budget = z.object(described);
export type Budget = z.infer<typeof Budget>;

export const LinkBudget = z
  .object({
    ...described,
    month: z.string().meta({ description: 'The month that is counted, in UTC, such as 2026-11.' }),
    sent_bytes: z
      .number()
      .int()
      .meta({ unit: 'B', description: 'Sent in this month, with about the bytes of headers.' }),
    received_bytes: z.number().int().meta({ unit: 'B' }),
    file_bytes: z.number().int().meta({ unit: 'B', description: 'How many of these bytes were files.' }),
    forecast_bytes: z.number().int().nullable().meta({
      unit: 'B',
      description: 'Bytes of the whole month if it goes on like this; null in the first hour.',
    }),
    used_up_at: Timestamp.nullable().meta({
      description: 'When the bytes of this month will be used up if it goes on like this; null: not in this month.',
    }),
    state: z.enum(['free', 'files_wait', 'used_up']),
  })
  .meta({ id: 'LinkBudget' });
export type LinkBudget = z.infer<typeof LinkBudget>;

export const syncBudgetOperations = {
  sync_budget_set: operation({
    method: 'PUT',
    path: `${V1}/sync/budget`,
    summary: 'Set the budget of the link to head office',
    scope: 'node',
    roles: ADMINS,
    input: z.object({
      metered: described.metered.default(false),
      bytes_per_month: described.bytes_per_month.default(null),
      file_hours: described.file_hours.default([]),
      timezone: described.timezone.default('UTC'),
      override_until: described.override_until.default(null),
    }),
    example: {
      metered: true,
      bytes_per_month: 2e9,
      file_hours: [{ from: '22:00', to: '05:00' }],
      timezone: 'Europe/Oslo',
    },
    output: LinkBudget,
    errors: ['parameter_invalid'],
    source: { extension: 'links of sites are metered or slow' },
  }),
} as const;
