/**
 * Decides which tool describes each noun. A noun is a named schema, for example `Equipment`, that several tools use. To keep the tool list
 * small, one tool describes the noun in full, and all other tools refer to that tool.
 */
import type { OperationName } from '#contract/operations.ts';
import { type JsonSchema, operationRow, schemaOf, TABLE } from '#servers/invoke/json-schemas.ts';
import { refersTo } from './shapes.ts';

/** The operations that have a tool, in the order in which they are declared. */
export const TOOL_NAMES: readonly OperationName[] = [...TABLE].flatMap(([name, { httpOnly }]) =>
  httpOnly === undefined ? [name] : [],
);

/** The tool that describes a noun, and the text with which other tools refer to this description. */
interface Reference {
  readonly name: OperationName;
  readonly words: string;
}
type Entry = readonly [noun: string, reference: Reference];

const READS = TOOL_NAMES.filter((name) => operationRow(name).method === 'GET');

/** Returns the name of the output schema of an operation, such as `Equipment`; undefined if the schema has no name. */
export function nounOf(name: OperationName): string | undefined {
  return operationRow(name).output.meta()?.id as string | undefined;
}

/** Returns the noun of the items of a list operation; undefined for other operations. */
function itemOf(name: OperationName): string | undefined {
  return refersTo((schemaOf(name, 'output').properties.data?.items ?? {}) as JsonSchema);
}

/** For each noun of an answer, the tool that describes it. If several entries have the same noun, the last entry applies. */
const ANSWERED: ReadonlyMap<string, Reference> = new Map([
  ...READS.flatMap((name): Entry[] => {
    const noun = itemOf(name);
    return noun === undefined ? [] : [[noun, { name, words: `as an item of ${name}` }]];
  }),
  ...READS.toSorted((a, b) => Number(endsWithId(a)) - Number(endsWithId(b))).flatMap((name): Entry[] => {
    const noun = nounOf(name);
    return noun === undefined ? [] : [[noun, { name, words: `as ${name} answers` }]];
  }),
  ['Event', { name: 'equipment_events', words: 'as an item of equipment_events' }],
  ['Context', { name: 'equipment_get', words: 'as in equipment_get' }],
]);

/** For each noun of an input, the tool that describes it: the first declared tool with the noun in its input. */
const TAKEN: ReadonlyMap<string, Reference> = new Map(
  TOOL_NAMES.toReversed().flatMap((name) =>
    Object.keys(schemaOf(name, 'input').$defs ?? {}).map(
      (noun): Entry => [noun, { name, words: `as ${name} takes it` }],
    ),
  ),
);

function endsWithId(name: OperationName): boolean {
  return operationRow(name).path.endsWith('}');
}

/** Returns the text that refers from tool `name` to the description of a noun; undefined if `name` itself describes the noun. */
export function describedAt(noun: string, name: OperationName): string | undefined {
  const reference = ANSWERED.get(noun) ?? TAKEN.get(noun);
  return reference === undefined || reference.name === name ? undefined : reference.words;
}

/**
 * Returns the tool with nearly the same input, for example `equipment_create` for `equipment_update`; undefined if there is none.
 */
export function kinOf(name: OperationName): OperationName | undefined {
  const kin = (operationRow(name).inputLike ?? name.replace(/_update$/, '_create')) as OperationName;
  return kin !== name && TABLE.has(kin) && operationRow(kin).httpOnly === undefined ? kin : undefined;
}
