/** Where the list of tools describes each noun, so that it does so once. */
import type { OperationName } from '#contract/operations.ts';
import { type JsonSchema, operationRow, schemaOf, TABLE } from '#servers/invoke/json-schemas.ts';
import { refersTo } from './shapes.ts';

/** The operations that have a tool, in the order of the declaration. */
export const TOOL_NAMES: readonly OperationName[] = [...TABLE].flatMap(([name, { httpOnly }]) =>
  httpOnly === undefined ? [name] : [],
);

/** A tool, and the words that send there. */
interface Home {
  readonly name: OperationName;
  readonly words: string;
}
type Entry = readonly [noun: string, home: Home];

const READS = TOOL_NAMES.filter((name) => operationRow(name).method === 'GET');

/** The noun that an operation answers with; undefined where the answer has no name. */
export function nounOf(name: OperationName): string | undefined {
  return operationRow(name).output.meta()?.id as string | undefined;
}

/** The noun that a list is of. */
function itemOf(name: OperationName): string | undefined {
  return refersTo((schemaOf(name, 'output').properties.data?.items ?? {}) as JsonSchema);
}

/** What tools answer with: of several that do, the later in this list describes it. */
const ANSWERED: ReadonlyMap<string, Home> = new Map([
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

/** What tools take: the first that takes it describes it. */
const TAKEN: ReadonlyMap<string, Home> = new Map(
  TOOL_NAMES.toReversed().flatMap((name) =>
    Object.keys(schemaOf(name, 'input').$defs ?? {}).map(
      (noun): Entry => [noun, { name, words: `as ${name} takes it` }],
    ),
  ),
);

function endsWithId(name: OperationName): boolean {
  return operationRow(name).path.endsWith('}');
}

/** The words that send a reader of `name`'s answer to where the noun is described; undefined when that is here. */
export function describedAt(noun: string, name: OperationName): string | undefined {
  const home = ANSWERED.get(noun) ?? TAKEN.get(noun);
  return home === undefined || home.name === name ? undefined : home.words;
}

/** The tool whose input this one's repeats; undefined for one that stands by itself. */
export function kinOf(name: OperationName): OperationName | undefined {
  const kin = (operationRow(name).inputLike ?? name.replace(/_update$/, '_create')) as OperationName;
  return kin !== name && TABLE.has(kin) && operationRow(kin).httpOnly === undefined ? kin : undefined;
}
