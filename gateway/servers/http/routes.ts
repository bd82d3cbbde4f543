/** The declaration as a table of routes: which methods a path serves, and from request to the input of an operation. */
import { OperationError } from '#contract/base/errors.ts';
import type { OperationName } from '#contract/operations.ts';
import { operationRow, schemaOf, TABLE } from '#servers/invoke/json-schemas.ts';

export interface Route {
  /** As Express writes it: `/devices/:id`. */
  readonly path: string;
  readonly operations: ReadonlyMap<string, OperationName>;
  /** The Allow header. */
  readonly allow: string;
  /** Its parameters, and at which word of the path each stands. */
  readonly parameters: readonly (readonly [name: string, word: number])[];
}

/** One entry per path; literal paths come before those with parameters, so that `/devices/link` is never an id. */
export const ROUTES: readonly Route[] = routes();

function routes(): readonly Route[] {
  const paths = new Map<string, Map<string, OperationName>>();
  for (const [name, row] of TABLE) {
    const methods = paths.get(row.path) ?? new Map<string, OperationName>();
    methods.set(row.method, name);
    paths.set(row.path, methods);
  }
  return [...paths]
    .map(([template, operations]) => [template.replace(/\{(\w+)\}/g, ':$1'), operations] as const)
    .map(([path, operations]) => ({
      path,
      operations,
      parameters: wordsOf(path).flatMap((word, i) => (word.startsWith(':') ? [[word.slice(1), i] as const] : [])),
      allow: allowOf(
        [...operations.keys()],
        [...operations.values()].some((name) => operationRow(name).stream),
      ),
    }))
    .sort((a, b) => (specificity(a.path) < specificity(b.path) ? -1 : 1));
}

/** A step of the tree of routes: literal steps win over a parameter. */
interface Step {
  readonly literal: Map<string, Step>;
  parameter?: { readonly name: string; readonly step: Step };
  route?: Route;
}

const TREE: Step = { literal: new Map() };
for (const route of ROUTES) {
  let at = TREE;
  for (const word of wordsOf(route.path)) {
    if (word.startsWith(':')) {
      at.parameter ??= { name: word.slice(1), step: { literal: new Map() } };
      // Two routes may call the same place by two names; the name belongs to the route.
      at = at.parameter.step;
    } else {
      const next = at.literal.get(word) ?? { literal: new Map() };
      at.literal.set(word, next);
      at = next;
    }
  }
  at.route = route;
}

/** The route of a path and what stands at its parameters; throws `parameter_invalid` for what is not valid percent-encoded UTF-8. */
export function matchRoute(path: string): { route: Route; params: Record<string, string> } | undefined {
  const words = wordsOf(path);
  let at: Step | undefined = TREE;
  for (const word of words) at = at.literal.get(word) ?? (word === '' ? undefined : at.parameter?.step) ?? NOWHERE;
  if (at.route === undefined) return undefined;
  const params: Record<string, string> = {};
  for (const [name, i] of at.route.parameters) params[name] = decode(words[i] as string);
  return { route: at.route, params };
}

const NOWHERE: Step = { literal: new Map() };

function wordsOf(path: string): string[] {
  return path.split('/').slice(1);
}

function decode(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw new OperationError('parameter_invalid', 'The address is not valid percent-encoded UTF-8.', { cause });
  }
}

/** RFC 9110 9.3.2: HEAD goes with GET; a stream has no end that HEAD could leave out. */
function allowOf(methods: readonly string[], stream: boolean): string {
  return [...methods, ...(methods.includes('GET') && !stream ? ['HEAD'] : [])].sort().join(', ');
}

/** Sorts literal steps before parameters, step by step. */
function specificity(path: string): string {
  return path
    .split('/')
    .map((step) => (step.startsWith(':') ? '~' : step))
    .join('/');
}

/** The input of an operation from its parts: path names win, then the query (GET, DELETE) or the body (the rest). */
export function inputOf(
  name: OperationName,
  params: Readonly<Record<string, string>>,
  query: string,
  body: unknown,
): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  if (body !== undefined) {
    if (typeof body !== 'object' || body === null || Array.isArray(body))
      throw new OperationError('parameter_invalid', 'The body must be a JSON object.');
    Object.assign(input, body);
  }
  if (query !== '') readQuery(name, query, input);
  for (const [key, value] of Object.entries(params)) {
    if (Object.hasOwn(input, key) && input[key] !== value)
      throw new OperationError('parameter_invalid', `\`${key}\` is given by the path and cannot be changed.`, {
        param: key,
      });
    input[key] = value;
  }
  return input;
}

function readQuery(name: OperationName, query: string, input: Record<string, unknown>): void {
  const { method } = operationRow(name);
  const names = new URLSearchParams(query);
  for (const key of new Set(names.keys())) {
    if (method !== 'GET' && method !== 'DELETE')
      throw new OperationError('parameter_unknown', `Send \`${key}\` in the body, not in the address.`, { param: key });
    if (key === '__proto__') throw new OperationError('parameter_unknown', 'This operation takes no `__proto__`.');
    input[key] = wireValue(name, key, names.getAll(key));
  }
}

/** Query text as the type that the input declares; text that does not fit stays text, for the schema to refuse. */
function wireValue(name: OperationName, key: string, texts: readonly string[]): unknown {
  const type = schemaOf(name, 'input').properties[key]?.type;
  if (type === 'array') return texts;
  const [text = ''] = texts;
  if (texts.length > 1)
    throw new OperationError('parameter_invalid', `\`${key}\` was sent ${texts.length} times.`, { param: key });
  if ((type === 'integer' || type === 'number') && /^-?\d{1,15}(\.\d{1,15})?$/.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/** The revision that an If-Match header names, or null; -1 for a tag that no revision of ours can have. */
export function readIfMatch(name: OperationName, header: string | undefined): number | null {
  if (header === undefined) return null;
  const { revision, method } = operationRow(name);
  if (revision !== 'if-match') {
    if (method === 'GET') return null;
    throw new OperationError('parameter_invalid', 'This operation cannot honour If-Match.', { param: 'If-Match' });
  }
  if (header.trim() === '*') return null; // RFC 9110 13.1.1: any current revision will do
  // RFC 9110 8.8.3, 13.1.1: one quoted tag, compared strongly, so a weak one can never match.
  const tag = /^"([^"]*)"$/.exec(header.trim())?.[1];
  if (tag === undefined)
    throw new OperationError('parameter_invalid', 'If-Match takes one quoted strong revision, as in `"3"`.', {
      param: 'If-Match',
    });
  return /^\d{1,15}$/.test(tag) ? Number(tag) : -1;
}
