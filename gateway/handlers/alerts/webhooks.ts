/**
 * Operations on webhook endpoints. This gateway alone stores the endpoints. The gateway shows the secret of an endpoint once, and stores it
 * sealed (encrypted with its key file).
 */

import { OperationError } from '#contract/base/errors.ts';
import { say } from '#contract/base/told.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Output, Parsed } from '#contract/operations.ts';
import {
  DELIVERY_STATES,
  MAX_ENDPOINTS,
  NEW_STATE,
  queueOf,
  type WebhookDelivery,
  type WebhookDeliveryData,
  type WebhookEndpoint,
  type WebhookEndpointData,
  type WebhookState,
  webhookStateId,
} from '#contract/work/webhook.ts';
import { reachOf } from '#domain/base/ip-address.ts';
import { stageAudit } from '#handlers/base/audit.ts';
import { applyFields, checkRevision, notFound, requireRecord, wireBase } from '#handlers/base/documents.ts';
import { listPage } from '#handlers/base/lists.ts';

/** For this many milliseconds after a rotation, the gateway signs requests with the previous secret too. */
const OVERLAP_MS = 24 * 3_600_000;

type Endpoint = Stored<WebhookEndpointData>;

async function toEndpoints(context: HandlerContext, found: readonly Endpoint[]): Promise<WebhookEndpoint[]> {
  const states = await context.view.getMany<WebhookState>(
    'local',
    found.map(({ id }) => webhookStateId(id)),
  );
  const byId = new Map(states.map(({ id, data }) => [id, data]));
  return found.map((document) => {
    const { url, description, kinds, allow_private, enabled } = document.data;
    const delivery = byId.get(webhookStateId(document.id)) ?? NEW_STATE;
    return {
      object: 'webhook_endpoint',
      ...wireBase(document),
      url,
      description,
      kinds,
      allow_private,
      enabled,
      delivery,
    };
  });
}

async function toEndpoint(context: HandlerContext, document: Endpoint): Promise<WebhookEndpoint> {
  const [endpoint] = await toEndpoints(context, [document]);
  return endpoint as WebhookEndpoint;
}

function toDelivery({ id, created_at, data }: Stored<WebhookDeliveryData>): WebhookDelivery {
  const { endpoint_id, event_id, type, state, tries, next_ms, last_status, last_error, finished_at } = data;
  return {
    object: 'webhook_delivery',
    id,
    endpoint_id,
    event_id,
    type,
    state,
    tries,
    next_attempt_at: state === 'pending' ? new Date(next_ms).toISOString() : null,
    last_status,
    last_error,
    created_at,
    finished_at,
  };
}

const requireEndpoint = (context: HandlerContext, id: string) =>
  requireRecord<WebhookEndpointData>(context.view, 'webhook_endpoint', id, 'id', 'local');

function refuse(message: string): never {
  throw new OperationError('parameter_invalid', message, { param: 'url' });
}

/**
 * Throws if the gateway must not send webhooks to this address. The gateway checks a host name again at each delivery, after DNS has
 * resolved it.
 */
function checkUrl(text: string, allow_private: boolean): string {
  const url = new URL(text);
  if (url.username !== '' || url.password !== '')
    refuse('The address contains a user name or password; leave them out.');
  if (url.hash !== '') refuse('The address has a fragment (#...), which is never sent; leave it out.');
  if (url.protocol === 'http:' && !allow_private)
    refuse(
      'A public address must use https. http is possible for addresses of the local network with `allow_private`.',
    );
  const reach = reachOf(url.hostname);
  if (reach === 'denied' || /(^|\.)localhost\.?$/i.test(url.hostname))
    refuse('This address is that of the gateway itself, or one that webhooks must not use.');
  if (reach === 'private' && !allow_private)
    refuse('This address is in the local network; an owner can allow that with `allow_private`.');
  if (reach === 'public' && url.protocol === 'http:') refuse('A public address must use https.');
  return url.href;
}

/** Throws if the request allows addresses of the local network and the caller is not an owner. */
function checkPrivate(context: HandlerContext, allow_private: boolean | undefined): void {
  if (allow_private === true && context.caller.role !== 'owner')
    throw new OperationError('permission_denied', 'Only an owner can allow addresses of the local network.', {
      param: 'allow_private',
    });
}

/** Makes a secret: `whsec_` and 32 random bytes in base64, the form that Standard Webhooks libraries accept. */
function mintSecret(context: HandlerContext): string {
  const bytes = context.secret(32).replaceAll('-', '+').replaceAll('_', '/');
  return `whsec_${bytes}=`;
}

function stageEndpoint(context: HandlerContext, current: Endpoint, data: WebhookEndpointData): Endpoint {
  const { id, revision: expected } = current;
  return context.view.stage({ collection: 'local', id, object: 'webhook_endpoint', data, current, expected });
}

async function update(
  { id, ...given }: Parsed<'webhook_endpoints_update'>,
  context: HandlerContext,
): Promise<WebhookEndpoint> {
  const current = await requireEndpoint(context, id);
  checkRevision(context, current);
  const { data, fields } = applyFields(current.data, given as Partial<WebhookEndpointData>);
  if (fields.includes('allow_private')) checkPrivate(context, data.allow_private);
  const url = checkUrl(data.url, data.allow_private);
  // An owner allowed the local network only for the current address. For another local address, the caller must be an owner again.
  if (data.allow_private && url !== current.data.url) checkPrivate(context, true);
  if (fields.length === 0) return toEndpoint(context, current);
  const since = data.enabled && !current.data.enabled ? context.now : data.since;
  const document = stageEndpoint(context, current, { ...data, url, since });
  stageAudit(context, context.view, 'webhook_endpoint', id, 'updated', { fields });
  return toEndpoint(context, document);
}

export const webhookHandlers = handlerGroup([], {
  async webhook_endpoints_create(input, context) {
    const { view } = context;
    checkPrivate(context, input.allow_private);
    const url = checkUrl(input.url, input.allow_private);
    const known = await view.find('local', { object: 'webhook_endpoint', limit: MAX_ENDPOINTS });
    if (known.length >= MAX_ENDPOINTS)
      throw new OperationError(
        'limit_reached',
        say('A project can have at most {max_endpoints} webhook endpoints.', { max_endpoints: MAX_ENDPOINTS }),
      );
    const id = context.newId('webhook_endpoint');
    const secret = mintSecret(context);
    const data: WebhookEndpointData = {
      ...input,
      url,
      since: context.now,
      secret: context.sealer.seal(secret, id),
      previous: null,
    };
    const document = view.stage({ collection: 'local', id, object: 'webhook_endpoint', data, expected: 0 });
    view.stage<WebhookState>({
      collection: 'local',
      id: webhookStateId(id),
      object: 'webhook_state',
      data: NEW_STATE,
      expected: 0,
    });
    stageAudit(context, view, 'webhook_endpoint', id, 'created', { url: new URL(url).origin, kinds: data.kinds });
    return { object: 'webhook_endpoint_created', endpoint: await toEndpoint(context, document), secret };
  },

  async webhook_endpoints_list(input, context) {
    return listPage<WebhookEndpointData, WebhookEndpoint>(
      context,
      context.view,
      'local',
      input,
      { object: 'webhook_endpoint' },
      (found) => toEndpoints(context, found),
    );
  },

  async webhook_endpoints_get({ id }, context) {
    return toEndpoint(context, await requireEndpoint(context, id));
  },

  webhook_endpoints_update: update,

  async webhook_endpoints_rotate_secret({ id }, context) {
    const current = await requireEndpoint(context, id);
    const secret = mintSecret(context);
    const until = new Date(Date.parse(context.now) + OVERLAP_MS).toISOString();
    const document = stageEndpoint(context, current, {
      ...current.data,
      secret: context.sealer.seal(secret, id),
      previous: { secret: current.data.secret, until },
    });
    stageAudit(context, context.view, 'webhook_endpoint', id, 'secret_rotated');
    return { object: 'webhook_endpoint_created', endpoint: await toEndpoint(context, document), secret };
  },

  async webhook_endpoints_delete({ id }, context) {
    const current = await requireEndpoint(context, id);
    checkRevision(context, current);
    const { data, revision: expected } = current;
    context.view.stage({
      collection: 'local',
      id,
      object: 'webhook_endpoint',
      data,
      current,
      expected,
      deleted: true,
    });
    stageAudit(context, context.view, 'webhook_endpoint', id, 'deleted');
    return { object: 'webhook_endpoint', id, deleted: true as const };
  },

  async webhook_deliveries_list({ id, state, ...input }, context): Promise<Output<'webhook_deliveries_list'>> {
    await requireEndpoint(context, id);
    const queues = state === undefined ? DELIVERY_STATES.map((one) => queueOf(id, one)) : queueOf(id, state);
    return listPage<WebhookDeliveryData, WebhookDelivery>(
      context,
      context.view,
      'local',
      input,
      { object: 'webhook_delivery', where: { 'data.queue': queues } },
      (found) => found.map(toDelivery),
    );
  },

  async webhook_deliveries_redeliver({ id, delivery_id }, context) {
    const { view } = context;
    await requireEndpoint(context, id);
    const current = await requireRecord<WebhookDeliveryData>(
      view,
      'webhook_delivery',
      delivery_id,
      'delivery_id',
      'local',
    );
    if (current.data.endpoint_id !== id) throw notFound('webhook_delivery', 'delivery_id');
    if (current.data.state === 'pending') return toDelivery(current);
    const state = await view.get<WebhookState>('local', webhookStateId(id));
    if (state === undefined) throw notFound('webhook_endpoint', 'id');
    const document = view.stage<WebhookDeliveryData>({
      collection: 'local',
      id: delivery_id,
      object: 'webhook_delivery',
      data: {
        ...current.data,
        state: 'pending',
        queue: queueOf(id, 'pending'),
        tries: 0,
        next_ms: Date.parse(context.now),
        finished_at: null,
      },
      current,
      expected: current.revision,
    });
    view.stage<WebhookState>({
      collection: 'local',
      id: state.id,
      object: 'webhook_state',
      data: { ...state.data, pending: state.data.pending + 1 },
      current: state,
      expected: state.revision,
    });
    return toDelivery(document);
  },
});
