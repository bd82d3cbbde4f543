/** The shape of handlers: one function per operation, from parsed input and context to the answer. */
import type { HandlerContext } from '#contract/context.ts';
import type { OperationName, Output, Parsed } from '#contract/operations.ts';

/** Handlers by operation; streams have none. */
export type Handlers = {
  readonly [N in OperationName]?: (input: Parsed<N>, context: HandlerContext) => Promise<Output<N>> | Output<N>;
};
