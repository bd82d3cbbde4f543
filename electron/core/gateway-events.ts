/** What `headframe start` reports over its IPC channel. Everything else on the channel is ignored. */
import { z } from 'zod';

const port = z.number().int().min(0).max(65_535);

const Ready = z.object({
  event: z.literal('ready'),
  http: z.url(),
  https: z.url(),
  mqtt: port,
  bucket: port,
  /** Addresses of the screens for other devices. */
  urls: z.array(z.string()).max(100),
  data: z.string(),
  claimed: z.boolean(),
  claim_code: z.string().nullable(),
  version: z.string(),
});
export type Ready = z.infer<typeof Ready>;

const Refused = z.object({
  event: z.literal('gateway_refused'),
  /** A text for people. */
  reason: z.string(),
  passing: z.boolean(),
  cause: z.object({ code: z.string(), port: z.object({ flag: z.string(), number: port }).nullable() }),
});
export type Refused = z.infer<typeof Refused>;

const GatewayEvent = z.discriminatedUnion('event', [
  Ready,
  Refused,
  z.object({ event: z.literal('gateway_crashed'), msg: z.string(), restart_in_ms: z.number() }),
  z.object({ event: z.literal('gateway_waits'), reason: z.string() }),
  z.object({ event: z.literal('building_screens') }),
]);
type GatewayEvent = z.infer<typeof GatewayEvent>;

/** Reads a message of the channel; undefined if it is not an event that the desktop app knows. */
export function readEvent(message: unknown): GatewayEvent | undefined {
  return GatewayEvent.safeParse(message).data;
}
