/** Where the last change of head office to a record of a site is. It is derived from what the site has fetched, and never stored. */
import { z } from 'zod';
import { Timestamp } from './common.ts';

export const Delivery = z
  .object({
    state: z.enum(['waits', 'arrived']).meta({
      description: '`waits`: the site has not confirmed the change. `arrived`: the site has it.',
    }),
    changed_at: Timestamp.meta({ description: 'When head office made its last change to the record.' }),
    arrived_at: Timestamp.nullable().meta({
      description: 'When head office learned that the site has the change; null while it waits.',
    }),
  })
  .meta({
    id: 'Delivery',
    description: 'At head office: whether its last change to this record has arrived at the site.',
  });
export type Delivery = z.infer<typeof Delivery>;

/** The field of records whose changes at head office tell when they arrived. */
export const deliveryField = {
  delivery: Delivery.nullable().optional().meta({
    description:
      'Only in the answer to a read of one record at head office. Null: head office did not change it, or so long ago that it no longer knows.',
  }),
};
