/** The MQTT 3.1.1 broker for devices. SPEC.md has its rules and names the file that handles each packet; docs/mqtt.md has the payloads. */
import type { Client } from 'aedes';
import { SESSION_LIMITS } from '#servers/mqtt/sessions/session-limits.ts';
import { openSessions } from '#servers/mqtt/sessions/sessions.ts';
import { ADMISSION_LIMITS, createAdmission } from './admission.ts';
import { attachHandlers, createAedes } from './aedes-broker.ts';
import { type BrokerParts, connectionOf, type Warn } from './broker-parts.ts';
import type { Broker, BrokerCounters, BrokerLimits, BrokerOptions } from './broker-types.ts';
import { ConnectedDevices } from './connected-devices.ts';
import { createDeferredAcks } from './deferred-acks.ts';
import { downTopicName, maySubscribe, timePacket } from './device-topics.ts';
import { type Listener, listen } from './listener.ts';
import { MessageIntake } from './message-intake.ts';
import { createPublishAcks } from './publish-acks.ts';
import { Refusals } from './refusals.ts';

const MAX_PER_DEVICE = 10;
const HOLD_MS = 5_000;
const BROKER_LIMITS = { connections: MAX_PER_DEVICE, holdMs: HOLD_MS };
const TIME_EVERY_MS = 60_000;
const WARN_EVERY_MS = 60_000;
const HOUR_MS = 3_600_000;

function createWarn({ clock, log }: BrokerOptions): Warn {
  const loggedAt = new Map<string, number>();
  return (kind, data) => {
    const now = clock();
    const last = loggedAt.get(kind);
    // Compare the absolute difference, because `now` is before `last` if somebody set the clock back.
    if (last !== undefined && Math.abs(now - last) < WARN_EVERY_MS) return;
    loggedAt.set(kind, now);
    log('warn', kind, data);
  };
}

function openBrokerSessions(options: BrokerOptions, limits: BrokerLimits) {
  return openSessions({
    folder: options.folder,
    limits,
    maySubscribe: (client, filter) => {
      const { device } = connectionOf(client as Client);
      return device !== undefined && maySubscribe(device.identity, filter, options.access);
    },
    onDropped: (id, reason) => {
      const slash = id.indexOf('/');
      options.refused(id.slice(0, slash), `session ${id.slice(slash + 1)}: ${reason}`);
    },
    closeConnection: (client) => connectionOf(client as Client).destroy(),
    warn: (message, data) => options.log('warn', message, data),
  });
}

/** Publishes a message of the gateway to a device. */
function publishToDevice(parts: BrokerParts): Broker['publish'] {
  const { devices, sessions, routing, outgoing } = parts;
  return (device_id, topic, payload, retain = false) => {
    if (parts.stopping) return Promise.reject(new Error('the broker stops'));
    const name = downTopicName(device_id, topic);
    const bytes = Buffer.from(payload as Uint8Array);
    // A client that connected with "clean session" has no queue. So it can get the message even if the queues of all sessions are full.
    const hasCleanClient = [...devices.clientsOf(device_id)].some((client) => client.clean);
    if (topic !== 'time' && !hasCleanClient && sessions.isFull(name, bytes.length))
      return Promise.reject(new Error(`the queue of ${device_id} is full`));
    const qos = topic === 'time' ? 0 : 1;
    return new Promise((done, fail) => {
      routing.route({ cmd: 'publish', topic: name, payload: bytes, qos, retain, dup: false }, null, (error) => {
        if (error) return fail(error);
        outgoing.sent++;
        done();
      });
    });
  };
}

function countersOf(parts: BrokerParts): BrokerCounters {
  const { connections, devices, intake, refusals, outgoing, deferredAcks, sessions } = parts;
  return {
    connections: connections.size,
    connections_total: devices.total,
    messages_total: intake.messages,
    bytes_total: intake.bytes,
    refused_connections_total: refusals.connections,
    refused_messages_total: refusals.messages,
    malformed_total: refusals.malformed,
    sent_total: outgoing.sent,
    frozen_total: refusals.stalled,
    shed_total: outgoing.shed,
    not_taken_total: intake.notTaken,
    deferred_connections: deferredAcks.size,
    ...sessions.counters(),
  };
}

/** Starts the timers: check connections every second, send the time to devices every minute, and expire old sessions every hour. */
function startTimers({ options, connections, deferredAcks, devices, routing, sessions, warn }: BrokerParts) {
  return [
    setInterval(() => {
      for (const connection of connections) connection.secondPassed();
      if (deferredAcks.size > 0 && (options.accepting?.() ?? true)) deferredAcks.closeDue();
    }, 1000),
    setInterval(() => {
      for (const device_id of devices.ids) routing.route(timePacket(device_id, options.clock()), null, () => {});
    }, TIME_EVERY_MS),
    setInterval(() => {
      sessions.hourPassed().catch((error: Error) => warn('sessions could not be aged', { error: error.message }));
    }, HOUR_MS),
  ];
}

/** Starts the broker. Rejects with Node's error (EADDRINUSE, EACCES) when it cannot listen. */
export async function startBroker(options: BrokerOptions): Promise<Broker> {
  const limits: BrokerLimits = { ...SESSION_LIMITS, ...ADMISSION_LIMITS, ...BROKER_LIMITS, ...options.limits };
  const intake = new MessageIntake(options);
  const deferredAcks = createDeferredAcks(() => performance.now(), limits.holdMs);
  const publishAcks = createPublishAcks((connection, { qos, topic }) => {
    intake.notTaken++;
    // A deferred connection is closed later, so that the client resends its messages. A client never resends a QoS 0 message.
    if (qos > 0) deferredAcks.defer(connection, topic ?? undefined);
  });
  const sessions = await openBrokerSessions(options, limits);
  const { aedes, routing, presence, wills } = await createAedes(sessions, options, limits.received);
  const parts: BrokerParts = {
    options,
    limits,
    admission: createAdmission(limits),
    sessions,
    devices: new ConnectedDevices(),
    intake,
    refusals: new Refusals(options),
    publishAcks,
    deferredAcks,
    routing,
    presence,
    wills,
    warn: createWarn(options),
    outgoing: { sent: 0, shed: 0 },
    connections: new Set(),
    exposed: new Map(),
    stopping: false,
  };
  const connect = attachHandlers(aedes, parts);
  const timers = startTimers(parts);
  let listener: Listener | undefined;

  async function stop(): Promise<void> {
    if (parts.stopping) return;
    parts.stopping = true;
    for (const timer of timers) clearInterval(timer);
    const closed = listener?.close();
    await new Promise<void>((done) => aedes.close(() => done()));
    await listener?.closeConnections();
    await closed;
    await sessions.destroy();
  }

  try {
    listener = await listen(aedes, parts);
  } catch (error) {
    await stop();
    throw error;
  }

  return {
    port: listener.port,
    tlsPort: listener.tlsPort,
    webSockets: listener.webSockets,
    publish: publishToDevice(parts),
    counters: () => countersOf(parts),
    drop(device_id) {
      connect.revokeLookups(device_id);
      // Delete the wills first. Otherwise the broker would publish them when it closes the connections, although the key of the device was
      // revoked.
      sessions.deleteWillsOf(device_id);
      for (const connection of parts.connections) {
        if (connection.device?.identity.device_id !== device_id) continue;
        wills.drop(connection);
        connection.abort();
      }
    },
    exposed: () =>
      [...parts.exposed.keys()].flatMap(({ device, address }) =>
        device === undefined ? [] : [{ device: device.identity, address }],
      ),
    restrict: listener.restrict,
    closeExposed(which) {
      for (const [connection, kind] of parts.exposed) if (which === 'all' || kind === 'web_socket') connection.abort();
    },
    limitSockets: listener.limitSockets,
    problems: () => sessions.problems(),
    [Symbol.asyncDispose]: stop,
  };
}
