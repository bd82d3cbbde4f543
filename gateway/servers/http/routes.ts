/** The routes of the declared operations: finds the operation of a path, and builds its input from path, query and body. */
import { OperationError } from '#contract/base/errors.ts';
import type { OperationName } from '#contract/operations.ts';
import { operationRow, schemaOf, TABLE } from '#servers/invoke/json-schemas.ts';

export interface Route {
  /** Path in the form of Express, such as `/devices/:id`. */
  readonly path: string;
  readonly operations: ReadonlyMap<string, OperationName>;
  /** Value of the `Allow` header. */
  readonly allow: string;
  /** The parameters of the path, each with its index among the segments. */
  readonly parameters: readonly (readonly [name: string, word: number])[];
}

/** All routes, one for each path. Literal segments come before parameters, so that `/devices/link` is not matched as an id. */
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

/** A node of the route tree, one level per path segment. The search tries a literal segment before a parameter. */
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
      // Two routes may have different parameter names at the same segment. So a node of the route tree has no parameter name;
      // `route.parameters` has the names.
      at = at.parameter.step;
    } else {
      const next = at.literal.get(word) ?? { literal: new Map() };
      at.literal.set(word, next);
      at = next;
    }
  }
  at.route = route;
}

/** Returns the route of a path and the values of its parameters; throws `parameter_invalid` for invalid percent-encoded UTF-8. */
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
    throw new OperationError('parameter_invalid', 'The path is not valid percent-encoded UTF-8.', { cause });
  }
}

/** Returns the `Allow` header. A path with GET also supports HEAD (RFC 9110 9.3.2), except for a stream, which has no end. */
function allowOf(methods: readonly string[], stream: boolean): string {
  return [...methods, ...(methods.includes('GET') && !stream ? ['HEAD'] : [])].sort().join(', ');
}

/** Returns a text that sorts literal segments before parameters, segment by segment. */
function specificity(path: string): string {
  return path
    .split('/')
    .map((step) => (step.startsWith(':') ? '~' : step))
    .join('/');
}

/**
 * Builds the input of an operation from the path parameters, the query (GET and DELETE) and the body (other methods). Throws if the query
 * or body has another value for a path parameter.
 */
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
      throw new OperationError(
        'parameter_invalid',
        `\`${key}\` differs from its value in the path. Leave it out, or send the same value.`,
        {
          param: key,
        },
      );
    input[key] = value;
  }
  return input;
}

function readQuery(name: OperationName, query: string, input: Record<string, unknown>): void {
  const { method } = operationRow(name);
  const names = new URLSearchParams(query);
  for (const key of new Set(names.keys())) {
    if (method !== 'GET' && method !== 'DELETE')
      throw new OperationError('parameter_unknown', `Send \`${key}\` in the body, not in the query.`, { param: key });
    if (key === '__proto__')
      throw new OperationError('parameter_unknown', 'The parameter name `__proto__` is not allowed.');
    input[key] = wireValue(name, key, names.getAll(key));
  }
}

/** Converts a query parameter to the declared type. Text that does not fit is returned unchanged, and the schema refuses it. */
function wireValue(name: OperationName, key: string, texts: readonly string[]): unknown {
  const { type, items } = schemaOf(name, 'input').properties[key] ?? {};
  // The values of an enumeration contain no comma, so a query may have a list of them in one text, separated by commas.
  if (type === 'array') return hasNames(items) ? texts.flatMap((text) => text.split(',')) : texts;
  const [text = ''] = texts;
  if (texts.length > 1)
    throw new OperationError('parameter_invalid', `The query has \`${key}\` ${texts.length} times. Send it once.`, {
      param: key,
    });
  if ((type === 'integer' || type === 'number') && /^-?\d{1,15}(\.\d{1,15})?$/.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

function hasNames(items: unknown): boolean {
  return typeof items === 'object' && items !== null && 'enum' in items;
}

/**
 * Returns the revision in an If-Match header. Returns null if the header sets no condition, and -1 for a weak tag, because a weak tag never
 * matches.
 */
export function readIfMatch(name: OperationName, header: string | undefined): number | null {
  if (header === undefined) return null;
  const { revision, method } = operationRow(name);
  if (revision !== 'if-match') {
    if (method === 'GET') return null;
    throw new OperationError('parameter_invalid', 'This operation does not support If-Match.', { param: 'If-Match' });
  }
  if (header.trim() === '*') return null; // `*` accepts any current revision (RFC 9110 13.1.1)
  // If-Match uses the strong comparison (RFC 9110 8.8.3, 13.1.1), so a weak tag such as `W/"3"` never matches.
  const tag = /^"([^"]*)"$/.exec(header.trim())?.[1];
  if (tag === undefined)
    throw new OperationError('parameter_invalid', 'If-Match must have one revision in quotes, such as `"3"`.', {
      param: 'If-Match',
    });
  return /^\d{1,15}$/.test(tag) ? Number(tag) : -1;
}
