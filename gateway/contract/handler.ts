/** Handlers: one function per operation, in groups that declare the services they need. */
import type { HandlerContext, NodeServices, ServiceName } from './context.ts';
import type { OperationName, Output, Parsed } from './operations.ts';

/** Handlers by operation, for a context with the services `S`. Streams have no handler. */
export type Handlers<S extends ServiceName = never> = {
  readonly [N in OperationName]?: (input: Parsed<N>, context: HandlerContext<S>) => Promise<Output<N>> | Output<N>;
};

/** Handlers that need the same services. A node without one of these services refuses all operations of the group. */
export interface HandlerGroup {
  readonly needs: readonly ServiceName[];
  readonly handlers: Handlers<ServiceName>;
}

/** Declares a group; its handlers see the common services and those in `needs`, and no others. */
export function handlerGroup<const S extends ServiceName = never>(
  needs: readonly S[],
  handlers: Handlers<S>,
): HandlerGroup {
  return { needs, handlers: handlers as Handlers<ServiceName> };
}

/** Names of the operations of these groups that need a service which the node does not have. */
export function operationsWithout(
  groups: readonly HandlerGroup[],
  services: Partial<NodeServices>,
): ReadonlySet<OperationName> {
  return new Set(
    groups
      .filter(({ needs }) => needs.some((name) => services[name] === undefined))
      .flatMap(({ handlers }) => Object.keys(handlers) as OperationName[]),
  );
}
