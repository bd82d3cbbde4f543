/** MCP prompts: the texts of `#contract/agent-prompts.ts` in the form of the protocol. */
import { ErrorCode, type GetPromptResult, McpError, type Prompt } from '@modelcontextprotocol/sdk/types.js';
import { AGENT_PROMPTS, type AgentPrompt, HONEST } from '#contract/agent-prompts.ts';
import type { OperationName } from '#contract/operations.ts';
import { type Permitted, permits } from '#contract/permissions.ts';

/** A prompt of the protocol. */
export interface PromptRow extends Omit<AgentPrompt, 'lines'> {
  /** Returns the messages for the values of the arguments. */
  messages(values: Readonly<Record<string, string>>): GetPromptResult['messages'];
}

export const PROMPTS: readonly PromptRow[] = AGENT_PROMPTS.map(({ lines, ...row }) => ({
  ...row,
  messages: (values) => [{ role: 'user', content: { type: 'text', text: [...lines(values), HONEST].join('\n') } }],
}));

const listed = (caller: Permitted, serves: (name: OperationName) => boolean, { needs }: PromptRow): boolean =>
  needs.every((name) => permits(caller, name) && serves(name));

/** Returns the prompts whose tools the caller may call. */
export function listPrompts(
  rows: readonly PromptRow[],
  caller: Permitted,
  serves: (name: OperationName) => boolean,
): Prompt[] {
  return rows
    .filter((row) => listed(caller, serves, row))
    .map(({ name, title, description, arguments: fields }) => ({
      name,
      title,
      description,
      ...(fields.length === 0 ? {} : { arguments: fields.map(({ of: _, ...field }) => field) }),
    }));
}

/** Returns the messages of a prompt; throws McpError for an unknown prompt or argument, and without a required argument. */
export function getPrompt(
  rows: readonly PromptRow[],
  name: string,
  values: Readonly<Record<string, string>> = {},
): GetPromptResult {
  const row = rows.find((one) => one.name === name);
  if (row === undefined)
    throw new McpError(
      ErrorCode.InvalidParams,
      `Unknown prompt: ${name.slice(0, 100)}. prompts/list names all prompts.`,
    );
  const known = row.arguments.map((field) => field.name);
  const names = known.length === 0 ? 'none' : known.join(', ');
  const unknown = Object.keys(values).find((key) => !known.includes(key));
  if (unknown !== undefined)
    throw new McpError(
      ErrorCode.InvalidParams,
      `${name} has no argument ${unknown.slice(0, 100)}. Its arguments: ${names}.`,
    );
  const missing = row.arguments.find((field) => field.required && (values[field.name] ?? '').trim() === '');
  if (missing !== undefined)
    throw new McpError(ErrorCode.InvalidParams, `${name} needs the argument ${missing.name}: ${missing.description}`);
  return { description: row.description, messages: row.messages(values) };
}
