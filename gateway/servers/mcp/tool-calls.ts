/** Calls operations for tools and for resources, and returns results and errors in the forms that MCP defines for them. */
import { type ContentBlock, ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { errorBody, OperationError } from '#contract/base/errors.ts';
import { LIMITS } from '#contract/base/limits.ts';
import type { Caller } from '#contract/context.ts';
import type { OperationName, Output } from '#contract/operations.ts';
import { permits } from '#contract/permissions.ts';
import { changedJsonOf } from '#servers/base/json-text.ts';
import type { Log } from '#servers/base/log.ts';
import { CATALOG, takesIdempotencyKey } from '#servers/invoke/catalog.ts';
import { isLarge } from '#servers/invoke/input-pieces.ts';
import type { Invoke } from '#servers/invoke/invoke.ts';
import { operationRow } from '#servers/invoke/json-schemas.ts';
import { asOperationError } from '#servers/invoke/operation-errors.ts';
import type { Artifacts } from '#store/artifacts.ts';
import { chosen, lineOf, wishOf } from './answers.ts';
import { readContent } from './content.ts';
import type { Tell } from './log-levels.ts';
import { projectOf, type ReadList, withIds, withPlainId } from './names.ts';
import { type ProgressWish, withProgress } from './progress.ts';
import { RESOURCE_NOT_FOUND } from './resources.ts';
import { TOOL_NAMES } from './tools.ts';

/** The data of an MCP request that is not in its JSON-RPC message. */
export interface McpCall {
  readonly caller: Caller;
  /** Value of the Project-ID header: the project of tool calls without `project_id`. */
  readonly project_id: string | undefined;
  readonly request_id: string;
  /**
   * True if the message is longer than the default limit for arguments. In this case the endpoint must check the limit of the called tool.
   */
  readonly long: boolean;
  /** True: the call is checked and not carried out. */
  readonly dry?: true;
  /** The name of the list of tools that the address asks for. */
  readonly profile: string | undefined;
  /** `text` if the address asks for answers as text, for clients that show their model no structured content. */
  readonly content: string | undefined;
  /** Counts one call against the rate limit; throws `rate_limited`. The endpoint calls it before each tool call. */
  readonly count: () => void;
}

/** The result of a tool call: one line, the answer or error as JSON, and further blocks of content. */
interface ToolAnswer {
  readonly isError: boolean;
  readonly line: string;
  readonly json: string;
  readonly more: readonly ContentBlock[];
}

/** Matches the keys and tokens that the gateway creates. No tool result may contain one. */
const SECRET = /\b(?:wk|dk|pat|ses)_[A-Za-z0-9]{8}_[A-Za-z0-9_-]{43}|\b(?:dsp|flt|ctl)_[A-Za-z0-9_-]{40,}/g;

/** The answer to a write of a dry run. */
const NOT_CARRIED_OUT: Record<string, unknown> = {
  object: 'planned_call',
  message:
    'This run only plans, so the call was not carried out. The input fits the schema. The gateway did not check it against its data.',
};

type Args = Record<string, unknown>;

interface ToolCallOptions {
  readonly invoke: Invoke;
  readonly log: Log;
  readonly artifacts: Pick<Artifacts, 'read' | 'find'>;
}

/** Creates the functions that call operations for tools and for resources. */
export function createToolCalls({ invoke, log, artifacts }: ToolCallOptions) {
  /** Reads lists for a caller, to find objects by their names. Undefined if the caller may not read the list. */
  function reader({ caller, request_id, count }: McpCall, project_id: string | undefined): ReadList {
    return async (name, input) => {
      if (!permits(caller, name) || !invoke.serves(name)) return undefined;
      count();
      return (await invoke.call({ name, caller, input, project_id, request_id })).body;
    };
  }

  /** Returns the input of the operation: with ids instead of names, and without the parameters that only tools have. */
  async function inputOf(name: OperationName, args: Args, call: McpCall, tell: Tell) {
    const { input, revision, bytes, scope } = operationRow(name);
    const { project_id, idempotency_key, if_match, range, fields, include, ...rest } = withPlainId(name, args);
    const named = text('project_id', project_id) ?? call.project_id;
    const project =
      scope === 'project' || 'project_id' in input.shape
        ? await projectOf(named, call.caller.project_ids, reader(call, undefined))
        : named;
    const { wish, include: others } = wishOf(name, fields, include);
    return {
      project_id: project,
      wish,
      range: text('range', range),
      idempotency_key: text('idempotency_key', idempotency_key),
      if_match: revisionOf(if_match),
      input: await withIds(
        name,
        {
          ...rest,
          ...(others === undefined ? {} : { include: others }),
          ...(bytes !== 'content' && range !== undefined ? { range } : {}),
          ...('project_id' in input.shape && project !== undefined ? { project_id: project } : {}),
          ...(revision !== 'if-match' && if_match !== undefined ? { if_match } : {}),
          ...(!takesIdempotencyKey(name) && idempotency_key !== undefined ? { idempotency_key } : {}),
        },
        reader(call, project),
        tell,
      ),
    };
  }

  async function run(name: OperationName, args: Args, call: McpCall, wish: ProgressWish | undefined, tell: Tell) {
    const { bytes, maxBody = LIMITS.body.value, maxValues = LIMITS.json_values.value } = operationRow(name);
    if (call.long && Buffer.byteLength(JSON.stringify(args)) > maxBody)
      throw new OperationError('payload_too_large', `The arguments of ${name} may have at most ${maxBody} bytes.`);
    if (isLarge(args, maxValues))
      throw new OperationError('payload_too_large', `The arguments of ${name} may have at most ${maxValues} values.`);
    const { range, wish: of, ...asked } = await inputOf(name, args, call, tell);
    const { caller, request_id } = call;
    if (call.dry) {
      await invoke.admit({ name, caller, ...asked });
      return { body: NOT_CARRIED_OUT, content: [] };
    }
    const reply = await withProgress(name, wish, () => invoke.call({ name, caller, request_id, ...asked }));
    const content =
      bytes === 'content' ? [await readContent(reply.body as unknown as File, range, artifacts, conceal)] : [];
    return { body: chosen(reply.body, of), content };
  }

  async function callTool(
    tool: string,
    args: Args,
    call: McpCall,
    wish?: ProgressWish,
    tell: Tell = () => {},
  ): Promise<ToolAnswer> {
    const name = TOOL_NAMES.find((one) => one === tool);
    if (name === undefined) throw new McpError(ErrorCode.InvalidParams, unknownTool(tool));
    try {
      call.count();
      const { body, content } = await run(name, args, call, wish, tell);
      for (const { message } of (body.warnings ?? []) as { message: string }[]) tell('warning', message);
      const json = await changedJsonOf(body, withoutSecrets);
      return { isError: allFailed(body), line: withoutSecrets(lineOf(body)), json, more: content };
    } catch (thrown) {
      const error = asOperationError(thrown, log, call.request_id, name);
      return { isError: true, line: '', json: JSON.stringify(errorBody(error, call.request_id)), more: [] };
    }
  }

  /** Returns the answer of a read operation as a resource. An `OperationError` becomes an error of the JSON-RPC protocol. */
  async function readObject(
    name: OperationName,
    input: Record<string, string>,
    project_id: string | undefined,
    call: McpCall,
  ): Promise<object> {
    try {
      call.count();
      const project = await projectOf(project_id ?? call.project_id, call.caller.project_ids, reader(call, undefined));
      const reply = await invoke.call({
        name,
        caller: call.caller,
        input: await withIds(name, input, reader(call, project)),
        project_id: project,
        request_id: call.request_id,
      });
      return JSON.parse(await changedJsonOf(reply.body, withoutSecrets));
    } catch (thrown) {
      const error = asOperationError(thrown, log, call.request_id, name);
      const code = error.status === 404 ? RESOURCE_NOT_FOUND : ErrorCode.InvalidRequest;
      throw new McpError(code, error.message, errorBody(error, call.request_id));
    }
  }

  /** Returns the function that reads lists of the project of a call, for completion. */
  async function readerOf(call: McpCall): Promise<ReadList> {
    const project = await projectOf(call.project_id, call.caller.project_ids, reader(call, undefined)).catch(
      () => undefined,
    );
    return project === undefined ? async () => undefined : reader(call, project);
  }

  return { callTool, readObject, readerOf };
}

export type ToolCalls = ReturnType<typeof createToolCalls>;

type File = Pick<Output<'artifacts_get'>, 'id' | 'sha256' | 'bytes' | 'content_type'>;

/** Returns true for the answer of a batch in which every item failed. */
function allFailed({ object, data }: Record<string, unknown>): boolean {
  if (object !== 'list' || !Array.isArray(data) || data.length === 0) return false;
  return data.every((item) => typeof item?.error === 'object' && item.error !== null);
}

/**
 * Returns the JSON of a CallToolResult (MCP 2025-11-25, "Tools"). An answer is the structured content, and its text is one line. An error
 * is a text only, because an error of the protocol has no structure of its own.
 */
export function resultText({ isError, line, json, more }: ToolAnswer, content: string | undefined): string {
  const failed = isError ? '"isError":true,' : '';
  const asText = content === 'text' || line === '';
  const blocks = [textBlock(asText ? json : line), ...more.map((block) => JSON.stringify(block))];
  return `{${failed}"content":[${blocks.join()}]${asText ? '' : `,"structuredContent":${json}`}}`;
}

const textBlock = (said: string): string => `{"type":"text","text":${JSON.stringify(said)}}`;

/** Returns the error message for an unknown tool name. For an operation that is HTTP only it names the reason and the REST route. */
function unknownTool(tool: string): string {
  const row = CATALOG.find(({ name }) => name === tool);
  const why =
    row === undefined
      ? 'tools/list at /mcp?profile=all names all tools.'
      : `HTTP only, for ${row.http_only_because}: ${row.method} ${row.path}.`;
  return `Unknown tool: ${tool.slice(0, 100)}. ${why}`;
}

/**
 * Replaces everything that has the form of a key by `[secret]`. The gateway does not refuse such an answer, because then anybody could hide
 * a log from all agents by writing a key into it.
 */
const withoutSecrets = (part: string): string => part.replace(SECRET, '[secret]');

/** Replaces each key in the content of a file by stars, one for each character, so that the positions of all other bytes do not change. */
function conceal(content: string): string {
  return content.replace(SECRET, (secret) => '*'.repeat(secret.length));
}

function text(param: string, value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  throw new OperationError('parameter_invalid', `\`${param}\` must be a string.`, { param });
}

function revisionOf(value: unknown): number | null {
  if (value === undefined) return null;
  if (Number.isSafeInteger(value)) return value as number;
  throw new OperationError('parameter_invalid', '`if_match` must be a revision number.', { param: 'if_match' });
}
