/** The roles of keys. Each key has one role, which decides the operations that it may call. A shared tablet has the role `tablet`, a gateway at head office the role `gateway`. */

export const ROLES = [
  'owner',
  'admin',
  'supervisor',
  'mechanic',
  'operator',
  'viewer',
  'agent',
  'device',
  'display',
  'tablet',
  'gateway',
] as const;
export type Role = (typeof ROLES)[number];

/**
 * Kind of credential. user: the session of a person who signed in. tablet: a shared tablet on which nobody is signed in. gateway: a gateway
 * that is enrolled at this head office. control: the command line on the computer of the gateway. open: no credential (for the claim of a
 * new gateway and the pairing of a screen). service: the gateway itself, for work that nobody called.
 */
export type CallerKind =
  | 'workspace'
  | 'personal'
  | 'user'
  | 'tablet'
  | 'device'
  | 'display'
  | 'gateway'
  | 'control'
  | 'open'
  | 'service';
