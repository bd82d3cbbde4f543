/** The listeners of the gateway: which ports they have, whether they accept connections without TLS, and who uses those. */
import { z } from 'zod';
import { Timestamp } from '#contract/base/common.ts';
import { ADMINS, operation, V1 } from '#contract/base/operation.ts';

export const LISTENERS = ['http', 'mqtt', 'bucket'] as const;
export type ListenerName = (typeof LISTENERS)[number];

/** The gateway remembers a client for this many days after its last connection without TLS. */
export const PLAIN_DAYS = 7;

const PLAIN_KINDS = ['device', 'key', 'user', 'tablet', 'screen'] as const;

const PlainUser = z.object({
  kind: z.enum(PLAIN_KINDS),
  id: z.string().meta({ description: 'Record id of the device, key, user or tablet; the address of a screen.' }),
  name: z.string(),
  project_id: z.string().nullable().meta({ description: 'Project of the device; otherwise null.' }),
});
export type PlainUser = z.infer<typeof PlainUser>;

export const PlainUse = PlainUser.extend({
  address: z.string(),
  last_used_at: Timestamp,
  is_connected: z.boolean().meta({ description: 'True if an MQTT connection without TLS is open now.' }),
}).meta({ id: 'PlainUse', description: 'A client on another computer that used a listener without TLS.' });
export type PlainUse = z.infer<typeof PlainUse>;

const Listener = z
  .object({
    object: z.literal('listener'),
    name: z.enum(LISTENERS).meta({ description: '`http` is for screens, REST and MCP.' }),
    host: z.string().meta({ description: 'Address of the gateway in the network.' }),
    port: z.number().int().meta({ description: 'Port without TLS.' }),
    tls_port: z.number().int().nullable().meta({ description: 'Port with TLS; null if there is none.' }),
    encrypted_only: z.boolean().meta({ description: 'True if other computers can use only the port with TLS.' }),
    changed_at: Timestamp.nullable().meta({ description: 'Time of the last change of `encrypted_only`.' }),
    plain_users: z.array(PlainUse).meta({
      description: `Who used the port without TLS in the last ${PLAIN_DAYS} days, newest first, at most 100.`,
    }),
    plain_users_total: z.number().int().meta({ description: 'Number of all these clients.' }),
  })
  .meta({ id: 'Listener', description: 'A server of the gateway on its network ports.' });
export type Listener = z.infer<typeof Listener>;

/** A stored listener. Absent: it accepts connections without TLS. */
export interface ListenerData {
  encrypted_only: boolean;
}

/** Returns the id of the document of a listener. */
export const listenerId = (name: ListenerName): string => `listener_${name}`;

/** Where clients on other computers find a listener. */
export interface ListenerAddress {
  readonly host: string;
  /** Port without TLS. */
  readonly port: number;
  /** Port with TLS; 0 if there is none. */
  readonly tlsPort: number;
  /** True if other computers can use only the port with TLS. */
  readonly encryptedOnly: boolean;
}

export interface ListenerReader {
  /** Returns undefined if this gateway does not run the listener. */
  state(name: ListenerName): Pick<Listener, 'host' | 'port' | 'tls_port' | 'plain_users'> | undefined;
  /** Returns false if the TLS certificate has expired or is not valid yet. */
  certificateIsValid(): boolean;
}

const source = { extension: 'an admin can allow connections with TLS only' };

/** Operations on listeners. */
export const listenerOperations = {
  listeners_list: operation({
    method: 'GET',
    path: `${V1}/listeners`,
    summary: 'List the listeners: ports, whether they are encrypted only, and who uses them without TLS',
    scope: 'node',
    roles: ADMINS,
    input: z.object({}),
    output: z.object({ object: z.literal('listeners'), data: z.array(Listener) }).meta({ id: 'Listeners' }),
    errors: ['permission_denied'],
    source,
  }),
  listeners_update: operation({
    method: 'PATCH',
    path: `${V1}/listeners/{name}`,
    summary: 'Allow connections of other computers to a listener with TLS only, or also without',
    description:
      'With `encrypted_only`, open connections without TLS end at once, also those of `plain_users`. Connections from the computer of the gateway itself stay allowed.',
    scope: 'node',
    roles: ADMINS,
    input: z.object({ name: z.enum(LISTENERS), encrypted_only: z.boolean() }),
    example: { encrypted_only: true },
    output: Listener,
    errors: ['permission_denied', 'not_found', 'lockout_refused'],
    source,
  }),
} as const;
