/** Users: people with an account on this gateway, and the invitations with which they choose a passphrase. */
import { z } from 'zod';
import { Id, idPath, listOf, listQuery, Timestamp } from '#contract/base/common.ts';
import { ADMINS, operation, READERS, V1 } from '#contract/base/operation.ts';

export const USER_ROLES = ['owner', 'admin', 'supervisor', 'mechanic', 'operator', 'viewer'] as const;

/**
 * Roles that a person can have who signs in with a PIN. Owners and admins sign in with a passphrase, because a PIN of 6 digits is too short
 * for their rights.
 */
export const PIN_ROLES = [
  'supervisor',
  'mechanic',
  'operator',
  'viewer',
] as const satisfies (typeof USER_ROLES)[number][];

const Person = z
  .object({ project_id: Id, object: z.enum(['operator', 'mechanic']), id: Id })
  .meta({ id: 'UserPerson', description: 'The operator or mechanic who this user is.' });

export const User = z
  .object({
    object: z.literal('user'),
    id: z.string(),
    revision: z.number().int(),
    name: z.string().meta({ description: 'The name with which the person signs in; unique.' }),
    role: z.enum(USER_ROLES),
    project_ids: z.array(z.string()).nullable().meta({ description: 'Null: all projects of this gateway.' }),
    person: Person.nullable(),
    has_passphrase: z.boolean().meta({ description: 'False until the person has accepted an invitation.' }),
    pin: z.enum(['none', 'one_time', 'set']).meta({
      description:
        'Whether the person has a PIN for shared tablets. `one_time`: the person chooses the own PIN at the next sign-in.',
    }),
    ends_at: Timestamp.nullable().meta({ description: 'End of the access, for example of a contractor.' }),
    disabled_at: Timestamp.nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'User', description: 'A person with an account.' });
export type User = z.infer<typeof User>;

/** A stored user. `passphrase` is an Argon2id hash in PHC form; null until the person has chosen a passphrase. */
export type UserData = Pick<User, 'name' | 'role' | 'project_ids' | 'person' | 'ends_at' | 'disabled_at'> & {
  passphrase: string | null;
  /** The PIN for shared tablets. Absent or null: none. */
  pin?: StoredPin | null;
  /** Passes of late writes count only if they have this number; absent: 0. Whatever ends the passes of the user raises it. */
  pass_generation?: number;
};

/** A stored PIN. */
export interface StoredPin {
  /** Argon2id hash in PHC form, computed with the PIN key of the gateway. */
  hash: string;
  /** Id of the PIN key. */
  key: string;
  /** A PIN that an admin made: it is valid once, until this time. Null: the person chose the PIN. */
  one_time_until: string | null;
}

/** A stored invitation. Its id is made from the hash of its token. */
export interface InvitationData {
  user: string;
  expires_at: string;
}

const fields = {
  name: z.string().trim().min(1).max(120),
  role: z.enum(USER_ROLES),
  project_ids: z.array(Id).min(1).max(100).nullable().meta({ description: 'Null: all projects.' }),
  person: Person.nullable(),
  ends_at: Timestamp.nullable().meta({ description: 'After this time the user cannot sign in. Null: no end.' }),
};

/** A new passphrase. */
export const NewPassphrase = z
  .string()
  .min(10)
  .max(128)
  .meta({ description: '10 to 128 characters. It must not be the name and must not be a common passphrase.' });

/** A PIN that a person types. */
export const Pin = z
  .string()
  .regex(/^[0-9]{6}$/)
  .meta({ description: '6 digits.' });

/** A new PIN. */
export const NewPin = Pin.meta({
  description: '6 digits that are not easy to guess: no repeated digit or group, no sequence, no common PIN.',
});

const pinSource = { extension: 'people sign in on a shared tablet with a PIN' };
const source = { extension: 'people sign in with a name and a passphrase, not with a key' };

/** Operations on users. */
export const userOperations = {
  users_create: operation({
    method: 'POST',
    path: `${V1}/users`,
    summary: 'Create a user; the person signs in after accepting an invitation',
    scope: 'node',
    roles: ADMINS,
    input: z.object({
      ...fields,
      project_ids: fields.project_ids.optional(),
      person: fields.person.optional(),
      ends_at: fields.ends_at.optional(),
    }),
    output: User,
    status: 201,
    revision: 'etag',
    errors: ['already_exists', 'permission_denied', 'project_not_found', 'not_found', 'limit_reached'],
    source,
  }),
  users_list: operation({
    method: 'GET',
    path: `${V1}/users`,
    summary: 'List users',
    scope: 'node',
    roles: ADMINS,
    input: z.object(listQuery),
    output: listOf(User),
    source,
  }),
  users_get: operation({
    method: 'GET',
    path: `${V1}/users/{id}`,
    summary: 'Get a user',
    scope: 'node',
    roles: ADMINS,
    input: z.object(idPath),
    output: User,
    revision: 'etag',
    errors: ['not_found'],
    source,
  }),
  users_update: operation({
    method: 'PATCH',
    path: `${V1}/users/{id}`,
    summary: 'Change name, role, access or end of a user, or disable the user',
    scope: 'node',
    roles: ADMINS,
    input: z.object({
      ...idPath,
      name: fields.name.optional(),
      role: fields.role.optional(),
      project_ids: fields.project_ids.optional(),
      person: fields.person.optional(),
      ends_at: fields.ends_at.optional(),
      disabled: z.boolean().optional().meta({ description: 'True ends all sessions of the user at once.' }),
    }),
    output: User,
    revision: 'if-match',
    errors: ['not_found', 'already_exists', 'permission_denied', 'project_not_found', 'revision_mismatch'],
    source,
  }),
  users_invite: operation({
    method: 'POST',
    path: `${V1}/users/{id}/invitations`,
    summary: 'Make a link, valid once, with which the user chooses a new passphrase',
    httpOnly: 'secret',
    scope: 'node',
    roles: ADMINS,
    input: z.object({
      ...idPath,
      expires_in_hours: z.number().int().min(1).max(168).default(48).meta({ unit: 'h' }),
    }),
    output: z
      .object({
        object: z.literal('user_invitation'),
        user: User,
        url: z
          .string()
          .meta({ description: 'The link for the person. Earlier links of the user are no longer valid.' }),
        qr: z.string().nullable().meta({ description: 'The link as a QR code (SVG).' }),
        expires_at: Timestamp,
      })
      .meta({ id: 'UserInvitation' }),
    status: 201,
    errors: ['not_found', 'permission_denied'],
    source,
  }),
  users_passphrase: operation({
    method: 'POST',
    path: `${V1}/users/{id}/passphrase`,
    summary: 'Change your own passphrase; all your other sessions end',
    httpOnly: 'secret',
    scope: 'node',
    roles: READERS,
    input: z.object({ ...idPath, current: z.string().max(128), passphrase: NewPassphrase }),
    output: User,
    errors: ['sign_in_failed', 'permission_denied', 'parameter_invalid', 'rate_limited'],
    source,
  }),
  users_pin: operation({
    method: 'POST',
    path: `${V1}/users/{id}/pin`,
    summary: 'Set your own PIN for shared tablets; your sessions on other shared tablets end',
    httpOnly: 'secret',
    scope: 'node',
    roles: READERS,
    input: z.object({
      ...idPath,
      current: z.string().max(128).meta({
        description: 'Your passphrase. In a session that began with a PIN: the current PIN.',
      }),
      pin: NewPin,
    }),
    output: User,
    errors: ['sign_in_failed', 'permission_denied', 'parameter_invalid', 'pin_locked', 'pin_not_set', 'rate_limited'],
    source: pinSource,
  }),
  users_pin_reset: operation({
    method: 'POST',
    path: `${V1}/users/{id}/pin-resets`,
    summary:
      'Replace the PIN of a user by a PIN that is valid once; at the next sign-in the person chooses the own PIN',
    httpOnly: 'secret',
    scope: 'node',
    roles: ADMINS,
    input: z.object(idPath),
    output: z
      .object({
        object: z.literal('one_time_pin'),
        user: User,
        pin: z.string().meta({ description: 'The PIN. It is shown only once.' }),
        expires_at: Timestamp,
      })
      .meta({ id: 'OneTimePin' }),
    status: 201,
    errors: ['not_found', 'permission_denied', 'rate_limited'],
    source: pinSource,
  }),
} as const;
