/** Handles CONNECT: authenticates the device, ends the earlier connection with the same client id, and accepts the client. */
import type { Aedes, AuthenticateError, Client, ConnectPacket } from 'aedes';
import type { DeviceIdentity } from '#contract/fleet/ingest.ts';
import { type BrokerParts, connectionOf } from './broker-parts.ts';
import { upTopicsOf } from './device-topics.ts';
import type { Will } from './routing.ts';

/** The longest keep alive, in seconds. It also applies to a client that requests no keep alive. */
const MAX_KEEPALIVE = 1200;
const SERVER_UNAVAILABLE = 3;
const MQTT_311 = 4;

/** Returns after how many seconds without a received byte the broker ends a connection. [MQTT-3.1.2-24] */
function keepaliveTimeout(requested: number): number {
  return Math.ceil((requested > 0 ? Math.min(requested, MAX_KEEPALIVE) : MAX_KEEPALIVE) * 1.5) + 1;
}

export function createConnectHandler(parts: BrokerParts) {
  const { options, limits, sessions, devices, presence, wills, admission, refusals, warn } = parts;
  /** The key lookups that are still running. `revoked` becomes true if somebody revokes the key before its lookup ends. */
  const lookups = new Set<{ readonly device_id: string; revoked: boolean }>();
  let unnamed = 0;

  /**
   * Step 1, called when CONNECT has come: adds the user name to the client id. Removes the last will and the keep alive from the packet,
   * because the broker handles both without aedes (the MQTT library).
   */
  const preConnect: Aedes['preConnect'] = (client, packet: ConnectPacket, done) => {
    const connection = connectionOf(client);
    const username = packet.username ?? '';
    // The user name becomes part of the client id, so that a device cannot open the session of another device.
    packet.clientId = `${username}/${packet.clientId || `#${++unnamed}`}`;
    if (packet.will !== undefined) wills.offer(connection, packet.will as Will);
    delete packet.will;
    connection.keepaliveTimeout = keepaliveTimeout(packet.keepalive ?? 0);
    packet.keepalive = 0;
    done(null, !parts.stopping);
  };

  /** Step 2: checks the key, and waits until no other connection uses the client id. Then aedes sends CONNACK. */
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

  /** Looks up the device of a key. Resolves with undefined if the key is wrong or was revoked during the lookup. */
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

  /** Resolves with true if the key is correct, as soon as no other connection uses the client id; with false if the client is refused. */
  async function admit(client: Client, username: string, password: Uint8Array): Promise<boolean> {
    const connection = connectionOf(client);
    const identity = await identify(username, password);
    if (identity === undefined) {
      refusals.login(username, connection.address);
      return false;
    }
    if (connection.destroyed) return false;
    const topics = upTopicsOf(identity.device_id);
    // This `share` object, which counts the bytes that the device sent, is temporary. `register` replaces it by the one object of all
    // connections of the device.
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
    // Set the first packet id. Otherwise aedes starts with a random packet id, which an unacknowledged message may already have.
    // [MQTT-2.3.1-4]
    Object.assign(client, { _nextId: nextId });
    presence.register(connection);
  }

  /** Step 3, called when aedes has sent CONNACK: reports the device as connected, and closes its oldest connection if it has too many. */
  function accepted(client: Client): void {
    const connection = connectionOf(client);
    // The client may have closed the connection during authentication.
    if (connection.device === undefined || connection.destroyed || client.closed) return;
    const { identity } = connection.device;
    const clients = devices.add(identity.device_id, client);
    options.connected(identity, connection.address);
    if (parts.exposed.has(connection)) options.exposed?.(identity, connection.address);
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
    /** Makes the running key lookups of a device fail. Call it when the key of the device was revoked. */
    revokeLookups(device_id: string): void {
      for (const lookup of lookups) if (lookup.device_id === device_id) lookup.revoked = true;
    },
  };
}
