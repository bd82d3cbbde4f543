/** Bundles that a person carries. The routes of the bytes write and read them after these handlers. */
import { OperationError } from '#contract/base/errors.ts';
import type { HandlerContext } from '#contract/context.ts';
import { handlerGroup } from '#contract/handler.ts';
import { stageAudit } from '#handlers/base/audit.ts';

function requireAllProjects({ caller }: HandlerContext<'courier'>): void {
  if (caller.project_ids !== null)
    throw new OperationError(
      'permission_denied',
      'This key is restricted to some projects. A bundle has all projects of a site, so use a key for all projects.',
    );
}

export const courierHandlers = handlerGroup(['courier'], {
  sync_courier(_input, context) {
    requireAllProjects(context);
    return context.courier.state();
  },

  sync_courier_export({ gateway_id }, context) {
    requireAllProjects(context);
    stageAudit(context, context.node, 'gateway', gateway_id ?? context.nodeId, 'bundle_written');
    return {};
  },

  async sync_courier_import({ id }, context) {
    requireAllProjects(context);
    const { data } = await context.courier.state();
    const taken = data.find((bundle) => bundle.id === id);
    if (taken === undefined) throw new OperationError('not_found', 'There is no bundle with this id.', { param: 'id' });
    stageAudit(context, context.node, 'gateway', taken.gateway_id, 'bundle_read', { bundle: taken.bundle });
    return taken;
  },
});
