/** Operations on the review configuration of a project. */
import { OperationError } from '#contract/base/errors.ts';
import { type Sayable, say } from '#contract/base/told.ts';
import type { Stored, View } from '#contract/base/view.ts';
import type { HandlerContext, Sealer } from '#contract/context.ts';
import { handlerGroup } from '#contract/handler.ts';
import { type OperationName, type Output, operations } from '#contract/operations.ts';
import { LEARNING_TOOLS } from '#contract/work/learning.ts';
import type { ModelProvider, ReviewData } from '#contract/work/review.ts';
import { reachOf } from '#domain/base/ip-address.ts';
import { DEFAULT_REVIEW, reviewId } from '#domain/runs/review.ts';
import { stageAudit } from '#handlers/base/audit.ts';
import { applyFields, NO_CONTEXT, requireRevision, wireBase } from '#handlers/base/documents.ts';

type Review = Output<'review_configuration_get'>;

/** Reads the configuration of a project; a project without a stored one has the default with revision 0. */
async function requireReview(context: HandlerContext, project_id: string): Promise<Stored<ReviewData>> {
  const reached = context.caller.project_ids?.includes(project_id) ?? true;
  const project = reached ? await context.node.get('records', project_id) : undefined;
  if (project?.object !== 'project')
    throw new OperationError('project_not_found', 'There is no such project, or this key has no access to it.', {
      param: 'id',
    });
  const id = reviewId(project_id);
  const found = await context.project(project_id).get<ReviewData>('local', id);
  if (found !== undefined) return { ...found, data: { ...DEFAULT_REVIEW, ...found.data } };
  return { ...project, id, project_id, object: 'review_configuration', revision: 0, data: DEFAULT_REVIEW };
}

function toReview(document: Stored<ReviewData>): Review {
  const { sealed_key, ...fields } = document.data;
  return {
    object: 'review_configuration',
    ...wireBase(document),
    ...fields,
    provider_key_set: sealed_key !== null,
    context: NO_CONTEXT,
  };
}

function refuse(param: string, message: Sayable): never {
  throw new OperationError('parameter_invalid', message, { param });
}

/** True for this computer, and for names that only a local network resolves. */
const isLocalName = (host: string): boolean =>
  /^(localhost|127(\.\d+){3}|\[::1\])$/.test(host) ||
  !host.includes('.') ||
  /\.(local|lan|internal|home\.arpa)$/.test(host);

/** Throws if the address would send prompts and the key over a public network without encryption, or has no sense as an address of an API. */
function checkAddress({ url: text }: ModelProvider): void {
  const url = new URL(text);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    refuse('provider', 'The address may have only a scheme, a host, a port and a path.');
  const host = url.hostname.toLowerCase();
  const isLocal = isLocalName(host) || reachOf(host) === 'private';
  if (url.protocol === 'http:' && !isLocal) refuse('provider', 'An address outside the local network must use https.');
  if (!isLocal && reachOf(host) === 'denied') refuse('provider', 'No model server can have this address.');
}

/** Tools that are no operations: only runs have them. */
const OF_RUNS: readonly string[] = Object.values(LEARNING_TOOLS);

function check(data: ReviewData): void {
  const { provider, allowed_tools, spend_cap_usd } = data;
  if (provider !== null) checkAddress(provider);
  const unknown = (allowed_tools ?? []).find((name) => {
    if (OF_RUNS.includes(name)) return false;
    if (!Object.hasOwn(operations, name)) return true;
    return operations[name as OperationName].httpOnly !== undefined;
  });
  if (unknown !== undefined)
    refuse('allowed_tools', say('There is no tool {unknown}. `GET /api/v1/operations` lists them.', { unknown }));
  const priced = provider !== null && provider.input_usd_per_mtok !== null && provider.output_usd_per_mtok !== null;
  if (spend_cap_usd !== null && !priced)
    refuse(
      'spend_cap_usd',
      'A spend cap needs both prices of the provider. Without prices the cost is unknown; use `token_budget`.',
    );
}

/** Returns the key of the provider of a project; null if it has none, undefined if this gateway cannot decrypt it. */
export async function providerKey(
  view: Pick<View, 'get' | 'project_id'>,
  sealer: Pick<Sealer, 'tryOpen'>,
): Promise<string | null | undefined> {
  const id = reviewId(view.project_id);
  const sealed = (await view.get<ReviewData>('local', id))?.data.sealed_key ?? null;
  return sealed === null ? null : sealer.tryOpen(sealed, id);
}

export const reviewHandlers = handlerGroup([], {
  async review_configuration_get({ id }, context) {
    return toReview(await requireReview(context, id));
  },

  async review_configuration_update({ id: project_id, provider_key, ...given }, context) {
    const current = await requireReview(context, project_id);
    requireRevision(context, current);
    const { id, revision: expected } = current;
    const { data, fields } = applyFields(current.data, given as Partial<ReviewData>);
    check(data);
    // A key is sent to the address only for which a person entered it.
    const moved = data.provider?.url !== current.data.provider?.url;
    if (moved) data.sealed_key = null;
    if (provider_key !== undefined)
      data.sealed_key = provider_key === null ? null : context.sealer.seal(provider_key, id);
    if (data.sealed_key !== current.data.sealed_key) fields.push('provider_key');
    if (fields.length === 0) return toReview(current);
    const view = context.project(project_id);
    const stored = expected === 0 ? undefined : current;
    const document = view.stage({
      collection: 'local',
      id,
      object: 'review_configuration',
      data,
      current: stored,
      expected,
    });
    stageAudit(context, view, 'review_configuration', project_id, 'updated', { fields });
    return toReview(document);
  },
});
