/** The MQTT 3.1.1 broker for devices. Rules: SPEC.md; payloads: docs/mqtt.md. */
import { createServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Aedes, type AuthenticateError, type Client, type PublishPacket } from 'aedes';
import { writeToStream } from 'mqtt-packet';
import {
  type DeviceIdentity,
  DOWN_TOPICS,
  type IngestMessage,
  NotTaken,
  type Refusal,
  UP_TOPICS,
  type UpTopic,
} from '#contract/fleet/ingest.ts';
import { SESSION_LIMITS, type SessionCounters, type SessionLimits } from '#servers/mqtt/sessions/session-limits.ts';
import { openSessions } from '#servers/mqtt/sessions/sessions.ts';
import { ADMISSION_LIMITS, type AdmissionLimits, createAdmission } from './admission.ts';
import { ConnectionFilter, UNANSWERED_BYTES } from './connection-filter.ts';
import { createDeferredAcks } from './deferred-acks.ts';
import { DeviceShares } from './device-shares.ts';
import { createPersistence } from './persistence.ts';
import { createPresence } from './presence.ts';
import type { Publish } from './publish.ts';
import { createPublishAcks } from './publish-acks.ts';
import { createRouting, type Will } from './routing.ts';
import { createWills } from './wills.ts';

// Else the first packet that is written makes a buffer of each number to 65,535, 10 MB of them.
writeToStream.cacheNumbers = false;

export type DownTopic = (typeof DOWN_TOPICS)[number];

/** Topics between clients, beside those of the gateway. */
export interface Access {
  readonly publish: (device: DeviceIdentity, topic: string) => boolean;
  readonly subscribe: (device: DeviceIdentity, filter: string) => boolean;
}

export interface BrokerOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** Undefined: no such device or not its key. Rejects when that cannot be told now. */
  readonly authenticate: (username: string, password: Uint8Array) => Promise<DeviceIdentity | undefined>;
  /** Resolves when the message is on disk; rejects when the sender must keep it, with `NotTaken` when it may be taken later. */
  readonly accept: (message: IngestMessage) => Promise<void>;
  /** Whether what was not taken would be now; absent: always. */
  readonly accepting?: () => boolean;
  readonly connected: (device: DeviceIdentity, address: string) => void;
  readonly disconnected: (device: DeviceIdentity) => void;
  /** The source is a device_id or an address; `of`: what of which device it was. */
  readonly refused: (source: string, reason: string, of?: Refusal) => void;
  /** A login with this user name was refused: there is no such device, or the key is wrong. */
  readonly loginRefused: (username: string, address: string, reason: string) => void;
  /** Where sessions and retained messages are kept; absent: in memory. */
  readonly folder?: string;
  readonly limits?: Partial<
    SessionLimits & AdmissionLimits & { readonly connections: number; readonly holdMs: number }
  >;
  /** Absent: none, a device reaches its own topics only. */
  readonly access?: Access;
  readonly clock: () => number;
  readonly log: (level: 'info' | 'warn' | 'error', message: string, data?: object) => void;
}

export interface BrokerCounters extends SessionCounters {
  readonly connections: number;
  readonly connections_total: number;
  readonly messages_total: number;
  readonly bytes_total: number;
  readonly refused_connections_total: number;
  readonly refused_messages_total: number;
  readonly malformed_total: number;
  readonly sent_total: number;
  /** Connections that ended because their peer did not read, and QoS 0 messages that such a one did not get. */
  readonly frozen_total: number;
  readonly shed_total: number;
  /** Messages that were not taken for want of room, and connections that wait to send theirs again. */
  readonly not_taken_total: number;
  readonly deferred_connections: number;
}

export interface Broker extends AsyncDisposable {
  readonly port: number;
  /** QoS 1 for config and commands, QoS 0 for time; rejects when too many wait for an absent device. */
  publish(device_id: string, topic: DownTopic, payload: string | Uint8Array, retain?: boolean): Promise<void>;
  counters(): BrokerCounters;
  /** Ends all connections of a device whose key was revoked, without their last wills. */
  drop(device_id: string): void;
  /** What a person should know beyond the counters. */
  problems(): { readonly code: string; readonly message: string }[];
  /** Sockets that may be open from now on, at most; those beyond are refused, open ones stay. */
  limitSockets(count: number): void;
}

/** Bytes unanswered over all connections, beyond which each connection may have only so few. */
const WAITING_BYTES = 32 << 20;
const FEW_BYTES = 16 * 1024;
/** Connections of one device; beyond it the oldest is closed. */
const MAX_PER_DEVICE = 10;
/** Silence that a client may ask for at most, in seconds; also for those that ask for none. */
const MAX_KEEPALIVE = 1200;
/** A message of QoS 2 that was answered may be sent again so often, less one, over the same connection. */
const MAX_REPEATS = 2;
const TIME_EVERY_MS = 60_000;
const LOG_EVERY_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Wills of clients that have not come back are spoken after four of these, when the process before this one was killed. */
const HEARTBEAT_MS = 30_000;
const NOTHING = Buffer.alloc(0);

const foreign = (topic: string) => `publish to the foreign topic ${topic.slice(0, 120)}`;
const prefixOf = (device_id: string) => `v1/devices/${device_id}/`;

/** Listens; rejects with Node's error (EADDRINUSE, EACCES) when it cannot. */
export async function startBroker(options: BrokerOptions): Promise<Broker> {
  const { accept, refused, clock } = options;
  const connections = new Set<ConnectionFilter>();
  /** Keys that are being looked up: one may be revoked meanwhile. */
  const askings = new Set<{ readonly device_id: string; revoked: boolean }>();
  const devices = new Map<string, Set<Client>>();
  const logged = new Map<string, number>();
  const deferredAcks = createDeferredAcks(() => performance.now(), options.limits?.holdMs);
  const answers = createPublishAcks((connection, { qos, topic }) => {
    count.notTaken++;
    // Nobody sends a message of QoS 0 again.
    if (qos > 0) deferredAcks.defer(connection, topic ?? undefined);
  });
  const answer = answers.add;
  const count = {
    total: 0,
    messages: 0,
    bytes: 0,
    refusedConnections: 0,
    refusedMessages: 0,
    malformed: 0,
    sent: 0,
    frozen: 0,
    shed: 0,
    notTaken: 0,
  };
  let unnamed = 0;
  let closing = false;
  /** Resolves when the broker stops and the last socket is closed. */
  const empty = Promise.withResolvers<void>();
  /** The group that the newest message is in. */
  let last: Promise<void> = Promise.resolve();

  const connectionOf = (client: Client): ConnectionFilter => client.conn as Duplex as ConnectionFilter;
  const clientOf = (connection: ConnectionFilter): Client => (connection as unknown as { client: Client }).client;

  /** At most one line a minute for each kind of trouble. */
  function warn(kind: string, data: object): void {
    const now = clock();
    const last = logged.get(kind);
    if (last !== undefined && Math.abs(now - last) < LOG_EVERY_MS) return;
    logged.set(kind, now);
    options.log('warn', kind, data);
  }

  const maxPerDevice = options.limits?.connections ?? MAX_PER_DEVICE;
  const limits = { ...SESSION_LIMITS, ...ADMISSION_LIMITS, ...options.limits };
  const admission = createAdmission(limits);
  const shares = new DeviceShares();
  const sessions = await openSessions({
    folder: options.folder,
    limits,
    permits: (client, filter) => {
      const { session } = connectionOf(client as Client);
      return session !== undefined && mayRead(session.identity, filter);
    },
    gaveWay: (id, reason) =>
      refused(id.slice(0, id.indexOf('/')), `session ${id.slice(id.indexOf('/') + 1)}: ${reason}`),
    hangUp: (client) => connectionOf(client as Client).destroy(),
    tell: (message, data) => options.log('warn', message, data),
  });

  const persistence = createPersistence(sessions, { connectionOf, routing: () => routing, presence: () => presence });
  const broker = await Aedes.createBroker({
    persistence,
    concurrency: 1000,
    connectTimeout: 5_000,
    drainTimeout: 15_000,
    maxInflightInbound: limits.received,
    maxTopicLevels: 12,
    queueLimit: 100,
    maxClientsIdLength: 1000,
    heartbeatInterval: HEARTBEAT_MS,

    preConnect(client, packet, done) {
      const connection = connectionOf(client);
      const user = packet.username ?? '';
      // A key opens the sessions of its own device only: the name that was authenticated is part of the session's.
      packet.clientId = `${user}/${packet.clientId || `#${++unnamed}`}`;
      if (packet.will !== undefined) wills.offer(connection, packet.will as Will);
      delete packet.will;
      // The connection's clock ends silent connections, also those that asked for none to be ended.
      const asked = packet.keepalive ?? 0;
      connection.keepaliveTimeout = Math.ceil((asked > 0 ? Math.min(asked, MAX_KEEPALIVE) : MAX_KEEPALIVE) * 1.5) + 1; // [MQTT-3.1.2-24]
      packet.keepalive = 0;
      done(null, !closing);
    },

    authenticate(client, username, password, done) {
      letIn(client, username ?? '', password ?? new Uint8Array()).then(
        (may) => {
          // aedes answers nothing to a client that it has closed, and never lets such a one go.
          if (!may || connectionOf(client).destroyed || client.closed) return done(null, false);
          enter(client);
          done(null, true);
        },
        (error: Error) => {
          warn('devices cannot be authenticated', { error: error.message });
          done(Object.assign(new Error('try again later'), { returnCode: 3 }) as AuthenticateError, null);
        },
      );
    },

    // QoS 2 and last wills; QoS 0 and 1 do not come this way.
    authorizePublish(client, packet, done) {
      const identity = client === null ? (packet as Will).identity : connectionOf(client).session?.identity;
      // Wills of devices that this node hangs up on when it stops are not news of those devices.
      if (identity === undefined || closing) return done(new Error('not taken'));
      const { topic, messageId } = packet;
      if (packet.qos === 2 && messageId !== undefined && client !== null) {
        const again = sessions.isReceived(client, messageId);
        const repeats = connectionOf(client).repeats(messageId, again);
        if (again && repeats < MAX_REPEATS) return done(); // [MQTT-4.3.3-2]
        if (again) {
          count.malformed++;
          refused(identity.device_id, 'sends a message again and again that was answered');
          return done(new Error('too many repeats'));
        }
      }
      const own = UP_TOPICS.find((one) => prefixOf(identity.device_id) + one === topic);
      if (own === undefined) {
        if (!options.access?.publish(identity, topic)) refuseMessage(identity, foreign(topic), topic);
        return done();
      }
      const waits = packet.qos === 2 && client !== null && connectionOf(client).waits();
      take(identity, own, packet.payload as Buffer, packet.dup, messageId ?? 0, waits).then(
        () => {
          // The journal has it; of a message of QoS 2 only the id is needed until it is released.
          packet.payload = NOTHING;
          done();
        },
        notTaken(client, own, done),
      );
    },

    authorizeSubscribe(client, subscription, done) {
      const session = connectionOf(client).session;
      if (session === undefined) return done(new Error('not taken'));
      if (mayRead(session.identity, subscription.topic)) return done(null, subscription);
      refuseMessage(session.identity, `subscription to the foreign topic ${subscription.topic.slice(0, 120)}`);
      done(null, null); // SUBACK 0x80
    },

    authorizeForward(client, packet) {
      const connection = connectionOf(client);
      if (connection.session === undefined || !mayRead(connection.session.identity, packet.topic)) return null;
      // Read from the session's queue: it is there, with its QoS.
      if (packet.messageId !== undefined) return packet;
      const qos = Math.min(packet.qos, routing.grantedQos(client, packet.topic)) as 0 | 1 | 2; // [MQTT-3.8.4-6]
      if (qos === 0 && connection.congested) {
        count.shed++;
        return null;
      }
      if (qos === 0) return { ...packet, qos };
      if (client.clean || packet.retain) return routing.numbered(client, { ...packet, qos }, connection.sent);
      const claimed = sessions.claim(client, packet);
      return claimed === undefined ? null : ({ ...packet, qos: claimed } as typeof packet);
    },
  });
  // aedes takes brokers that it has not heard of for dead, and would speak the wills of its own clients.
  (broker.brokers as Record<string, number>)[broker.id] = Number.POSITIVE_INFINITY;

  const routing = createRouting(broker, (client, packet) => {
    const identity = client === null ? packet.identity : connectionOf(client).session?.identity;
    return identity !== undefined && options.access?.publish(identity, packet.topic) === true;
  });

  const presence = createPresence(broker, (client) => {
    if (client.clean) sessions.cleanIncoming(client).catch(() => {});
  });
  const wills = createWills(sessions, (will, done) => {
    broker.authorizePublish(null, will, (error) => {
      if (error) done();
      else broker.publish(will, done);
    });
  });

  /** The device behind a CONNECT; undefined when its key is wrong, or was revoked while it was looked up. */
  async function identify(username: string, password: Uint8Array): Promise<DeviceIdentity | undefined> {
    const asking = { device_id: username, revoked: false };
    askings.add(asking);
    try {
      const identity = await options.authenticate(username, password);
      return asking.revoked ? undefined : identity;
    } finally {
      askings.delete(asking);
    }
  }

  /** Resolves when a client may come in: its key is right, and no other connection has its client id any more. */
  async function letIn(client: Client, username: string, password: Uint8Array): Promise<boolean> {
    const connection = connectionOf(client);
    const identity = await identify(username, password);
    if (identity === undefined) {
      count.refusedConnections++;
      options.loginRefused(username, connection.address, 'wrong device id or key');
      return false;
    }
    if (connection.destroyed) return false;
    const prefix = prefixOf(identity.device_id);
    connection.session = {
      identity,
      topics: UP_TOPICS.map((topic) => ({ name: Buffer.from(prefix + topic), topic })),
      share: { sent: 0, restUntil: 0 },
    };
    admission.authenticated(connection.address);
    if (!(await presence.claim(client, connection))) return false;
    await wills.keep(client, connection, identity);
    return true;
  }

  function enter(client: Client): void {
    const connection = connectionOf(client);
    const { present, nextId } = client.clean ? { present: false, nextId: 1 } : sessions.enter(client);
    if (connection.session !== undefined) connection.session.share = shares.of(connection.session.identity.device_id);
    connection.sessionPresent = present && client.version === 4;
    // aedes begins anywhere, also in the middle of ids that are under way. [MQTT-2.3.1-4]
    Object.assign(client, { _nextId: nextId });
    presence.hold(connection);
  }

  /** The socket of a connection is closed, for whatever reason: this alone ends its presence. */
  function leave(connection: ConnectionFilter): void {
    connections.delete(connection);
    if (closing && connections.size === 0) empty.resolve();
    const { session } = connection;
    admission.release(connection.address, session === undefined);
    const client = clientOf(connection);
    sessions.leave(client);
    // Before the news that the device has gone, and before its next connection comes in.
    wills.ended(connection, presence.cameIn(connection) && !connection.farewell);
    presence.closed(connection);
    if (session === undefined) return;
    const { identity } = session;
    const mine = devices.get(identity.device_id);
    if (!mine?.delete(client)) return;
    if (mine.size === 0) {
      devices.delete(identity.device_id);
      shares.leave(identity.device_id);
    }
    options.disconnected(identity);
  }

  /** Bytes that this connection may have unanswered: its part of what its device may have. */
  function allowanceOf({ session }: ConnectionFilter): number {
    if (answers.waiting > WAITING_BYTES) return FEW_BYTES;
    if (session === undefined) return FEW_BYTES;
    const connections = devices.get(session.identity.device_id)?.size ?? 1;
    return Math.min(UNANSWERED_BYTES, shares.portion(session.share)) / connections;
  }

  function mayRead(identity: DeviceIdentity, filter: string): boolean {
    const prefix = prefixOf(identity.device_id);
    return (
      DOWN_TOPICS.some((topic) => filter === prefix + topic) || options.access?.subscribe(identity, filter) === true
    );
  }

  function take(
    { device, device_id, project_id }: DeviceIdentity,
    topic: UpTopic,
    payload: Buffer,
    dup: boolean,
    packet_id: number,
    waits = false,
  ): Promise<void> {
    count.messages++;
    count.bytes += payload.length;
    last = accept({ device, device_id, project_id, topic, payload, received_at_ms: clock(), dup, packet_id, waits });
    return last;
  }

  /** What becomes of a message of QoS 2 or a will that was not accepted: aedes ends the connection when it hears of it. */
  function notTaken(client: Client | null, topic: UpTopic, done: (error: Error) => void): (error: Error) => void {
    return (error) => {
      if (client === null || !(error instanceof NotTaken)) return done(error);
      count.notTaken++;
      deferredAcks.defer(connectionOf(client), topic, () => done(error));
    };
  }

  /** Hands a message from client to client; answers come in the order of the messages. [MQTT-4.6.0-2] */
  function pass(connection: ConnectionFilter, publish: Publish): Promise<void> {
    const sent = routing.pass(publish, clientOf(connection));
    connection.handsOn(sent);
    // What was refused before is its own sender's trouble.
    const before = last.catch(() => {});
    last = Promise.all([before, sent]).then(() => {});
    return last;
  }

  function onPublish(connection: ConnectionFilter, publish: Publish): void {
    const { session } = connection;
    if (session === undefined || closing) return;
    const { identity } = session;
    const { topic, payload, dup, id } = publish;
    if (topic === undefined && options.access?.publish(identity, publish.name.toString()))
      answer(pass(connection, publish), connection, publish);
    else if (topic === undefined || topic === null) {
      if (topic === null) refuseMessage(identity, 'message over 256 KiB', null);
      else refuseMessage(identity, foreign(publish.name.toString()), publish.name.toString());
      // Answered, because its sender would come back with it for ever; in its turn, [MQTT-4.6.0-2].
      answer(last, connection, publish);
    } else if (deferredAcks.mustWait(connection, topic)) {
      // Behind what it owes: in its order, over the next connection.
      count.notTaken++;
      connection.forget(publish);
    } else answer(take(identity, topic, payload, dup, id), connection, publish);
  }

  /** `place` is the topic that is not the device's own; null for a message that is too large. */
  function refuseMessage({ device, device_id }: DeviceIdentity, reason: string, place?: string | null): void {
    count.refusedMessages++;
    if (place === undefined) refused(device_id, reason);
    else refused(device_id, reason, place === null ? { device, what: 'size' } : { device, what: 'place', place });
  }

  broker.on('clientReady', (client) => {
    const connection = connectionOf(client);
    // Its connection may have ended while it was being let in.
    if (connection.session === undefined || connection.destroyed || client.closed) return;
    const { identity } = connection.session;
    count.total++;
    const mine = devices.get(identity.device_id) ?? new Set();
    devices.set(identity.device_id, mine.add(client));
    options.connected(identity, connection.address);
    if (mine.size > maxPerDevice) {
      const [oldest] = mine;
      refuseMessage(identity, `more than ${maxPerDevice} connections`);
      if (oldest !== undefined) connectionOf(oldest).cut();
    }
    connection.open();
  });
  broker.on('subscribe', (subscriptions, client) => {
    const session = connectionOf(client).session;
    if (session === undefined) return;
    const topic = `${prefixOf(session.identity.device_id)}time`;
    if (subscriptions.some((one) => one.topic === topic)) routing.tell(client, timePacket(topic));
  });
  broker.on('clientError', (client, error) =>
    warn('a device connection failed', { client: client.id, error: error.message }),
  );
  broker.on('connectionError', (client, error) =>
    warn('a connection failed', { address: connectionOf(client).address, error: error.message }),
  );
  (broker as unknown as NodeJS.EventEmitter).on('error', (error: Error) =>
    warn('the broker failed', { error: error.message }),
  );

  function timePacket(topic: string): PublishPacket {
    const ms = clock();
    const payload = JSON.stringify({ now: new Date(ms).toISOString(), ms });
    return { cmd: 'publish', topic, payload, qos: 0, retain: false, dup: false };
  }

  function onSocket(socket: Socket): void {
    const address = socket.remoteAddress ?? 'unknown';
    const refusal = closing ? 'the gateway stops' : admission.admit(address);
    if (refusal !== undefined) {
      count.refusedConnections++;
      refused(address, refusal);
      socket.destroy();
      return;
    }
    const connection = new ConnectionFilter(socket, {
      malformed(at, reason) {
        count.malformed++;
        refused(at.session?.identity.device_id ?? at.address, reason);
      },
      publish: onPublish,
      frozen(at) {
        count.frozen++;
        refused(at.session?.identity.device_id ?? at.address, 'does not read what is sent to it');
      },
      due: (at, id) => sessions.due(clientOf(at), id),
      closed: leave,
      allowance: allowanceOf,
      rest: ({ session }, tookMs) => (session === undefined ? 0 : shares.rest(session.share, tookMs)),
    });
    connections.add(connection);
    broker.handle(connection as Duplex);
  }

  const server = createServer({ pauseOnConnect: false }, onSocket);
  server.maxConnections = limits.sockets;
  server.on('drop', () => {
    count.refusedConnections++;
  });
  const every = [
    setInterval(() => {
      for (const connection of connections) connection.secondPassed();
      if (deferredAcks.size > 0 && (options.accepting?.() ?? true)) deferredAcks.closeDue();
    }, 1000),
    setInterval(() => {
      for (const device_id of devices.keys()) routing.route(timePacket(`${prefixOf(device_id)}time`), null, () => {});
    }, TIME_EVERY_MS),
    setInterval(() => {
      sessions.hourPassed().catch((error: Error) => warn('sessions could not be aged', { error: error.message }));
    }, HOUR_MS),
  ];

  async function stop(): Promise<void> {
    if (closing) return;
    closing = true;
    for (const timer of every) clearInterval(timer);
    const down = server.listening ? new Promise<void>((done) => server.close(() => done())) : undefined;
    await new Promise<void>((done) => broker.close(() => done()));
    for (const connection of connections) connection.destroy();
    await down;
    // The server is closed before its last sockets say so.
    if (connections.size > 0) await empty.promise;
    await sessions.destroy();
  }

  try {
    await new Promise<void>((done, fail) => {
      server.once('error', fail);
      server.listen(options.port, options.host, () => {
        server.off('error', fail);
        server.on('error', (error) => warn('the broker could not take a connection', { error: error.message }));
        done();
      });
    });
  } catch (error) {
    await stop();
    throw error;
  }
  const bound = server.address();

  return {
    port: typeof bound === 'object' && bound !== null ? bound.port : options.port,
    publish(device_id, topic, payload, retain = false) {
      const name = prefixOf(device_id) + topic;
      const bytes = Buffer.from(payload as Uint8Array);
      const there = [...(devices.get(device_id) ?? [])].some((client) => client.clean);
      if (topic !== 'time' && !there && sessions.isFull(name, bytes.length))
        return Promise.reject(new Error(`too many messages wait for ${device_id} already`));
      const qos = topic === 'time' ? 0 : 1;
      return new Promise((done, fail) => {
        routing.route({ cmd: 'publish', topic: name, payload: bytes, qos, retain, dup: false }, null, (error) => {
          if (error) return fail(error);
          count.sent++;
          done();
        });
      });
    },
    counters: () => ({
      connections: connections.size,
      connections_total: count.total,
      messages_total: count.messages,
      bytes_total: count.bytes,
      refused_connections_total: count.refusedConnections,
      refused_messages_total: count.refusedMessages,
      malformed_total: count.malformed,
      sent_total: count.sent,
      frozen_total: count.frozen,
      shed_total: count.shed,
      not_taken_total: count.notTaken,
      deferred_connections: deferredAcks.size,
      ...sessions.counters(),
    }),
    drop(device_id) {
      for (const asking of askings) if (asking.device_id === device_id) asking.revoked = true;
      // Nobody speaks for it any more, not even its last will.
      sessions.forgetWills(device_id);
      for (const connection of connections) {
        if (connection.session?.identity.device_id !== device_id) continue;
        wills.drop(connection);
        connection.cut();
      }
    },
    limitSockets(most) {
      server.maxConnections = Math.min(limits.sockets, most);
    },
    problems: () => sessions.problems(),
    [Symbol.asyncDispose]: stop,
  };
}
