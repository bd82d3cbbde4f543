/** Gives runs of the agent the tools that write learnings. They are in no list of MCP. */
import type { AgentTool } from '#agent/provider.ts';
import type { Asker, Toolbox } from '#agent/toolbox.ts';
import { errorBody, OperationError } from '#contract/base/errors.ts';
import { covers } from '#contract/scopes.ts';
import { EndLearningInput, LEARNING_SCHEMAS, LEARNING_TOOLS, RememberInput } from '#contract/work/learning.ts';
import type { Log } from '#servers/base/log.ts';
import { asOperationError } from '#servers/invoke/operation-errors.ts';

/** Carries out one call and returns the learning. */
type Learn = (
  project_id: string,
  call: { name: string; input: unknown; task_id: string; key: string },
) => Promise<object>;

const TOOLS: readonly (AgentTool & { readonly input: typeof RememberInput | typeof EndLearningInput })[] = [
  {
    name: LEARNING_TOOLS.remember,
    description:
      'Remember a fact about this site for later runs, with its evidence: the source (a tool, file or person) and its words. Only what stays true beyond this task, and what the list of learned facts does not have. Name the learning that it replaces in `supersedes`.',
    schema: LEARNING_SCHEMAS.remember,
    input: RememberInput,
    readOnly: false,
  },
  {
    name: LEARNING_TOOLS.end,
    description: 'End a learning that is no longer true. It cannot be restored.',
    schema: LEARNING_SCHEMAS.end,
    input: EndLearningInput,
    readOnly: false,
  },
];

const offered = ({ scopes, allowed }: Asker): typeof TOOLS =>
  covers(scopes, 'learnings:write') ? TOOLS.filter(({ name }) => allowed === null || allowed.includes(name)) : [];

/** Returns the toolbox with the tools that write learnings. */
export function withLearnings(toolbox: Toolbox, learn: Learn, log: Log): Toolbox {
  return {
    list: (asker) => [...toolbox.list(asker), ...offered(asker).map(({ input: _, ...tool }) => tool)],
    async call(name, input, asker, key) {
      const tool = TOOLS.find((one) => one.name === name);
      if (tool === undefined) return toolbox.call(name, input, asker, key);
      const { idempotency_key: _, project_id: __, ...args } = input;
      const given = tool.input.safeParse(args);
      const request_id = `${asker.task_id}.${key}`;
      try {
        if (!offered(asker).includes(tool))
          throw new OperationError('permission_denied', 'This run may not write learnings.');
        if (!given.success) {
          const words = given.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
          throw new OperationError('parameter_invalid', words);
        }
        if (asker.plan_only)
          return { isError: false, output: { planned: true, message: 'The input fits. Nothing was written.' } };
        const output = await learn(asker.project_id, { name, input: given.data, task_id: asker.task_id, key });
        return { isError: false, output };
      } catch (error) {
        return { isError: true, output: errorBody(asOperationError(error, log, request_id, name), request_id) };
      }
    },
  };
}
