/** Sessions: a person signs in on a browser, and the browser holds the session in a cookie that scripts cannot read. */
import { z } from 'zod';
import { Id, idPath, listOf, listQuery, Timestamp } from '#contract/base/common.ts';
import { operation, READERS, V1 } from '#contract/base/operation.ts';
import { ROLES } from '#contract/base/roles.ts';
import { NewPassphrase, NewPin, User } from './user.ts';

const UserSession = z
  .object({
    object: z.literal('user_session'),
    id: z.string(),
    user_id: z.string(),
    current: z.boolean().meta({ description: 'True for the session of this request.' }),
    address: z.string().meta({ description: 'Network address at sign-in.' }),
    remembered: z.boolean().meta({ description: 'The person chose to stay signed in on this browser.' }),
    tablet_id: z
      .string()
      .nullable()
      .meta({ description: 'The shared tablet on which the person signed in with a PIN.' }),
    last_used_at: Timestamp.meta({ description: 'Accurate to 10 minutes.' }),
    ends_at: Timestamp.meta({ description: 'The session ends at this time, or earlier if it is not used.' }),
    created_at: Timestamp,
  })
  .meta({ id: 'UserSession', description: 'A browser in which a user is signed in.' });
export type UserSession = z.infer<typeof UserSession>;

const Me = z
  .object({
    object: z.literal('session'),
    kind: z.string().meta({ description: '`user`, or the kind of the key.' }),
    name: z.string(),
    role: z.enum(ROLES).nullable(),
    project_ids: z.array(z.string()).nullable().meta({ description: 'Null: all projects.' }),
    scopes: z.array(z.string()).nullable().meta({ description: 'Null: everything that the role permits.' }),
    user: User.nullable().meta({ description: 'Null for a key.' }),
    tablet: z
      .object({ id: z.string(), name: z.string(), idle_s: z.number().int().meta({ unit: 's' }) })
      .nullable()
      .meta({
        description:
          'The shared tablet on which the person signed in with a PIN. The page ends the session if nobody touches it for `idle_s`.',
      }),
    ends_at: Timestamp.nullable(),
  })
  .meta({ id: 'Session', description: 'Who sends this request, and with which role.' });

/** The answer that begins a session. REST sends `token` as a cookie, and null in the body. */
export const Began = z
  .object({
    ...Me.shape,
    token: z.string().nullable().meta({ description: 'Always null: the token is in the cookie.' }),
    remembered: z.boolean(),
  })
  .meta({ id: 'SessionBegun' });

const name = z.string().trim().min(1).max(120);
const remember = z.boolean().default(false).meta({
  description:
    'True: stay signed in on this browser for up to 30 days, and 7 days without use. False: 16 hours and 2 hours.',
});
const source = { extension: 'people sign in with a name and a passphrase, not with a key' };
const begins = { httpOnly: 'secret', scope: 'none', status: 201, cookie: 'begins', output: Began, source } as const;

/** Operations on sessions. */
export const sessionOperations = {
  session_create: operation({
    ...begins,
    method: 'POST',
    path: `${V1}/session`,
    summary: 'Sign in with name and passphrase; the answer sets the cookie of the session',
    roles: [...READERS],
    perAddress: 120,
    input: z.object({ name, passphrase: z.string().min(1).max(128), remember }),
    errors: ['sign_in_failed', 'rate_limited'],
  }),
  session_get: operation({
    method: 'GET',
    path: `${V1}/session`,
    summary: 'Get the name and the role of the caller',
    scope: 'node',
    roles: READERS,
    input: z.object({}),
    output: Me,
    source,
  }),
  session_end: operation({
    method: 'DELETE',
    path: `${V1}/session`,
    summary: 'Sign out: end the session of this request',
    httpOnly: 'secret',
    scope: 'node',
    roles: READERS,
    cookie: 'ends',
    input: z.object({}),
    output: z.object({ object: z.literal('session'), ended: z.literal(true) }),
    source,
  }),
  sessions_list: operation({
    method: 'GET',
    path: `${V1}/sessions`,
    summary: 'List the browsers in which a user is signed in',
    scope: 'node',
    roles: READERS,
    input: z.object({
      ...listQuery,
      user_id: Id.optional().meta({ description: 'Sessions of another user; owners and admins only.' }),
    }),
    output: listOf(UserSession),
    errors: ['permission_denied'],
    source,
  }),
  sessions_revoke: operation({
    method: 'DELETE',
    path: `${V1}/sessions/{id}`,
    summary: 'End a session of your own, or as an admin of another user',
    scope: 'node',
    roles: READERS,
    input: z.object(idPath),
    output: z.object({ object: z.literal('user_session'), id: z.string(), deleted: z.literal(true) }),
    errors: ['not_found'],
    source,
  }),
  account_claim: operation({
    ...begins,
    example: { code: 'ABCD-1234', name: 'Maria Lindgren', passphrase: 'seven quiet haul roads' },
    method: 'POST',
    path: `${V1}/account-claims`,
    summary: "Become an owner with the gateway's claim code, or choose a new passphrase for an owner",
    roles: ['owner'],
    perAddress: 10,
    input: z.object({
      code: z.string().min(4).max(32).meta({ description: 'The code that `headframe claim-code` prints.' }),
      name,
      passphrase: NewPassphrase,
      remember,
    }),
    errors: ['claim_code_invalid', 'already_exists', 'parameter_invalid', 'rate_limited'],
  }),
  local_code: operation({
    method: 'POST',
    path: `${V1}/local-codes`,
    summary: 'Make a code for local sign-in; only for the desktop app on the computer of the gateway',
    httpOnly: 'secret',
    scope: 'node',
    roles: ['owner'],
    input: z.object({ user_id: Id.meta({ description: 'The user who signs in.' }) }),
    output: z.object({
      object: z.literal('local_code'),
      user_id: z.string(),
      code: z.string(),
      expires_at: Timestamp.meta({ description: '30 seconds after the call.' }),
    }),
    errors: ['permission_denied', 'not_found'],
    source: { extension: 'the desktop app opens the office page with its user signed in' },
  }),
  local_sign_in: operation({
    ...begins,
    method: 'POST',
    path: `${V1}/local-sign-ins`,
    summary: 'Sign in on the computer of the gateway with a code of the desktop app',
    roles: [...READERS],
    perAddress: 30,
    input: z.object({ code: z.string().min(20).max(80) }),
    errors: ['sign_in_failed', 'rate_limited'],
  }),
  invitation_accept: operation({
    ...begins,
    method: 'POST',
    path: `${V1}/invitation-acceptances`,
    summary: 'Choose a passphrase with an invitation, and sign in',
    roles: [...READERS],
    perAddress: 30,
    input: z.object({
      token: z.string().min(20).max(80),
      passphrase: NewPassphrase,
      pin: NewPin.optional().meta({ description: 'A PIN for shared tablets.' }),
      remember,
    }),
    errors: ['invitation_invalid', 'parameter_invalid', 'permission_denied', 'rate_limited'],
  }),
  invitation_get: operation({
    method: 'POST',
    path: `${V1}/invitation-reads`,
    summary: 'Read for whom an invitation is',
    httpOnly: 'secret',
    scope: 'none',
    roles: [...READERS],
    hints: { readOnly: true, destructive: false, idempotent: true },
    perAddress: 30,
    input: z.object({ token: z.string().min(20).max(80) }),
    output: z.object({
      object: z.literal('invitation'),
      name: z.string(),
      role: User.shape.role,
      expires_at: Timestamp,
    }),
    errors: ['invitation_invalid', 'rate_limited'],
    source,
  }),
} as const;
