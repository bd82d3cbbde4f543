/** Starts the listeners of the gateway: MQTT broker, bucket for loggers, and HTTP. */
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { createBucketObjects } from '#handlers/devices/bucket-objects.ts';
import type { Ingest } from '#ingest/ingest-types.ts';
import { headOf } from '#servers/base/content.ts';
import { createBucketCredentials } from '#servers/bucket/credentials.ts';
import { type LoggerBucket, startLoggerBucket } from '#servers/bucket/logger-bucket.ts';
import type { Auth } from '#servers/http/auth.ts';
import { type HttpOptions, type HttpServer, startHttp } from '#servers/http/http.ts';
import { ownNames } from '#servers/http/origin-check.ts';
import { startBroker } from '#servers/mqtt/broker.ts';
import type { Broker } from '#servers/mqtt/broker-types.ts';
import { localHost, machineNames } from '#settings/addresses.ts';
import { VERSION } from '#settings/version.ts';
import { startBusArming } from '#watchers/bus-arming.ts';
import { dropRevoked } from '#watchers/revoked-keys.ts';
import { startBuses } from './buses.ts';
import { userOf } from './encryption.ts';
import type { Foundation } from './foundation.ts';
import { measures } from './measures.ts';
import { qrSvg } from './qr.ts';
import type { NodeOperations } from './services.ts';

/**
 * Starts the MQTT broker. Also starts two watchers of the store: one disconnects revoked devices, the other tells devices whether they may
 * send requests on a bus.
 */
export async function openBroker(
  parts: AsyncDisposableStack,
  { config, clock, log, store, addresses, healthSources, tls, isExposed, plainUses }: Foundation,
  ingest: Ingest,
  auth: Auth,
): Promise<Broker> {
  const broker = parts.use(
    await startBroker({
      host: config.host,
      port: config.mqttPort,
      secure: { tls, port: config.mqttsPort },
      encryptedOnly: addresses.mqtt.encryptedOnly,
      isExposed,
      exposed: (device, address) => plainUses.note('mqtt', userOf(device), address),
      authenticate: (username, password) => auth.authenticateDevice(username, password),
      accept: (message) => ingest.accept(message),
      accepting: () => ingest.accepting,
      connected: (device, address) => ingest.connected(device, address),
      disconnected: (device) => ingest.disconnected(device),
      refused: (source, reason, of) => ingest.refused(source, reason, of),
      loginRefused: (username, address, reason) => ingest.loginRefused(username, address, reason),
      folder: join(config.data, 'mqtt'),
      clock,
      log,
    }),
  );
  addresses.mqtt.port = broker.port;
  addresses.mqtt.tlsPort = broker.tlsPort;
  healthSources.brief.push(broker);
  parts.defer(dropRevoked(store, broker));
  parts.use(await startBusArming({ store, broker, log }));
  return broker;
}

/** Starts a bridge for each CAN bus of this machine. A bridge sends the frames of the bus to the broker of this gateway. */
export async function openBuses(
  parts: AsyncDisposableStack,
  { config, clock, log, controlToken, healthSources }: Foundation,
  broker: Broker,
): Promise<void> {
  const buses = parts.use(
    await startBuses({
      can: config.can,
      folder: config.data,
      url: `mqtt://${localHost(config.host)}:${broker.port}`,
      key: controlToken,
      clock,
      log,
      version: VERSION,
    }),
  );
  healthSources.detailed.push(buses);
  healthSources.buses.push(buses);
}

/** Starts the bucket that loggers upload files to. */
export async function openBucket(
  parts: AsyncDisposableStack,
  {
    config,
    clock,
    random,
    log,
    store,
    artifacts,
    uploadParts,
    sealer,
    addresses,
    healthSources,
    room,
    tls,
    localNames,
    isExposed,
    plainUses,
  }: Foundation,
  ingest: Ingest,
  { services }: NodeOperations,
  uploads: Parameters<typeof startLoggerBucket>[0]['uploads'],
): Promise<LoggerBucket> {
  const objects = createBucketObjects({
    store,
    clock,
    random,
    sha256: (text) => hash('sha256', text),
    readArtifact: async (sha256) => services.readArtifact?.(sha256),
    headOf: (digest, bytes) => headOf(artifacts, digest, bytes),
    accept: (message) => ingest.accept(message),
    refused: (source, reason) => ingest.refused(source, reason),
  });
  const loggers = parts.use(
    await startLoggerBucket({
      host: config.host,
      port: config.bucketPort,
      secure: { tls, port: config.bucketTlsPort },
      exposure: { encryptedOnly: addresses.bucket.encryptedOnly, isExposed },
      exposed: (device, address) => plainUses.note('bucket', userOf(device), address),
      credentials: parts.use(createBucketCredentials({ store, sealer, clock })),
      names: ownNames([config.host, addresses.bucket.host, ...machineNames()], (name) =>
        localNames.all().includes(name),
      ),
      objects,
      uploads,
      parts: uploadParts,
      artifacts,
      room,
      decodesWaiting: (device) => services.decodesWaiting?.(device) ?? 0,
      budgets: ingest.budgets,
      clockRefused(device, device_ms) {
        objects
          .logClock(device, device_ms)
          .catch((error: unknown) =>
            log('warn', 'writing the wrong clock of a device to its log failed', { error: String(error) }),
          );
      },
      refused: (source, reason, of) => ingest.refused(source, reason, of),
      requestsPerMinute: config.requestsPerMinute,
      clock,
      log,
    }),
  );
  addresses.bucket.port = loggers.port;
  addresses.bucket.tlsPort = loggers.tlsPort;
  addresses.bucket.listening = true;
  healthSources.brief.push(loggers);
  return loggers;
}

/** Starts HTTP: API, model tools, live streams and pages. */
export async function openHttp(
  parts: AsyncDisposableStack,
  {
    config,
    clock,
    log,
    store,
    artifacts,
    uploads,
    addresses,
    healthSources,
    room,
    tls,
    isExposed,
    plainUses,
    localNames,
  }: Foundation,
  ingest: Ingest,
  given: Pick<
    HttpOptions,
    'invoke' | 'auth' | 'feeds' | 'webRoot' | 'build' | 'headOffice' | 'courier' | 'fileState'
  > & {
    readonly auth: Auth;
    readonly broker: Broker | undefined;
    readonly loggers: LoggerBucket | undefined;
  },
): Promise<HttpServer> {
  const { broker, loggers, ...options } = given;
  const server = parts.use(
    await startHttp({
      ...options,
      host: config.host,
      port: config.port,
      secure: { tls, port: config.httpsPort },
      names: machineNames(),
      localNames: () => localNames.all(),
      announced: () => localNames.announced,
      plain: {
        state: () => ({
          http: addresses.http.encryptedOnly,
          mqtt: addresses.mqtt.encryptedOnly,
          port: addresses.http.tlsPort,
        }),
        used: (user, address) => plainUses.note('http', user, address),
        isExposed,
      },
      trust: {
        authority: tls.certificates.authority,
        revocationList: tls.certificates.revocationList,
        isOwn: tls.certificates.isOwn,
        qr: qrSvg,
        names: () => localNames.announced,
        ports: () => ({
          https: addresses.http.tlsPort,
          mqtts: addresses.mqtt.tlsPort,
          bucket: addresses.bucket.tlsPort,
        }),
      },
      history: (...of) => ingest.totals(...of),
      files: { artifacts, uploads, room, budgets: ingest.budgets },
      publicHost: addresses.http.host,
      requestsPerMinute: config.requestsPerMinute,
      version: VERSION,
      clock,
      log,
      webSockets: broker?.webSockets,
      measures: measures({ broker, loggers, store }),
      bucket: () => addresses.bucket,
      others: () => (broker?.counters().connections ?? 0) > 0,
      refused: (source, reason) => ingest.refused(source, reason),
      requestRefused: (request) => ingest.requestRefused(request),
    }),
  );
  addresses.http.port = server.port;
  addresses.http.tlsPort = server.tlsPort;
  healthSources.brief.push(server);
  return server;
}
