/**
 * Requests made from the declaration, against a real gateway: what fits, what nearly does, and nonsense, with keys of one project
 * and ids of two. After each: no fault of ours, an answer that the declaration knows, nothing of the other project. At the end: the
 * other project as it was, and no promise that nobody looked after.
 *
 *   node test/fuzz/fuzz.ts [REQUESTS] [SEED]      npm run fuzz
 */
import fc from 'fast-check';
import { ERRORS, ErrorBody, type ErrorCode } from '#contract/base/errors.ts';
import { type Kind, PREFIXES } from '#contract/base/ids.ts';
import type { OperationName } from '#contract/operations.ts';
import { isServedBy } from '#contract/served.ts';
import { operationRow, schemaOf, TABLE } from '#servers/invoke/json-schemas.ts';
import { startGateway } from '#test/support/gateway.ts';
import { arbitraryOf } from './arbitrary.ts';
import { CANARY, keyFor, seedProject } from './site.ts';

export interface FuzzResult {
  readonly requests: number;
  /** How often each status came. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Operations that were answered with success at least once. */
  readonly succeeded: ReadonlySet<string>;
  readonly asked: ReadonlySet<string>;
  /** What must not be, each with the request that did it. */
  readonly violations: readonly string[];
}

/** A request as it goes out. */
interface Shot {
  readonly name: OperationName;
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
}

const MAX_VIOLATIONS = 20;
/** Names that end like an id and take any text. */
const FREE: ReadonlySet<string> = new Set([
  // Of an entry in a list: whoever sends it names it. The id in a path is chosen with the request.
  'id',
  'device_id',
  'badge_id',
  'source_event_id',
  'skill_id',
  'display_group_id',
  'display_group_ids',
]);
/** What stands behind the first step of a path. */
const NOUNS: Readonly<Record<string, Kind>> = {
  projects: 'project',
  devices: 'device',
  equipment: 'equipment',
  locations: 'location',
  operators: 'operator',
  mechanics: 'mechanic',
  'repair-tickets': 'repair_ticket',
  'shift-reports': 'shift_report',
  dashboards: 'dashboard',
  playlists: 'playlist',
  'custom-actions': 'custom_action',
  tasks: 'task',
  alerts: 'alert',
  'alert-rules': 'alert_rule',
  'webhook-endpoints': 'webhook_endpoint',
  preferences: 'preference',
  artifacts: 'artifact',
};
const MATCHES = [...Array.from({ length: 12 }, () => null), '"1"', '"2"', '*', 'W/"1"', 'x'];
const ACCEPTS = [...Array.from({ length: 40 }, () => null), 'text/csv', 'application/cloudevents+json', 'image/png'];

/** Fires so many requests; the same seed makes the same requests (ids and keys are new each time). */
export async function fuzz(requests: number, seed: number): Promise<FuzzResult> {
  await using gateway = await startGateway(undefined, {}, { HEADFRAME_REQUESTS_PER_MINUTE: '1000000' });
  const ours = await seedProject(gateway, 'ours');
  const theirs = await seedProject(gateway, CANARY);
  const admin = await keyFor(gateway, ours.project_id, 'admin');
  const viewer = await keyFor(gateway, ours.project_id, 'viewer');
  const operator = await keyFor(gateway, ours.project_id, 'operator');
  const before = await theirs.read();
  const unhandled: unknown[] = [];
  const onUnhandled = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', onUnhandled);
  const keys = [
    ...Array.from({ length: 60 }, () => admin.secret),
    viewer.secret,
    operator.secret,
    ours.deviceKey,
    'nobody',
    '',
  ];
  const projects = [...Array.from({ length: 60 }, () => ours.project_id), theirs.project_id, 'prj_nothing', ''];
  const pool = [...ours.ids, ...ours.ids, ...theirs.ids, 'eq_nothing'];
  // What takes things away comes seldom, or soon nothing is left to ask for.
  const names = [...TABLE.keys()]
    .filter((name) => !operationRow(name).stream)
    .flatMap((name) => Array.from({ length: operationRow(name).hints.destructive ? 1 : 8 }, () => name));
  /** Ids of a kind: ours more often than theirs; all when there are none of it. */
  const idsOf = (kind: Kind | undefined): readonly string[] => {
    const of = (ids: readonly string[]) =>
      ids.filter((id) => kind !== undefined && id.startsWith(`${PREFIXES[kind]}_`));
    const own = of(ours.ids);
    return own.length === 0 ? pool : [...own, ...own, ...own, ...own, ...own, ...own, ...of(theirs.ids), pool[0] ?? ''];
  };
  /** Free text stays free of ids, so that an id of the other project in an answer is a leak and no echo. */
  const known = (name: string): readonly string[] => {
    if (name === 'type') return ['note', 'x.fuzz', 'created', 'fuel.added'];
    if (FREE.has(name) || !/(^|_)ids?$/.test(name)) return [];
    const kind = name.replace(/^(assigned|parent|object|current)_|_ids?$/g, '');
    return idsOf(kind in PREFIXES ? (kind as Kind) : undefined);
  };
  const statuses: Record<string, number> = {};
  const succeeded = new Set<string>();
  const asked = new Set<string>();
  const violations: string[] = [];

  const shots = fc.constantFrom(...names).chain((name) => {
    const input = schemaOf(name, 'input');
    return fc.record({
      name: fc.constant(name),
      input: arbitraryOf(input, input.$defs ?? {}, known),
      key: fc.constantFrom(...keys),
      project: fc.constantFrom(...projects),
      again: fc.integer({ min: 0, max: 30 }),
      match: fc.constantFrom(...MATCHES),
      accept: fc.constantFrom(...ACCEPTS),
      id: fc.constantFrom(...idsOf(NOUNS[operationRow(name).path.split('/')[3] ?? ''])),
    });
  });

  let fired = 0;
  // In pieces: the values of ten thousand requests at once would fill the memory.
  for (let piece = 0; fired < requests && violations.length < MAX_VIOLATIONS; piece++) {
    const sample = fc.sample(shots, { seed: seed + piece, numRuns: Math.min(200, requests - fired) });
    for (const one of sample) {
      const shot = aim(gateway.node.http, one);
      asked.add(one.name);
      fired++;
      const wrong = await fire(shot);
      if (wrong !== undefined) violations.push(`${wrong}\n  ${describe(shot)}`);
    }
  }

  async function fire(shot: Shot): Promise<string | undefined> {
    const { method, headers, body } = shot;
    let response: Response;
    try {
      response = await fetch(shot.url, { method, headers, ...(body === undefined ? {} : { body }) });
    } catch (error) {
      return `no answer: ${String((error as Error).cause ?? error)}`;
    }
    const text = await response.text();
    statuses[response.status] = (statuses[response.status] ?? 0) + 1;
    // A site answers 501 to the operations of head office, which it does not serve.
    const isServed = response.status !== 501 || isServedBy('gateway', shot.name);
    if (response.status >= 500 && isServed) return `${response.status}: ${text.slice(0, 300)}`;
    if (!response.headers.has('x-request-id')) return 'no X-Request-Id';
    if (response.status >= 400) return refusal(response.status, text);
    succeeded.add(shot.name);
    return answer(shot, response, text);
  }

  function answer(shot: Shot, response: Response, text: string): string | undefined {
    const sent = `${shot.url}${shot.body ?? ''}`;
    if (text.includes(CANARY) && !sent.includes(CANARY)) return 'the answer holds a name of the other project';
    const leaked = theirs.ids.find((id) => text.includes(id) && !sent.includes(id));
    if (leaked !== undefined) return `the answer holds ${leaked} of the other project`;
    if (!/^application\/json/.test(response.headers.get('content-type') ?? '')) return undefined;
    const { output, status } = operationRow(shot.name);
    if (response.status !== status && response.status !== 200) return `status ${response.status} is not declared`;
    const parsed = output.safeParse(JSON.parse(text));
    return parsed.success ? undefined : `the answer does not fit: ${parsed.error.message.slice(0, 300)}`;
  }

  process.off('unhandledRejection', onUnhandled);
  if (unhandled.length > 0) violations.push(`unhandled: ${String(unhandled[0])}`);
  if ((await theirs.read()) !== before) violations.push('the other project is not as it was');
  return { requests: fired, statuses, succeeded, asked, violations };
}

function refusal(status: number, text: string): string | undefined {
  const parsed = ErrorBody.safeParse(JSON.parse(text));
  if (!parsed.success) return `${status} is not the error object: ${text.slice(0, 300)}`;
  const { code } = parsed.data.error;
  const [declared] = ERRORS[code as ErrorCode] ?? [];
  if (declared !== status) return `${code} with status ${status}, the table says ${declared}`;
  if (text.includes(CANARY) && !/already_exists/.test(code))
    return `the refusal holds a name of the other project: ${text}`;
  return undefined;
}

function aim(
  base: string,
  one: {
    name: OperationName;
    input: unknown;
    key: string;
    project: string;
    again: number;
    match: string | null;
    accept: string | null;
    id: string;
  },
): Shot {
  const { method, path } = operationRow(one.name);
  const input: Record<string, unknown> =
    typeof one.input === 'object' && one.input !== null && !Array.isArray(one.input)
      ? { ...(one.input as Record<string, unknown>) }
      : {};
  const filled = path.replace(/\{(\w+)\}/g, (_, key: string) => {
    const given = input[key];
    delete input[key];
    // Mostly something that exists; a step of dots is no step of an address.
    const text = one.again > 5 || typeof given !== 'string' || /^\.*$/.test(given) ? one.id : given.toWellFormed();
    return encodeURIComponent(text);
  });
  const headers: Record<string, string> = {};
  if (one.key !== '') headers.authorization = `Bearer ${one.key}`;
  if (one.project !== '') headers['project-id'] = one.project;
  if (one.again < 3) headers['idempotency-key'] = `again-${one.again}`;
  if (one.match !== null) headers['if-match'] = one.match;
  if (one.accept !== null) headers.accept = one.accept;
  if (method !== 'GET' && method !== 'DELETE') {
    headers['content-type'] = 'application/json';
    const whole = typeof one.input === 'object' && !Array.isArray(one.input) ? input : one.input;
    return { name: one.name, method, url: `${base}${filled}`, headers, body: JSON.stringify(whole ?? null) };
  }
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(input))
    query.append(key, typeof value === 'string' ? value.toWellFormed() : JSON.stringify(value));
  return {
    name: one.name,
    method,
    url: `${base}${filled}${query.size > 0 ? `?${query}` : ''}`,
    headers,
    body: undefined,
  };
}

function describe({ method, url, headers, body }: Shot): string {
  return `${method} ${url.slice(0, 400)} ${JSON.stringify(headers).slice(0, 400)} ${(body ?? '').slice(0, 1_500)}`;
}

if (import.meta.main) {
  const requests = Number(process.argv[2] ?? 10_000);
  const seed = Number(process.argv[3] ?? Date.now() % 2 ** 31);
  console.log(`seed ${seed}`);
  const started = performance.now();
  const { statuses, succeeded, asked, violations, requests: fired } = await fuzz(requests, seed);
  for (const violation of violations) process.stdout.write(`${violation}\n`);
  const never = [...asked].filter((name) => !succeeded.has(name));
  process.stdout.write(
    `${fired} requests, seed ${seed}, ${Math.round((performance.now() - started) / 1000)} s; ${JSON.stringify(statuses)}; ` +
      `${succeeded.size} of ${asked.size} operations succeeded at least once; never: ${never.join(', ')}; ${violations.length} violations\n`,
  );
  process.exitCode = violations.length === 0 ? 0 : 1;
}
