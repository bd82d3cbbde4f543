/** A new box that takes the place of one that broke: what head office gives back, and what does not come back. */
import { z } from 'zod';
import { Timestamp, Words } from '#contract/base/common.ts';

/** What head office tells a box that takes the place of another one. */
export const TakeoverGrant = z
  .object({
    gateway_id: z.string().meta({ description: 'The identity that the box has from now on.' }),
    projects: z.array(z.string()).meta({ description: 'The projects of the site, which head office gives back.' }),
    heard_at: Timestamp.nullable().meta({ description: 'When head office last heard the box before.' }),
  })
  .meta({ id: 'TakeoverGrant' });
export type TakeoverGrant = z.infer<typeof TakeoverGrant>;

export const GivenBack = z.object({
  documents: z.number().int().meta({ description: 'Documents that head office has given back so far.' }),
  of: z.number().int().meta({ description: 'Documents of the site that head office has.' }),
});
/** How far head office is in giving a box back what it has of the site. */
export type GivenBack = z.infer<typeof GivenBack>;

export const Takeover = z.object({
  at: Timestamp.meta({ description: 'When this box took the place of the other one.' }),
  heard_at: Timestamp.nullable().meta({ description: 'When head office last heard the box before.' }),
  given_back: GivenBack.nullable().meta({
    description: 'How much has come back so far. Null: everything that head office has is here.',
  }),
  not_returned: z
    .array(
      z.object({
        what: z.enum([
          'unsent',
          'device_keys',
          'live_values',
          'device_settings',
          'access',
          'secrets',
          'raw_traffic',
          'files',
        ]),
        text: z.string().meta({ description: 'What is missing, and what to do.' }),
        words: Words.optional(),
        names: z.array(z.string()).meta({ description: 'Which ones, if they are known; at most 50.' }),
        total: z.number().int().meta({ description: 'How many there are.' }),
      }),
    )
    .meta({ description: 'What head office does not have and so cannot give back.' }),
});
export type Takeover = z.infer<typeof Takeover>;
