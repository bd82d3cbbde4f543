/** Gives the agent the tools of the operation catalog: the same tools, limits and errors that a client of MCP gets. */
import type { AgentTool } from '#agent/provider.ts';
import type { Asker, Toolbox } from '#agent/toolbox.ts';
import type { Caller } from '#contract/context.ts';
import type { OperationName } from '#contract/operations.ts';
import type { Log } from '#servers/base/log.ts';
import type { Invoke } from '#servers/invoke/invoke.ts';
import { operationRow } from '#servers/invoke/json-schemas.ts';
import type { Artifacts } from '#store/artifacts.ts';
import { createToolCalls } from './tool-calls.ts';
import { toolList } from './tools.ts';

/** The caller of a run: the role `agent` in one project, with the scopes of the person or key that asked for the work. */
const callerOf = ({ project_id, task_id, scopes }: Asker): Caller => ({
  kind: 'service',
  id: task_id,
  name: 'agent',
  role: 'agent',
  project_ids: [project_id],
  scopes,
  device: null,
  device_project: null,
  door: 'mcp',
  address: '',
  base_url: '',
});

function toolsFor(invoke: Pick<Invoke, 'serves'>, asker: Asker): AgentTool[] {
  const { allowed } = asker;
  const listed = toolList(callerOf(asker), (name) => invoke.serves(name), allowed === null ? 'default' : 'all');
  const wanted = allowed === null ? listed : listed.filter(({ name }) => allowed.includes(name));
  return wanted.map(({ name, description = '', inputSchema }) => ({
    name,
    description,
    schema: { ...inputSchema, properties: inputSchema.properties ?? {} },
    readOnly: operationRow(name as OperationName).hints.readOnly,
  }));
}

/** Creates the tools of the agent. */
export function createToolbox(options: {
  readonly invoke: Invoke;
  readonly log: Log;
  readonly artifacts: Pick<Artifacts, 'read' | 'find'>;
}): Toolbox {
  const { callTool } = createToolCalls(options);
  return {
    list: (asker) => toolsFor(options.invoke, asker),
    async call(name, input, asker, key) {
      const { readOnly } = operationRow(name as OperationName).hints;
      const { idempotency_key: _, project_id: __, ...args } = input;
      const { isError, json, more } = await callTool(name, readOnly ? args : { ...args, idempotency_key: key }, {
        caller: callerOf(asker),
        project_id: asker.project_id,
        request_id: `${asker.task_id}.${key}`,
        long: true,
        ...(asker.plan_only && !readOnly ? { dry: true } : {}),
        profile: undefined,
        content: undefined,
        count() {},
      });
      const texts = more.flatMap((block) => (block.type === 'text' ? [block.text] : []));
      const output: unknown = JSON.parse(json);
      return { isError, output: texts.length === 0 ? output : { answer: output, content: texts } };
    },
  };
}
