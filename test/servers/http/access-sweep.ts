/** Every operation asked with every role and every state of a credential, and what the permission table says about each answer. */
import type { Operation } from '#contract/base/operation.ts';
import { type OperationName, operations } from '#contract/operations.ts';
import { permits, refusedField } from '#contract/permissions.ts';
import { KEY_ROLES } from '#contract/site/node.ts';
import { type Browser, enrol, type UserRole } from '#test/servers/people.ts';
import { type Rig, startRig } from '#test/servers/rig.ts';

export const ROWS = Object.entries(operations) as unknown as [OperationName, Operation][];
export const DEVICES = { own: 'dev_own', sibling: 'dev_sibling', foreign: 'dev_foreign', none: 'dev_none' } as const;

/** Headers without which an upload is refused whoever asks; they mean nothing to the others. */
const UPLOAD = {
  'tus-resumable': '1.0.0',
  'upload-length': '1',
  'upload-offset': '0',
};

export async function startAll(start = startRig): Promise<Rig> {
  const rig = await start({ http: { requestsPerMinute: 100_000 } });
  for (const [id, project] of [
    [DEVICES.own, rig.project],
    [DEVICES.sibling, rig.project],
    [DEVICES.foreign, rig.other],
  ] as const) {
    const data = { device_id: `hw-${id}` };
    await rig.store.view(project).commit([{ collection: 'records', id, object: 'device', data }]);
  }
  return rig;
}

/** Asks an operation with a key, or with the headers of a browser. */
export async function ask(
  rig: Rig,
  row: Operation,
  key: string | Record<string, string> | null,
  id: string,
  project = rig.project,
) {
  const path = row.path
    .replaceAll('{id}', id)
    .replaceAll('{project_id}', project)
    .replaceAll('{share}', 's'.repeat(43))
    .replaceAll(/\{\w+\}/g, 'some_1');
  const response = await fetch(`${rig.base}${path}`, {
    method: row.method,
    headers: {
      ...(typeof key === 'string' ? { authorization: `Bearer ${key}` } : key),
      ...(row.scope === 'project' ? { 'project-id': project } : {}),
      ...(row.bytes?.startsWith('upload_') === true ? UPLOAD : {}),
    },
  });
  const text = await response.text();
  const error = text.startsWith('{"error"') ? (JSON.parse(text).error as { code: string; message: string }) : undefined;
  return { status: response.status, code: error?.code ?? null, message: error?.message ?? null };
}

/** Answers of somebody who was let in: whatever the handler says, but none of the doorkeeper's words. */
export const DOORKEEPER = new Set([
  'authentication_required',
  'credential_invalid',
  'claim_required',
  'permission_denied',
  'project_not_found',
  'project_required',
]);
export const isGuarded = ([, row]: (typeof ROWS)[number]) => row.scope !== 'none';

/** Asks an operation with a body; the value of a field without limits does not matter, because the input is checked later. */
export async function send(rig: Rig, row: Operation, key: string | Record<string, string> | null, body: object) {
  const response = await fetch(`${rig.base}${row.path.replace('{id}', 'some_1')}`, {
    method: row.method,
    headers: {
      ...(typeof key === 'string' ? { authorization: `Bearer ${key}` } : key),
      'project-id': rig.project,
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  });
  const { error } = (await response.json()) as { error?: { code: string; param: string | null } };
  return { status: response.status, code: error?.code ?? null, param: error?.param ?? null };
}

const PEOPLE = ['owner', 'admin', 'supervisor', 'mechanic', 'operator', 'viewer'] as const satisfies UserRole[];
const headersOf = (rig: Rig, { cookie }: Browser) => ({ cookie, origin: rig.base, 'headframe-page': '1' });

/** One line of the table: what was tried with the credentials of one role in one state. */
export interface AccessLine {
  readonly credential: 'key' | 'session' | 'fields';
  readonly role: string;
  readonly state: string;
  tried: number;
  admitted: number;
  /** Refusals by status. */
  readonly refused: Map<number, number>;
  readonly differences: string[];
}

type Credential = string | Record<string, string> | null;
type Refusal = readonly [status: number, code: string];

/** Credentials that are no longer, or not yet, valid, and what they get whatever they ask for. */
const INVALID: Readonly<Record<string, Refusal>> = {
  none: [401, 'authentication_required'],
  'no page header': [401, 'authentication_required'],
  wrong: [401, 'credential_invalid'],
  expired: [401, 'credential_invalid'],
  revoked: [401, 'credential_invalid'],
  disabled: [401, 'credential_invalid'],
  'other address': [403, 'permission_denied'],
};
const PAST = '2020-01-01T00:00:00.000Z';
const NARROW = ['*:read'];

/** The keys of one role, by state. */
async function keysOf(rig: Rig, role: (typeof KEY_ROLES)[number]): Promise<Record<string, Credential>> {
  const mint = async (fields: Parameters<Rig['mint']>[0]) => (await rig.mint({ role, ...fields })).secret;
  return {
    own: await mint({}),
    'other project': await mint({ project_ids: [rig.other] }),
    none: null,
    wrong: `wk_abcdefgh_${'x'.repeat(43)}`,
    expired: await mint({ expires_at: PAST }),
    revoked: await mint({ revoked_at: PAST }),
    narrowed: await mint({ scopes: NARROW }),
    'other address': await mint({ allowed_cidrs: ['10.9.0.0/16'] }),
  };
}

/** The sessions of people of one role, by state. A person with the state `narrowed` has access to one project only. */
async function sessionsOf(rig: Rig, role: UserRole): Promise<Record<string, Credential>> {
  const owner = rig.client();
  const own = await enrol(rig, `${role} own`, role);
  const narrow = role === 'owner' ? null : await enrol(rig, `${role} narrow`, role, [rig.project]);
  const restricted = role === 'owner' ? null : await enrol(rig, `${role} other`, role, [rig.other]);
  const disabled = await enrol(rig, `${role} disabled`, role);
  await owner.call('users_update', { id: disabled.id, disabled: true });
  const ended = await enrol(rig, `${role} ended`, role);
  await owner.call('users_update', { id: ended.id, ends_at: '2026-01-01T00:00:00.000Z' });
  const revoked = await enrol(rig, `${role} revoked`, role);
  for (const { id } of (await owner.call('sessions_list', { user_id: revoked.id })).data)
    await owner.call('sessions_revoke', { id });
  return {
    own: headersOf(rig, own.browser),
    ...(restricted && { 'other project': headersOf(rig, restricted.browser) }),
    ...(narrow && { narrowed: headersOf(rig, narrow.browser) }),
    none: { origin: rig.base, 'headframe-page': '1' },
    'no page header': { cookie: own.browser.cookie, origin: rig.base },
    expired: headersOf(rig, ended.browser),
    revoked: headersOf(rig, revoked.browser),
    disabled: headersOf(rig, disabled.browser),
  };
}

/** Returns the refusal that the permission table demands; null for a call that the handler answers. */
function expected(line: AccessLine, name: OperationName, row: Operation): Refusal | null {
  const { credential, role, state } = line;
  // A tablet has its own cookie: on its operations the cookie of a session does not count.
  if (credential === 'session' && row.roles.includes('tablet')) return [401, 'authentication_required'];
  const invalid = INVALID[state];
  if (invalid !== undefined) return invalid;
  const scopes = credential === 'key' && state === 'narrowed' ? NARROW : null;
  if (!permits({ role: role as UserRole, scopes }, name)) return [403, 'permission_denied'];
  if (state === 'other project' && row.scope === 'project') return [404, 'project_not_found'];
  return null;
}

function note(
  line: AccessLine,
  what: string,
  wanted: Refusal | null,
  { status, code }: { status: number; code: string | null },
) {
  line.tried++;
  const fits = wanted === null ? !DOORKEEPER.has(code ?? '') : status === wanted[0] && code === wanted[1];
  if (!fits)
    line.differences.push(
      `${line.credential} ${line.role} ${line.state} ${what}: ${status} ${code}, expected ${wanted?.join(' ') ?? 'an answer'}`,
    );
  if (wanted === null) line.admitted++;
  else line.refused.set(status, (line.refused.get(status) ?? 0) + 1);
}

/** These are for programs on the gateway alone, or end the session with which the sweep asks. */
const LEFT_OUT: readonly string[] = ['claim_code', 'local_code', 'session_end'];

/** Asks every operation with every credential, and every limited field and value with them. */
export async function sweepAccess(rig: Rig): Promise<AccessLine[]> {
  const lines: AccessLine[] = [];
  const begin = (credential: AccessLine['credential'], role: string, state: string): AccessLine => {
    const line = { credential, role, state, tried: 0, admitted: 0, refused: new Map(), differences: [] };
    lines.push(line);
    return line;
  };
  const rows = ROWS.filter(isGuarded).filter(([name]) => !LEFT_OUT.includes(name));
  const sweep = async (kind: 'key' | 'session', role: string, credentials: Record<string, Credential>) => {
    for (const [state, credential] of Object.entries(credentials)) {
      const line = begin(kind, role, state);
      for (const [i, [name, row]] of rows.entries()) {
        if (i % 15 === 0) rig.pass(60_000);
        note(line, name, expected(line, name, row), await ask(rig, row, credential, DEVICES.own));
      }
      const fields = begin('fields', role, kind === 'session' ? `session, ${state}` : state);
      await sweepFields(rig, fields, credential, (name, row) => expected(line, name, row));
    }
  };
  for (const role of KEY_ROLES) await sweep('key', role, await keysOf(rig, role));
  for (const role of PEOPLE) await sweep('session', role, await sessionsOf(rig, role));
  return lines;
}

/** Sends each field of the operations with limits: each allowed value, and values that are not allowed. */
async function sweepFields(
  rig: Rig,
  line: AccessLine,
  credential: Credential,
  refusal: (name: OperationName, row: Operation) => Refusal | null,
): Promise<void> {
  for (const [name, row] of ROWS.filter(([, { fields }]) => fields !== undefined)) {
    const limits = row.fields?.[line.role as UserRole];
    for (const field of Object.keys(row.input.shape).filter((one) => !row.path.includes(`{${one}}`))) {
      const limit = limits === undefined ? 'any' : (limits[field] ?? []);
      for (const value of limit === 'any' ? ['x'] : [...limit, 'another value', null, ['x']]) {
        const input = { [field]: value };
        const limited = refusedField(line.role as UserRole, name, input) !== undefined;
        const own = refusal(name, row);
        const wanted = own ?? (limited ? ([403, 'permission_denied'] as const) : null);
        const got = await send(rig, row, credential, input);
        note(line, `${name} ${field}=${JSON.stringify(value)}`, wanted, got);
        if (own === null && limited && got.param !== field)
          line.differences.push(`${line.role} ${name} ${field}: names ${got.param}`);
      }
    }
  }
  rig.pass(60_000);
}
