/**
 * The MQTT 3.1.1 broker for devices: who may connect, what they may publish, and nothing acknowledged before it is on disk.
 * Rules in BROKER.md; payloads in docs/mqtt.md.
 */
import { createServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Aedes, type AuthenticateError, type Client, type PublishPacket } from 'aedes';
import { type DeviceIdentity, DOWN_TOPICS, type IngestMessage, UP_TOPICS, type UpTopic } from '#contract/ingest.ts';
import { Guard, type Publish, type Session } from './mqtt-guard.ts';

export type DownTopic = (typeof DOWN_TOPICS)[number];

export interface BrokerOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** Undefined: no such device or not its key. Rejects when that cannot be told now. */
  readonly authenticate: (username: string, password: Uint8Array) => Promise<DeviceIdentity | undefined>;
  /** Resolves when the message is on disk; rejects when the sender must keep it. */
  readonly accept: (message: IngestMessage) => Promise<void>;
  readonly connected: (device: DeviceIdentity, address: string) => void;
  readonly disconnected: (device: DeviceIdentity) => void;
  readonly refused: (source: string, reason: string) => void;
  readonly clock: () => number;
  readonly log: (level: 'info' | 'warn' | 'error', message: string, data?: object) => void;
}

export interface BrokerCounters {
  readonly connections: number;
  readonly connections_total: number;
  readonly messages_total: number;
  readonly bytes_total: number;
  readonly refused_connections_total: number;
  readonly refused_messages_total: number;
  readonly malformed_total: number;
  readonly sent_total: number;
}

export interface Broker extends AsyncDisposable {
  readonly port: number;
  /** QoS 1 for config and commands, QoS 0 for time; rejects when too many wait for an absent device. */
  publish(device_id: string, topic: DownTopic, payload: string | Uint8Array, retain?: boolean): Promise<void>;
  counters(): BrokerCounters;
  /** Ends all connections of a device whose key was revoked. */
  drop(device_id: string): void;
}

/** Connections of one device; beyond it the oldest is closed. */
const MAX_PER_DEVICE = 10;
/** Sockets that have not yet authenticated. */
const MAX_STRANGERS = 4_000;
const MAX_SOCKETS = 10_000;
/** Persistent sessions of one device; further ones begin clean. */
const MAX_SESSIONS = 4;
/** Messages that wait for an absent device. */
const MAX_WAITING = 100;
/** Silence that a client may ask for at most, in seconds; also for those that ask for none. */
const MAX_KEEPALIVE = 1200;
const TIME_EVERY_MS = 60_000;
const LOG_EVERY_MS = 60_000;

const foreign = (topic: string) => `publish to the foreign topic ${topic.slice(0, 120)}`;
const prefixOf = (device_id: string) => `v1/devices/${device_id}/`;

type Done = (error?: Error | null) => void;

/**
 * Answers publishes when their promise settles. All messages of a group share one promise, so they share one reaction and, per
 * connection, one write; a promise that rejects ends the connections, whose clients come back with what was not answered.
 */
function createAnswers(): (promise: Promise<void>, guard: Guard, publish: Publish) => void {
  let current: Promise<void> | undefined;
  let guards: Guard[] = [];
  let publishes: Publish[] = [];
  return (promise, guard, publish) => {
    if (promise !== current) {
      const mine: Guard[] = [];
      const theirs: Publish[] = [];
      guards = mine;
      publishes = theirs;
      current = promise;
      const settle = (): void => {
        if (current === promise) current = undefined;
        for (let i = 0; i < mine.length; i++) (mine[i] as Guard).answer(theirs[i] as Publish);
        for (const one of mine) one.flush();
      };
      promise.then(settle, () => {
        if (current === promise) current = undefined;
        for (const one of mine) one.destroy();
      });
    }
    guards.push(guard);
    publishes.push(publish);
  };
}

/** Listens; rejects with Node's error (EADDRINUSE, EACCES) when it cannot. */
export async function startBroker(options: BrokerOptions): Promise<Broker> {
  const { accept, refused, clock } = options;
  const guards = new Set<Guard>();
  /** Keys that are being looked up: one may be revoked meanwhile. */
  const askings = new Set<{ readonly device_id: string; revoked: boolean }>();
  const devices = new Map<string, Set<Client>>();
  const persistent = new Map<string, Set<string>>();
  const waitingFor = new Map<string, number>();
  const logged = new Map<string, number>();
  const answer = createAnswers();
  const count = { total: 0, messages: 0, bytes: 0, refusedConnections: 0, refusedMessages: 0, malformed: 0, sent: 0 };
  let strangers = 0;
  let unnamed = 0;
  let closing = false;
  /** The group that the newest message is in. */
  let last: Promise<void> = Promise.resolve();

  const guardOf = (client: Client): Guard => client.conn as Duplex as Guard;

  /** At most one line a minute for each kind of trouble. */
  function warn(kind: string, data: object): void {
    const now = clock();
    const last = logged.get(kind);
    if (last !== undefined && Math.abs(now - last) < LOG_EVERY_MS) return;
    logged.set(kind, now);
    options.log('warn', kind, data);
  }

  const broker = await Aedes.createBroker({
    concurrency: 1000,
    connectTimeout: 5_000,
    drainTimeout: 15_000,
    maxInflightInbound: 100,
    maxTopicLevels: 12,
    queueLimit: 100,
    maxClientsIdLength: 1000,
    heartbeatInterval: 3_600_000,

    preConnect(client, packet, done) {
      const guard = guardOf(client);
      const user = packet.username ?? '';
      // A key opens the sessions of its own device only: the name that was authenticated is part of the session's.
      packet.clientId = `${user}/${packet.clientId || `#${++unnamed}`}`;
      if (!packet.clean) packet.clean = !mayPersist(user, packet.clientId);
      // The guard's clock ends silent connections, also those that asked for none to be ended.
      const asked = packet.keepalive ?? 0;
      guard.patience = Math.ceil((asked > 0 ? Math.min(asked, MAX_KEEPALIVE) : MAX_KEEPALIVE) * 1.5) + 1; // [MQTT-3.1.2-24]
      packet.keepalive = 0;
      done(null, !closing);
    },

    authenticate(client, username, password, done) {
      const guard = guardOf(client);
      const asking = { device_id: username ?? '', revoked: false };
      askings.add(asking);
      options.authenticate(asking.device_id, password ?? new Uint8Array()).then(
        (identity) => {
          askings.delete(asking);
          if (identity === undefined || asking.revoked) {
            count.refusedConnections++;
            refused(guard.address, 'wrong device id or key');
            return done(null, false);
          }
          const prefix = prefixOf(identity.device_id);
          guard.session = {
            identity,
            topics: UP_TOPICS.map((topic) => ({ name: Buffer.from(prefix + topic), topic })),
          };
          strangers--;
          done(null, true);
        },
        (error: Error) => {
          askings.delete(asking);
          warn('devices cannot be authenticated', { error: error.message });
          done(Object.assign(new Error('try again later'), { returnCode: 3 }) as AuthenticateError, null);
        },
      );
    },

    // QoS 2 and last wills; QoS 0 and 1 do not come this way.
    authorizePublish(client, packet, done) {
      const guard = client === null ? undefined : guardOf(client);
      const own = guard?.session?.topics.find(({ name }) => name.toString() === packet.topic);
      // Wills of devices that this node hangs up on when it stops are not news of those devices.
      if (guard?.session === undefined || closing) return done(new Error('not taken'));
      if (own === undefined) {
        refuseMessage(guard.session, foreign(packet.topic));
        return done();
      }
      const payload = packet.payload as Buffer;
      take(guard.session, own.topic, payload, packet.dup, packet.messageId ?? 0).then(() => done(), done);
    },

    authorizeSubscribe(client, subscription, done) {
      const session = guardOf(client).session;
      if (session === undefined) return done(new Error('not taken'));
      const prefix = prefixOf(session.identity.device_id);
      if (DOWN_TOPICS.some((topic) => subscription.topic === prefix + topic)) return done(null, subscription);
      refuseMessage(session, `subscription to the foreign topic ${subscription.topic.slice(0, 120)}`);
      done(null, null); // SUBACK 0x80
    },
  });

  function take(session: Session, topic: UpTopic, payload: Buffer, dup: boolean, packet_id: number): Promise<void> {
    const { device, device_id, project_id } = session.identity;
    count.messages++;
    count.bytes += payload.length;
    last = accept({ device, device_id, project_id, topic, payload, received_at_ms: clock(), dup, packet_id });
    return last;
  }

  function onPublish(guard: Guard, publish: Publish): void {
    const { session } = guard;
    if (session === undefined || closing) return;
    const { topic, payload, dup, id } = publish;
    if (topic === undefined || topic === null) {
      refuseMessage(session, topic === null ? 'message over 256 KiB' : foreign(publish.name.toString()));
      // Answered, because its sender would come back with it for ever; in its turn, [MQTT-4.6.0-2].
      answer(last, guard, publish);
    } else answer(take(session, topic, payload, dup, id), guard, publish);
  }

  function refuseMessage(session: Session, reason: string): void {
    count.refusedMessages++;
    refused(session.identity.device_id, reason);
  }

  function mayPersist(user: string, clientId: string): boolean {
    const known = persistent.get(user) ?? new Set();
    if (known.has(clientId)) return true;
    if (known.size >= MAX_SESSIONS || persistent.size >= MAX_SOCKETS) return false;
    persistent.set(user, known.add(clientId));
    return true;
  }

  // What devices publish is in the journal once it was authorized, and no device may subscribe to it: routing it would be work for nobody.
  // The same holds for aedes' own $SYS news, which only a cluster reads.
  const route = broker.publish.bind(broker);
  const publish = (packet: PublishPacket, client: Client | Done | null, done?: Done): void => {
    const then = typeof client === 'function' ? client : done;
    if ((client !== null && typeof client === 'object') || packet.topic.startsWith('$SYS/')) then?.();
    else route(packet, then ?? (() => {}));
  };
  Object.assign(broker, { publish });

  broker.on('clientReady', (client) => {
    const guard = guardOf(client);
    // Its connection may have ended while it was being let in.
    if (guard.session === undefined || client.closed) return;
    const { identity } = guard.session;
    count.total++;
    const mine = devices.get(identity.device_id) ?? new Set();
    devices.set(identity.device_id, mine.add(client));
    waitingFor.delete(identity.device_id);
    options.connected(identity, guard.address);
    if (mine.size > MAX_PER_DEVICE) {
      const [oldest] = mine;
      refuseMessage(guard.session, `more than ${MAX_PER_DEVICE} connections`);
      oldest?.close();
    }
    guard.open();
  });
  broker.on('clientDisconnect', (client) => {
    const session = guardOf(client).session;
    if (session === undefined) return;
    const { identity } = session;
    const mine = devices.get(identity.device_id);
    if (!mine?.delete(client)) return;
    if (mine.size === 0) devices.delete(identity.device_id);
    options.disconnected(identity);
  });
  broker.on('subscribe', (subscriptions, client) => {
    const session = guardOf(client).session;
    if (session === undefined) return;
    const topic = `${prefixOf(session.identity.device_id)}time`;
    if (subscriptions.some((one) => one.topic === topic)) client.publish(timePacket(topic), () => {});
  });
  broker.on('clientError', (client, error) =>
    warn('a device connection failed', { client: client.id, error: error.message }),
  );
  broker.on('connectionError', (client, error) =>
    warn('a connection failed', { address: guardOf(client).address, error: error.message }),
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
    if (closing || strangers >= MAX_STRANGERS) {
      count.refusedConnections++;
      refused(socket.remoteAddress ?? 'unknown', 'too many connections');
      socket.destroy();
      return;
    }
    const guard = new Guard(socket, {
      malformed(at, reason) {
        count.malformed++;
        refused(at.session?.identity.device_id ?? at.address, reason);
      },
      publish: onPublish,
    });
    strangers++;
    guards.add(guard);
    guard.once('close', () => {
      guards.delete(guard);
      if (guard.session === undefined) strangers--;
    });
    broker.handle(guard as Duplex);
  }

  const server = createServer({ pauseOnConnect: false }, onSocket);
  server.maxConnections = MAX_SOCKETS;
  const every = [
    setInterval(() => {
      for (const guard of guards) {
        if (guard.patience > 0 && ++guard.idle > guard.patience) guard.destroy();
      }
    }, 1000),
    setInterval(() => {
      for (const device_id of devices.keys()) route(timePacket(`${prefixOf(device_id)}time`), () => {});
    }, TIME_EVERY_MS),
  ];

  async function stop(): Promise<void> {
    if (closing) return;
    closing = true;
    for (const timer of every) clearInterval(timer);
    const down = server.listening ? new Promise<void>((done) => server.close(() => done())) : undefined;
    await new Promise<void>((done) => broker.close(() => done()));
    for (const guard of guards) guard.destroy();
    await down;
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
      if (!devices.has(device_id) && topic !== 'time' && persistent.has(device_id)) {
        const waiting = waitingFor.get(device_id) ?? 0;
        if (waiting >= MAX_WAITING)
          return Promise.reject(new Error(`${MAX_WAITING} messages wait for ${device_id} already`));
        waitingFor.set(device_id, waiting + 1);
      }
      const bytes = Buffer.from(payload as Uint8Array);
      const qos = topic === 'time' ? 0 : 1;
      return new Promise((done, fail) => {
        route(
          { cmd: 'publish', topic: prefixOf(device_id) + topic, payload: bytes, qos, retain, dup: false },
          (error) => {
            if (error) return fail(error);
            count.sent++;
            done();
          },
        );
      });
    },
    counters: () => ({
      connections: guards.size,
      connections_total: count.total,
      messages_total: count.messages,
      bytes_total: count.bytes,
      refused_connections_total: count.refusedConnections,
      refused_messages_total: count.refusedMessages,
      malformed_total: count.malformed,
      sent_total: count.sent,
    }),
    drop(device_id) {
      for (const asking of askings) if (asking.device_id === device_id) asking.revoked = true;
      for (const guard of guards) if (guard.session?.identity.device_id === device_id) guard.destroy();
    },
    [Symbol.asyncDispose]: stop,
  };
}
