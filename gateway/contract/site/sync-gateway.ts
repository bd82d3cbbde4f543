/** What head office shows of one gateway. */
import { z } from 'zod';
import { Timestamp, Words } from '#contract/base/common.ts';
import { GatewayBox } from './sync-boxes.ts';
import { LinkFiles } from './sync-files.ts';
import { LinkUse } from './sync-report.ts';
import { GivenBack } from './sync-takeover.ts';

export const GatewayState = z.object({
  gateway_id: z.string(),
  name: z.string(),
  enrolment_id: z.string(),
  state: z.enum(['enrolled', 'revoked']),
  sentence: z.string().meta({ description: 'The state of the site in one sentence.' }),
  words: Words.optional(),
  last_contact_at: Timestamp.nullable().meta({
    description:
      'When head office last heard this gateway. Null: never. After a restart of head office it may be a minute too old.',
  }),
  connected: z.boolean().meta({
    description:
      'Head office heard this gateway within the time between two of its calls and 2 minutes: after 3 minutes without a call it is false, on a metered link after 17 minutes.',
  }),
  link: LinkUse.nullable().meta({
    description:
      'How the link may be used: `metered`: it costs money by the byte. `used_up`: the bytes of the month are used up, and only alerts are sent. Null before the gateway said so.',
  }),
  contact_s: z.number().int().meta({ unit: 's', description: 'The gateway calls at least once in this time.' }),
  version: z
    .string()
    .nullable()
    .meta({ description: 'Version of the program of the gateway; null before it said so.' }),
  problems: z
    .number()
    .int()
    .nullable()
    .meta({ description: 'Problems in the health of the gateway at the last contact; null before it said so.' }),
  waiting: z
    .number()
    .int()
    .nullable()
    .meta({ description: 'Changes that waited at the gateway at the last contact; null before it said so.' }),
  waiting_here: z.number().int().meta({ description: 'Changes of head office that the gateway has not fetched yet.' }),
  given_back: GivenBack.nullable().meta({
    description: 'Set while head office gives a new box the data of the site back, as far as this process knows.',
  }),
  projects: z.array(z.string()),
  not_taken: z.number().int().meta({ description: 'Changes of this site that head office could not take.' }),
  conflicts: z.number().int().meta({ description: 'Records about which a person must decide: sync_conflicts_list.' }),
  files: LinkFiles.nullable().meta({ description: 'What the site last said about its files.' }),
  boxes: z.array(GatewayBox).meta({
    description:
      'The boxes that use the identity of this gateway, if one of them is fenced; otherwise empty. A person chooses one with sync_enrolments_revoke and `keep`.',
  }),
});
export type SyncGateway = z.infer<typeof GatewayState>;
