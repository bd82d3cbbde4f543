/**
 * Shared tablets: an admin enrols a tablet once with a link or QR code. The tablet then shows the names of the people who may use it, and
 * each person signs in with a PIN.
 */
import { z } from 'zod';
import { Id, idPath, listOf, listQuery, Timestamp } from '#contract/base/common.ts';
import { ADMINS, operation, V1 } from '#contract/base/operation.ts';
import { Began } from './session.ts';
import { NewPin, PIN_ROLES, Pin, type UserData } from './user.ts';

/** Largest number of people that a tablet names one by one, and that its screen lists. */
export const MOST_PEOPLE = 200;

const TabletRole = z.enum(PIN_ROLES);

const Tablet = z
  .object({
    object: z.literal('tablet'),
    id: z.string(),
    revision: z.number().int(),
    name: z.string(),
    roles: z.array(TabletRole).meta({ description: 'Every user of the project with one of these roles may use it.' }),
    user_ids: z.array(z.string()).meta({ description: 'These users may use it, too.' }),
    state: z.enum(['waiting', 'enrolled', 'revoked']).meta({
      description: '`waiting`: nobody has opened the link of the enrolment yet.',
    }),
    enrolled_at: Timestamp.nullable(),
    last_used_at: Timestamp.nullable().meta({ description: 'Accurate to 10 minutes.' }),
    revoked_at: Timestamp.nullable(),
    created_at: Timestamp,
  })
  .meta({ id: 'Tablet', description: 'A tablet that several people share.' });
export type Tablet = z.infer<typeof Tablet>;

/** A stored tablet. `key` is the id of its credential, `link` the id of the link with which it can be enrolled. */
export interface TabletData extends Pick<Tablet, 'name' | 'roles' | 'user_ids' | 'enrolled_at' | 'revoked_at'> {
  project_id: string;
  key: string | null;
  link: string | null;
}

/** A stored link of an enrolment. Its id is made from the hash of its token. */
export interface TabletLinkData {
  tablet: string;
  expires_at: string;
}

/** Returns true if the user may use the tablet. Whether the access of the user has ended is checked elsewhere. */
export function mayUseTablet(
  { roles, user_ids, project_id, revoked_at }: TabletData,
  user: { readonly id: string } & Pick<UserData, 'role' | 'project_ids'>,
): boolean {
  const role = PIN_ROLES.find((one) => one === user.role);
  if (role === undefined || revoked_at !== null) return false;
  if (user.project_ids !== null && !user.project_ids.includes(project_id)) return false;
  return roles.includes(role) || user_ids.includes(user.id);
}

const TabletLink = z
  .object({
    object: z.literal('tablet_link'),
    tablet: Tablet,
    url: z.string().meta({ description: 'Open this link on the tablet. It is valid once.' }),
    qr: z.string().nullable().meta({ description: 'The link as a QR code (SVG).' }),
    expires_at: Timestamp,
  })
  .meta({ id: 'TabletLink' });

const fields = {
  name: z.string().trim().min(1).max(120).meta({ description: 'Such as the place of the tablet.' }),
  roles: z.array(TabletRole).max(PIN_ROLES.length),
  user_ids: z.array(Id).max(MOST_PEOPLE),
};

const source = { extension: 'people share tablets and sign in on them with a PIN' };

/** Operations on shared tablets. */
export const tabletOperations = {
  tablets_create: operation({
    method: 'POST',
    path: `${V1}/tablets`,
    summary: 'Create a shared tablet, and the link with which it is enrolled',
    httpOnly: 'secret',
    roles: ADMINS,
    input: z.object({ ...fields, roles: fields.roles.default([]), user_ids: fields.user_ids.default([]) }),
    example: { name: 'Workshop', roles: ['mechanic'] },
    output: TabletLink,
    status: 201,
    errors: ['parameter_invalid', 'not_found', 'limit_reached'],
    source,
  }),
  tablets_list: operation({
    method: 'GET',
    path: `${V1}/tablets`,
    summary: 'List shared tablets',
    roles: ADMINS,
    input: z.object(listQuery),
    output: listOf(Tablet),
    source,
  }),
  tablets_update: operation({
    method: 'PATCH',
    path: `${V1}/tablets/{id}`,
    summary: 'Change the name of a shared tablet, or who may use it',
    roles: ADMINS,
    input: z.object({
      ...idPath,
      name: fields.name.optional(),
      roles: fields.roles.optional(),
      user_ids: fields.user_ids.optional(),
    }),
    output: Tablet,
    revision: 'if-match',
    errors: ['not_found', 'parameter_invalid', 'revision_mismatch'],
    source,
  }),
  tablets_link: operation({
    method: 'POST',
    path: `${V1}/tablets/{id}/links`,
    summary: 'Make a new link for a shared tablet; it replaces an earlier link',
    httpOnly: 'secret',
    roles: ADMINS,
    input: z.object(idPath),
    output: TabletLink,
    status: 201,
    errors: ['not_found'],
    source,
  }),
  tablets_revoke: operation({
    method: 'DELETE',
    path: `${V1}/tablets/{id}`,
    summary: 'Revoke a shared tablet; the session of the person on it ends at once',
    roles: ADMINS,
    input: z.object(idPath),
    output: Tablet,
    errors: ['not_found'],
    source,
  }),
  tablet_enrol: operation({
    method: 'POST',
    path: `${V1}/tablet-enrolments`,
    summary: 'Enrol this browser as a shared tablet with the link that an admin made',
    httpOnly: 'secret',
    scope: 'none',
    roles: ['tablet'],
    perAddress: 30,
    status: 201,
    cookie: 'enrols',
    input: z.object({ token: z.string().min(20).max(80) }),
    output: z
      .object({
        object: z.literal('tablet_enrolment'),
        name: z.string(),
        token: z.string().nullable().meta({ description: 'Always null: the token is in the cookie.' }),
      })
      .meta({ id: 'TabletEnrolment' }),
    errors: ['invitation_invalid', 'rate_limited'],
    source,
  }),
  tablet_get: operation({
    method: 'GET',
    path: `${V1}/tablet`,
    summary: 'Get the names of the people who may use this tablet',
    httpOnly: 'tablet',
    scope: 'node',
    roles: ['tablet'],
    input: z.object({}),
    output: z
      .object({
        object: z.literal('tablet_screen'),
        name: z.string().meta({ description: 'Name of the tablet.' }),
        people: z.array(z.object({ id: z.string(), name: z.string() })),
        has_more: z.boolean().meta({ description: `True if more than ${MOST_PEOPLE} people may use the tablet.` }),
      })
      .meta({ id: 'TabletScreen' }),
    errors: ['tablet_revoked'],
    source,
  }),
  tablet_sign_in: operation({
    method: 'POST',
    path: `${V1}/tablet/session`,
    summary: 'Sign in on this tablet with a PIN; the answer sets the cookie of the session',
    httpOnly: 'tablet',
    scope: 'node',
    roles: ['tablet'],
    status: 201,
    cookie: 'begins',
    input: z.object({
      user_id: Id,
      pin: Pin,
      new_pin: NewPin.optional().meta({ description: 'The own PIN of the person, if `pin` is valid once.' }),
    }),
    output: Began,
    errors: [
      'tablet_revoked',
      'not_found',
      'permission_denied',
      'sign_in_failed',
      'pin_locked',
      'pin_not_set',
      'pin_change_required',
      'parameter_invalid',
      'rate_limited',
    ],
    source,
  }),
} as const;
