/** The interface between the harness and the tools of the gateway. */
import type { AgentTool } from './provider.ts';

/** For whom tools are called. */
export interface Asker {
  readonly project_id: string;
  readonly task_id: string;
  readonly scopes: readonly string[] | null;
  readonly read_only: boolean;
  /** True: writes are checked and not carried out. */
  readonly plan_only: boolean;
  /** The tools that the review configuration allows; null: those of the default list. */
  readonly allowed: readonly string[] | null;
}

/** What the harness needs of the tools of the gateway. */
export interface Toolbox {
  /** The tools that the asker may use. HTTP-only operations have no tool. */
  list(asker: Asker): readonly AgentTool[];
  /** Calls a tool. `key` is the Idempotency-Key of a write. The output contains no secret. It never throws for a bad input. */
  call(
    name: string,
    input: Record<string, unknown>,
    asker: Asker,
    key: string,
  ): Promise<{ readonly isError: boolean; readonly output: unknown }>;
}
