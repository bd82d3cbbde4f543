/** The audit log. It records changes of objects that have no event log. One commit stores the change and its audit entry. */

import { OperationError } from '#contract/base/errors.ts';
import { NODE_PROJECT, type Stored } from '#contract/base/view.ts';
import type { HandlerContext, StagedView } from '#contract/context.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Output } from '#contract/operations.ts';
import type { AuditData, AuditSubject } from '#contract/site/audit.ts';
import { listPage } from './lists.ts';
import { orderedId } from './ordered-ids.ts';

type Audit = Output<'audit_list'>['data'][number];

/**
 * Stages (adds to the commit of this call) an audit entry for a change by the caller. `data` has details, such as the names of changed
 * fields, but no secret.
 */
export function stageAudit(
  context: HandlerContext,
  view: StagedView,
  object: AuditSubject,
  id: string,
  type: string,
  data: Record<string, unknown> = {},
): void {
  const { caller } = context;
  view.stage<AuditData>({
    collection: 'events',
    id: orderedId(context, 'audit'),
    object: 'audit',
    expected: 0,
    data: {
      type,
      subject: { object, id },
      actor: { type: caller.kind, id: caller.id, name: caller.name, door: caller.door },
      data,
    },
  });
}

function toAudit({ id, project_id, created_at, data }: Stored<AuditData>): Audit {
  return {
    object: 'audit',
    id,
    project_id: project_id === NODE_PROJECT ? null : project_id,
    occurred_at: created_at,
    ...data,
  };
}

export const auditHandlers = handlerGroup([], {
  async audit_list(input, context) {
    if (input.of === 'gateway' && context.caller.project_ids !== null)
      throw new OperationError(
        'permission_denied',
        'This key is restricted to some projects. To read the audit log of the gateway, use a key for all projects.',
        { param: 'of' },
      );
    const where = { 'data.subject.id': input.subject, 'data.actor.id': input.actor, 'data.type': input.type };
    return listPage<AuditData, Audit>(
      context,
      input.of === 'gateway' ? context.node : context.view,
      'events',
      input,
      { object: 'audit', where },
      (found) => found.map(toAudit),
    );
  },
});
