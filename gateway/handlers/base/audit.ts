/** The audit log. It records changes of objects that have no event log. One commit stores the change and its audit entry. */

import { AUDIT_OBJECT, auditEntry } from '#contract/base/audit-entry.ts';
import { OperationError } from '#contract/base/errors.ts';
import type { HandlerContext, NodeServices, StagedView } from '#contract/context.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Output } from '#contract/operations.ts';
import type { AuditData, AuditSubject } from '#contract/site/audit.ts';
import type { Store } from '#store/open-store.ts';
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
    object: AUDIT_OBJECT,
    expected: 0,
    data: {
      type,
      subject: { object, id },
      actor: { type: caller.kind, id: caller.id, name: caller.name, door: caller.door },
      data,
    },
  });
}

/** Creates the service that reads the audit log in the order of its chain. */
export function createAuditReader(store: Pick<Store, 'find'>): NodeServices['auditChain'] {
  return (after, limit) => {
    const path = 'data.chain.number';
    return store.find<AuditData>('events', { object: AUDIT_OBJECT, where: { [path]: { gt: after } }, by: path, limit });
  };
}

/** Throws if the caller is restricted to some projects. */
function requireAllProjects({ caller }: HandlerContext, param?: string): void {
  if (caller.project_ids !== null)
    throw new OperationError(
      'permission_denied',
      'This key is restricted to some projects. To read the audit log of the gateway, use a key for all projects.',
      param === undefined ? {} : { param },
    );
}

export const auditHandlers = handlerGroup(['auditChain'], {
  async audit_list(input, context) {
    if (input.of === 'gateway') requireAllProjects(context, 'of');
    const where = { 'data.subject.id': input.subject, 'data.actor.id': input.actor, 'data.type': input.type };
    return listPage<AuditData, Audit>(
      context,
      input.of === 'gateway' ? context.node : context.view,
      'events',
      input,
      { object: AUDIT_OBJECT, where },
      (found) => found.map(auditEntry),
    );
  },

  async audit_export({ limit, after }, context) {
    requireAllProjects(context);
    const found = await context.auditChain(after, limit + 1);
    const data: Audit[] = found.slice(0, limit).map(auditEntry);
    return {
      object: 'audit_export',
      data,
      has_more: found.length > limit,
      next_after: data.at(-1)?.chain?.number ?? after,
    };
  },
});
