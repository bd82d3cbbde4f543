/** The live view of head office: a site sends live values often while somebody at head office looks at them. */
import { z } from 'zod';
import { Id, Timestamp } from '#contract/base/common.ts';

/** What a caller of `sync_status` may ask for. */
export const liveAsked = {
  live: Id.optional().meta({
    description: 'At head office: ask the site of this project for live values, for 60 s.',
  }),
  live_counted: z
    .boolean()
    .optional()
    .meta({ description: 'Also if the bytes of the link have a limit. Only for admins.' }),
};

export const LiveView = z
  .object({
    project_id: z.string(),
    state: z.enum(['ask', 'asked', 'live', 'away', 'metered', 'used_up', 'version']).meta({
      description:
        'ask: the bytes of the link are counted; ask with `live_counted`. asked: the site was not told yet. live: it sends values every 2 s. away, metered, used_up, version: not possible.',
    }),
    sentence: z.string().meta({ description: 'The state, or why a live view is not possible, for people.' }),
    since: Timestamp.nullable().meta({ description: 'Since when the site sends live values; null otherwise.' }),
    values_at: Timestamp.nullable().meta({
      description: 'When values of machines of this project last arrived; null: not since this process began.',
    }),
  })
  .meta({ id: 'LiveView' });
export type LiveView = z.infer<typeof LiveView>;

/** A live view as it is stored. Its id is `sync_live_view_<project id>`. */
export interface SyncLiveViewData {
  project_id: string;
  /** The view ends at this time. */
  until: string;
  since: string;
  /** When the gateway was told first. */
  told_at: string | null;
}
