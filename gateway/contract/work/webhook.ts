/** Webhooks: the gateway sends events of a project to a server of the customer, signed as in Standard Webhooks. */
import { z } from 'zod';
import { base, Deleted, Id, idPath, listOf, listQuery, Timestamp } from '#contract/base/common.ts';
import { ADMINS, operation, V1 } from '#contract/base/operation.ts';

const Kind = z
  .string()
  .regex(/^(\*|[a-z_]+(\.[a-z_]+)*(\.\*)?|x\.[A-Za-z0-9._-]+)$/, 'a kind of event, a prefix such as `alert.*`, or `*`')
  .max(80);

const fields = {
  url: z
    .url({ protocol: /^https?$/ })
    .max(2_000)
    .meta({ description: 'https; http only for addresses of the site.' }),
  description: z.string().max(500),
  kinds: z.array(Kind).min(1).max(50).meta({ description: 'Kinds of events to send: alert.raised, alert.*, *.' }),
  allow_private: z.boolean().meta({ description: "May be an address of the site's network; set by owners." }),
  enabled: z.boolean().meta({ description: 'Events that occur while it is disabled are not sent later.' }),
};

/** Largest number of endpoints of a project. */
export const MAX_ENDPOINTS = 20;

/** A stored webhook endpoint. Its secrets are encrypted with the key file of the gateway. */
export interface WebhookEndpointData {
  url: string;
  description: string;
  kinds: string[];
  allow_private: boolean;
  enabled: boolean;
  /** Time when the endpoint was created or last enabled. The gateway sends no earlier events. */
  since: string;
  secret: string;
  /** The previous secret. Until the time `until` the gateway signs with both secrets. */
  previous: { secret: string; until: string } | null;
}

const status = {
  pending: z.number().int().meta({ description: 'Pending deliveries; at most 5,000.' }),
  delivered_total: z.number().int(),
  dead_total: z.number().int().meta({ description: 'Deliveries abandoned after 8 attempts or 7 days.' }),
  dropped_total: z.number().int().meta({ description: 'Oldest deliveries dropped because too many were pending.' }),
  last_success_at: Timestamp.nullable(),
  last_failure_at: Timestamp.nullable(),
  last_error: z.string().nullable(),
  failures: z.number().int().meta({ description: 'In a row.' }),
  next_attempt_at: Timestamp.nullable().meta({ description: 'No attempt before then.' }),
};

/** Delivery state of an endpoint. A separate document stores it, so that deliveries do not change the revision of the endpoint. */
export const WebhookState = z.object(status);
export type WebhookState = z.infer<typeof WebhookState>;

/** Delivery state of a new endpoint. */
export const NEW_STATE: WebhookState = {
  pending: 0,
  delivered_total: 0,
  dead_total: 0,
  dropped_total: 0,
  last_success_at: null,
  last_failure_at: null,
  last_error: null,
  failures: 0,
  next_attempt_at: null,
};

const Endpoint = z.object({ object: z.literal('webhook_endpoint'), ...base, ...fields, delivery: WebhookState }).meta({
  id: 'WebhookEndpoint',
  description: 'A server that receives events, with the state of its deliveries. Its secret is shown only once.',
});
export type WebhookEndpoint = z.infer<typeof Endpoint>;

const EndpointCreated = z
  .object({
    object: z.literal('webhook_endpoint_created'),
    endpoint: Endpoint,
    secret: z.string().meta({ description: 'Verifies `webhook-signature`. It is shown only once.' }),
  })
  .meta({ id: 'WebhookEndpointCreated' });

export const DELIVERY_STATES = ['pending', 'delivered', 'dead'] as const;
type DeliveryState = (typeof DELIVERY_STATES)[number];

/** A stored delivery of one event. It does not contain the body: the gateway makes the body from the event at each attempt. */
export interface WebhookDeliveryData {
  endpoint_id: string;
  event_id: string;
  type: string;
  state: DeliveryState;
  /** `endpoint_id` and `state` combined, for the index. */
  queue: string;
  tries: number;
  next_ms: number;
  last_status: number | null;
  last_error: string | null;
  finished_at: string | null;
}

/** Returns the value of `queue` for the deliveries of an endpoint that have this state. */
export function queueOf(endpoint_id: string, state: DeliveryState): string {
  return `${endpoint_id} ${state}`;
}

/** Id of the document with the delivery state of an endpoint. */
export function webhookStateId(endpoint_id: string): string {
  return `${endpoint_id}_state`;
}

const Delivery = z
  .object({
    object: z.literal('webhook_delivery'),
    id: z.string().meta({ description: 'Sent as `webhook-id`; the same for every attempt.' }),
    endpoint_id: z.string(),
    event_id: z.string(),
    type: z.string(),
    state: z.enum(DELIVERY_STATES).meta({ description: 'dead: not tried again; can be redelivered.' }),
    tries: z.number().int(),
    next_attempt_at: Timestamp.nullable(),
    last_status: z.number().int().nullable().meta({ description: 'HTTP status of the last answer.' }),
    last_error: z.string().nullable(),
    created_at: Timestamp,
    finished_at: Timestamp.nullable(),
  })
  .meta({ id: 'WebhookDelivery', description: 'The delivery of one event to one endpoint.' });
export type WebhookDelivery = z.infer<typeof Delivery>;

const PATH = `${V1}/webhook-endpoints` as const;
const source = { extension: 'the specification says that events can be pushed, but has no operations for it' };
const shared = { roles: ADMINS, source };

/** Operations on webhook endpoints and their deliveries. */
export const webhookOperations = {
  webhook_endpoints_create: operation({
    ...shared,
    method: 'POST',
    path: PATH,
    summary: 'Create a webhook endpoint; its secret is shown only once',
    httpOnly: 'secret',
    input: z.object({
      url: fields.url,
      description: fields.description.default(''),
      kinds: fields.kinds.default(['alert.*']),
      allow_private: fields.allow_private.default(false),
      enabled: fields.enabled.default(true),
    }),
    output: EndpointCreated,
    status: 201,
    errors: ['parameter_invalid', 'permission_denied', 'limit_reached'],
  }),
  webhook_endpoints_list: operation({
    ...shared,
    method: 'GET',
    path: PATH,
    summary: 'List webhook endpoints, without their secrets',
    input: z.object(listQuery),
    output: listOf(Endpoint),
    errors: ['invalid_cursor'],
  }),
  webhook_endpoints_get: operation({
    ...shared,
    method: 'GET',
    path: `${PATH}/{id}`,
    summary: 'Get a webhook endpoint and the state of its deliveries',
    input: z.object(idPath),
    output: Endpoint,
    revision: 'etag',
    errors: ['not_found'],
  }),
  webhook_endpoints_update: operation({
    ...shared,
    method: 'PATCH',
    path: `${PATH}/{id}`,
    summary: 'Update a webhook endpoint',
    input: z.object({
      ...idPath,
      url: fields.url.optional(),
      description: fields.description.optional(),
      kinds: fields.kinds.optional(),
      allow_private: fields.allow_private.optional(),
      enabled: fields.enabled.optional(),
    }),
    output: Endpoint,
    revision: 'if-match',
    errors: ['not_found', 'parameter_invalid', 'permission_denied', 'revision_mismatch'],
  }),
  webhook_endpoints_rotate_secret: operation({
    ...shared,
    method: 'POST',
    path: `${PATH}/{id}/rotate-secret`,
    summary: 'Make a new secret, which is shown once; the old one also signs for a day',
    httpOnly: 'secret',
    input: z.object(idPath),
    output: EndpointCreated,
    errors: ['not_found'],
  }),
  webhook_endpoints_delete: operation({
    ...shared,
    method: 'DELETE',
    path: `${PATH}/{id}`,
    summary: 'Delete a webhook endpoint and its pending deliveries',
    input: z.object(idPath),
    output: Deleted,
    revision: 'if-match',
    errors: ['not_found', 'revision_mismatch'],
  }),
  webhook_deliveries_list: operation({
    ...shared,
    method: 'GET',
    path: `${PATH}/{id}/deliveries`,
    summary: 'List deliveries of a webhook endpoint: pending, delivered, dead',
    input: z.object({ ...idPath, ...listQuery, state: z.enum(DELIVERY_STATES).optional() }),
    output: listOf(Delivery),
    errors: ['not_found', 'invalid_cursor'],
  }),
  webhook_deliveries_redeliver: operation({
    ...shared,
    method: 'POST',
    path: `${PATH}/{id}/deliveries/{delivery_id}/redeliver`,
    summary: 'Send a dead or delivered event again, under the same webhook-id',
    input: z.object({ ...idPath, delivery_id: Id }),
    output: Delivery,
    status: 202,
    errors: ['not_found'],
  }),
} as const;
