/** The link of a site to head office, its state, and the receipts of comparisons. */
import { OperationError } from '#contract/base/errors.ts';
import { ADMINS } from '#contract/base/operation.ts';
import type { HandlerContext } from '#contract/context.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { SyncReceipt, SyncReceiptData, SyncStatus } from '#contract/site/sync.ts';
import type { LiveAsked } from '#contract/sync-services.ts';
import { stageAudit } from '#handlers/base/audit.ts';
import { listPage } from '#handlers/base/lists.ts';

const LONGEST_OVERRIDE_MS = 31 * 86_400_000;

function requireAllProjects({ caller }: HandlerContext): void {
  if (caller.project_ids !== null)
    throw new OperationError(
      'permission_denied',
      'This key is restricted to some projects. The link to head office belongs to the whole gateway, so use a key for all projects.',
    );
}

/** The state, without the projects and gateways that the caller may not see. */
async function statusFor(context: HandlerContext<'sync'>, live?: LiveAsked) {
  const { project_ids } = context.caller;
  if (live !== undefined && project_ids?.includes(live.project_id) === false)
    throw new OperationError('project_not_found', 'The site does not exist, or this credential has no access to it.', {
      param: 'live',
    });
  const status = await context.sync.status(live);
  if (project_ids === null) return status;
  // The file that is on its way may be of another project.
  const hidden = <F extends SyncStatus['files']>(files: F): F => (files === null ? files : { ...files, current: null });
  return {
    ...status,
    files: hidden(status.files),
    // It names devices of all projects.
    takeover: null,
    // It tells of the whole gateway.
    box: null,
    projects: status.projects.filter(({ project_id }) => project_ids.includes(project_id)),
    gateways: status.gateways.flatMap((gateway) => {
      const projects = gateway.projects.filter((id) => project_ids.includes(id));
      return projects.length === 0 ? [] : [{ ...gateway, files: hidden(gateway.files), boxes: [], projects }];
    }),
  };
}

export const syncHandlers = handlerGroup(['sync'], {
  sync_status({ live, live_counted = false }, context) {
    const { role } = context.caller;
    const mayPay = role !== null && ADMINS.includes(role);
    return statusFor(context, live === undefined ? undefined : { project_id: live, pays: live_counted && mayPay });
  },
});

export const siteSyncHandlers = handlerGroup(['siteSync', 'sync'], {
  async sync_link_set({ cloud_url, code }, context) {
    requireAllProjects(context);
    const { enrolment_id } = await context.siteSync.connect(cloud_url, code);
    stageAudit(context, context.node, 'gateway', context.nodeId, 'linked', { cloud_url, enrolment_id });
    return statusFor(context);
  },

  async sync_link_remove(_input, context) {
    requireAllProjects(context);
    if (await context.siteSync.disconnect()) stageAudit(context, context.node, 'gateway', context.nodeId, 'unlinked');
    return statusFor(context);
  },

  async sync_budget_set(budget, context) {
    requireAllProjects(context);
    const { metered, bytes_per_month, override_until } = budget;
    if (override_until !== null && Date.parse(override_until) > Date.parse(context.now) + LONGEST_OVERRIDE_MS)
      throw new OperationError('parameter_invalid', 'The limits can be lifted for at most 31 days.', {
        param: 'override_until',
      });
    await context.siteSync.setBudget(budget);
    const said = { metered, bytes_per_month, override_until };
    stageAudit(context, context.node, 'gateway', context.nodeId, 'link_budget', said);
    return context.siteSync.budget();
  },

  async sync_verify(_input, context) {
    requireAllProjects(context);
    return { object: 'list', data: await context.siteSync.verify() };
  },

  async sync_receipts_list(input, context) {
    requireAllProjects(context);
    return listPage<SyncReceiptData, SyncReceipt>(
      context,
      context.node,
      'local',
      input,
      { object: 'sync_receipt' },
      (found) => found.map(({ id, data }) => ({ object: 'sync_receipt', id, ...data })),
    );
  },
});
