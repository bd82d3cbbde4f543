/**
 * Tools, prompts and resources besides those of the gateway. A gateway has none. A conformance suite expects some of its own, and its test
 * adds them here, so that they pass through the same transport, credentials and limits.
 */
import type { CallToolResult, ReadResourceResult, Resource, Tool } from '@modelcontextprotocol/sdk/types.js';
import type { Tell } from './log-levels.ts';
import type { ProgressWish } from './progress.ts';
import type { PromptRow } from './prompts.ts';

interface ExtraTool {
  readonly tool: Tool;
  run(call: {
    readonly args: Readonly<Record<string, unknown>>;
    readonly tell: Tell;
    readonly progress: ProgressWish | undefined;
  }): Promise<CallToolResult>;
}

interface ExtraResource {
  readonly resource: Resource;
  /** Returns the content of an address; undefined if it is not the address of this resource. */
  read(uri: string): ReadResourceResult | undefined;
}

export interface Extras {
  readonly tools: readonly ExtraTool[];
  readonly prompts: readonly PromptRow[];
  readonly resources: readonly ExtraResource[];
}

export const NO_EXTRAS: Extras = { tools: [], prompts: [], resources: [] };
