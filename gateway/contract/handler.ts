/** Handlers: one function per operation, in groups that declare the services they need. */
import type { HandlerContext, NodeServices, ServiceName } from './context.ts';
import type { OperationName, Output, Parsed } from './operations.ts';

/** Handlers by the name of their operation. They can use the services `S`. Operations that stream events have no handler. */
export type Handlers<S extends ServiceName = never> = {
  readonly [N in OperationName]?: (input: Parsed<N>, context: HandlerContext<S>) => Promise<Output<N>> | Output<N>;
};

/** Handlers that need the same services. If one of these services does not run, the gateway refuses all operations of the group. */
export interface HandlerGroup {
  readonly needs: readonly ServiceName[];
  readonly handlers: Handlers<ServiceName>;
}

/** Declares a group of handlers. They can use the common services and the services in `needs`, and no others. */
export function handlerGroup<const S extends ServiceName = never>(
  needs: readonly S[],
  handlers: Handlers<S>,
): HandlerGroup {
  return { needs, handlers: handlers as Handlers<ServiceName> };
}

/** Returns the names of operations that this gateway cannot serve, because a service that their group needs does not run. */
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
