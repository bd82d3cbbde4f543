/** CONNECT: authenticates the device, ends the earlier connection with its client id, and accepts the client. */
import type { Aedes, AuthenticateError, Client, ConnectPacket } from 'aedes';
import type { DeviceIdentity } from '#contract/fleet/ingest.ts';
import { type BrokerParts, connectionOf } from './broker-parts.ts';
import { upTopicsOf } from './device-topics.ts';
import type { Will } from './routing.ts';

/** The longest keep alive, in seconds. It also applies to clients that ask for none. */
const MAX_KEEPALIVE = 1200;
const SERVER_UNAVAILABLE = 3;
const MQTT_311 = 4;

/** Seconds of silence after which a connection ends. [MQTT-3.1.2-24] */
function keepaliveTimeout(requested: number): number {
  return Math.ceil((requested > 0 ? Math.min(requested, MAX_KEEPALIVE) : MAX_KEEPALIVE) * 1.5) + 1;
}

export function createConnectHandler(parts: BrokerParts) {
  const { options, limits, sessions, devices, presence, wills, admission, refusals, warn } = parts;
  /** Key lookups that are running; the key may be revoked before a lookup ends. */
  const lookups = new Set<{ readonly device_id: string; revoked: boolean }>();
  let unnamed = 0;

  /**
   * Step 1, when CONNECT has come: adds the device to the client id. Removes the last will and the keep alive from the packet, because this
   * module, not aedes, handles both.
   */
  const preConnect: Aedes['preConnect'] = (client, packet: ConnectPacket, done) => {
    const connection = connectionOf(client);
    const username = packet.username ?? '';
    // The authenticated name is part of the client id, so that a key can only open sessions of its own device.
    packet.clientId = `${username}/${packet.clientId || `#${++unnamed}`}`;
    if (packet.will !== undefined) wills.offer(connection, packet.will as Will);
    delete packet.will;
    connection.keepaliveTimeout = keepaliveTimeout(packet.keepalive ?? 0);
    packet.keepalive = 0;
    done(null, !parts.stopping);
  };

  /** Step 2: checks the key, waits until no other connection uses the client id, and lets aedes send CONNACK. */
  const authenticate: Aedes['authenticate'] = (client, username, password, done) => {
    admit(client, username ?? '', password ?? new Uint8Array()).then(
      (admitted) => {
        // Do not register a client that aedes has already closed: aedes would never unregister it.
        if (!admitted || connectionOf(client).destroyed || client.closed) return done(null, false);
        register(client);
        done(null, true);
      },
      (error: Error) => {
        warn('devices cannot be authenticated', { error: error.message });
        const refusal = Object.assign(new Error('try again later'), { returnCode: SERVER_UNAVAILABLE });
        done(refusal as AuthenticateError, null);
      },
    );
  };

  /** Returns undefined when the key is wrong, or was revoked during the lookup. */
  async function identify(username: string, password: Uint8Array): Promise<DeviceIdentity | undefined> {
    const lookup = { device_id: username, revoked: false };
    lookups.add(lookup);
    try {
      const identity = await options.authenticate(username, password);
      return lookup.revoked ? undefined : identity;
    } finally {
      lookups.delete(lookup);
    }
  }

  /** Resolves with true when the key is correct and no other connection holds the client id any more. */
  async function admit(client: Client, username: string, password: Uint8Array): Promise<boolean> {
    const connection = connectionOf(client);
    const identity = await identify(username, password);
    if (identity === undefined) {
      refusals.login(username, connection.address);
      return false;
    }
    if (connection.destroyed) return false;
    const topics = upTopicsOf(identity.device_id);
    // This share counts until the client is registered; then the connection uses the share of its device.
    connection.device = { identity, topics, share: { sent: 0, pauseUntil: 0 } };
    admission.authenticated(connection.address);
    if (!(await presence.claim(client, connection))) return false;
    await wills.store(client, connection, identity);
    return true;
  }

  function register(client: Client): void {
    const connection = connectionOf(client);
    const { present, nextId } = client.clean ? { present: false, nextId: 1 } : sessions.attach(client);
    if (connection.device !== undefined)
      connection.device.share = devices.shareOf(connection.device.identity.device_id);
    connection.sessionPresent = present && client.version === MQTT_311;
    // aedes would begin with a random packet id, which may be in use. [MQTT-2.3.1-4]
    Object.assign(client, { _nextId: nextId });
    presence.register(connection);
  }

  /** Step 3, when CONNACK is sent: the device is connected. */
  function accepted(client: Client): void {
    const connection = connectionOf(client);
    // The connection may have ended during authentication.
    if (connection.device === undefined || connection.destroyed || client.closed) return;
    const { identity } = connection.device;
    const clients = devices.add(identity.device_id, client);
    options.connected(identity, connection.address);
    if (clients.size > limits.connections) {
      const [oldest] = clients;
      refusals.connectionLimit(identity, limits.connections);
      if (oldest !== undefined) connectionOf(oldest).abort();
    }
    connection.accept();
  }

  return {
    preConnect,
    authenticate,
    accepted,
    /** Lets the running key lookups of a device fail. */
    revokeLookups(device_id: string): void {
      for (const lookup of lookups) if (lookup.device_id === device_id) lookup.revoked = true;
    },
  };
}
