/** The list of MCP tools: the operations that have a tool, as a model reads them. */
import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import type { OperationName } from '#contract/operations.ts';
import { type Permitted, permits } from '#contract/permissions.ts';
import { TOOL_WORDS } from '#contract/tool-words.ts';
import type { Invoke } from '#servers/invoke/invoke.ts';
import { operationRow, TABLE } from '#servers/invoke/json-schemas.ts';
import { inProfile, type Profile } from './profiles.ts';
import { type Style, toolInput } from './tool-input.ts';

/** The operations that have a tool, in the order in which they are declared. */
export const TOOL_NAMES: readonly OperationName[] = [...TABLE].flatMap(([name, { httpOnly }]) =>
  httpOnly === undefined ? [name] : [],
);

/**
 * Returns the list of a profile for a caller. A tool may have annotations (hints for the client, such as `readOnlyHint`). An annotation with
 * the default value of MCP is left out.
 */
export function toolList(caller: Permitted, serves: Invoke['serves'], profile: Profile): Tool[] {
  const names = TOOL_NAMES.filter((name) => permits(caller, name) && serves(name) && inProfile(profile, name));
  const listed = new Set(names);
  const terse = profile === 'all';
  const style: Style = { lists: (name) => listed.has(name), terse };
  return names.map((name) => {
    const { hints } = operationRow(name);
    const annotations = {
      ...(hints.readOnly ? { readOnlyHint: true } : {}),
      // Clients use these two annotations for writes only (MCP 2025-11-25, schema, ToolAnnotations).
      ...(hints.readOnly || hints.destructive ? {} : { destructiveHint: false }),
      ...(terse || hints.readOnly || !hints.idempotent ? {} : { idempotentHint: true }),
      ...(terse ? {} : { openWorldHint: false }),
    };
    return {
      name,
      description: descriptionOf(name, terse),
      inputSchema: toolInput(name, style),
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    };
  });
}

/**
 * What the tool does, what it is for, when another tool fits better, and the next step. Without the further sentences of the operation if
 * `terse` is true.
 */
function descriptionOf(name: OperationName, terse: boolean): string {
  const { summary, description } = operationRow(name);
  const words = TOOL_WORDS[name];
  return [`${summary}.`, terse && words !== undefined ? undefined : description, words]
    .filter((part) => part !== undefined)
    .join(' ');
}
