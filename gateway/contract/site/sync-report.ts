/** What a gateway says about itself to head office, and what head office remembers of it. */
import { z } from 'zod';
import type { HeardBox } from './sync-boxes.ts';

/** How the link of a site may be used: metered: it costs money by the byte. used_up: the bytes of the month are used up. */
export const LinkUse = z.enum(['free', 'metered', 'used_up']);
export type LinkUse = z.infer<typeof LinkUse>;

/** Seconds between two calls of a gateway, at the longest. */
const LONGEST_CONTACT_S = 86_400;

/**
 * What newer gateways also say. They say it in a header, because an earlier head office refuses a parameter that it does not know, and
 * ignores a header. A new field of the report belongs here.
 */
export const laterReport = {
  live: z.enum(['free', 'counted']).optional().meta({
    description: 'The gateway can send live values when it is asked. counted: the bytes of its link have a limit.',
  }),
  live_s: z.coerce.number().int().min(0).max(3_600).optional().meta({
    unit: 's',
    description: 'For how long the gateway still sends live values.',
  }),
};

/** What a gateway says about itself each time that it asks for a hint. */
export const gatewayReport = {
  version: z.string().max(60).optional().meta({ description: 'Version of the program of the gateway.' }),
  waiting: z.coerce.number().int().min(0).optional().meta({ description: 'Changes that wait at the gateway.' }),
  problems: z.coerce.number().int().min(0).optional().meta({ description: 'Problems in the health of the gateway.' }),
  link: LinkUse.optional().meta({ description: 'How the link of the gateway may be used.' }),
  contact_s: z.coerce.number().int().min(1).max(LONGEST_CONTACT_S).optional().meta({
    unit: 's',
    description: 'The gateway calls at least once in this time.',
  }),
  ...laterReport,
};
const Report = z.object(gatewayReport);
export type GatewayReport = z.infer<typeof Report>;

/** When head office last heard a gateway, and what the gateway said then. Its id is `sync_contact_<gateway id>`. */
export interface SyncContactData {
  gateway_id: string;
  at: string;
  report: GatewayReport;
  /** For each project, the numbers of the log of head office up to which the gateway has fetched it, with the times. */
  fetched: Record<string, readonly { readonly n: number; readonly chain?: string; readonly at: string }[]>;
  /** The boxes with this identity; absent before one of them said so. */
  boxes?: readonly HeardBox[];
}
