/** Counters of the broker, the bucket and the store, for `/metrics`. */

import type { LoggerBucket } from '#servers/bucket/logger-bucket.ts';
import type { Measure } from '#servers/http/metrics.ts';
import type { Broker } from '#servers/mqtt/broker-types.ts';
import type { Store } from '#store/open-store.ts';

/** Returns the counters by name. A counter is read when `/metrics` is requested. */
export function measures(of: {
  readonly broker: Pick<Broker, 'counters'> | undefined;
  readonly loggers: Pick<LoggerBucket, 'counters'> | undefined;
  readonly store: Pick<Store, 'stats'>;
}): Measure[] {
  return [
    ...(of.broker ? brokerMeasures(of.broker) : []),
    ...(of.loggers ? bucketMeasures(of.loggers) : []),
    ...storeMeasures(of.store),
  ];
}

const count = (name: string, help: string, read: () => number): Measure => ({ name: `headframe_${name}`, help, read });

function brokerMeasures(broker: Pick<Broker, 'counters'>): Measure[] {
  return [
    count('mqtt_connections', 'Open MQTT connections.', () => broker.counters().connections),
    count('mqtt_messages_total', 'MQTT messages accepted from devices.', () => broker.counters().messages_total),
    count(
      'mqtt_bytes_total',
      'Payload bytes of the MQTT messages accepted from devices.',
      () => broker.counters().bytes_total,
    ),
    count(
      'mqtt_refused_connections_total',
      'MQTT connections refused.',
      () => broker.counters().refused_connections_total,
    ),
    count(
      'mqtt_refused_messages_total',
      'MQTT messages, subscriptions and connections of known devices that the broker refused.',
      () => broker.counters().refused_messages_total,
    ),
    count('mqtt_malformed_total', 'MQTT packets that violated the protocol.', () => broker.counters().malformed_total),
    count(
      'mqtt_sessions',
      'MQTT sessions that the broker keeps, of connected and absent clients.',
      () => broker.counters().sessions,
    ),
    count('mqtt_queued_messages', 'MQTT messages that wait for a device.', () => broker.counters().queued),
    count(
      'mqtt_dropped_messages_total',
      'Queued MQTT messages that the broker discarded before it sent them.',
      () => broker.counters().dropped_total,
    ),
    count(
      'mqtt_frozen_total',
      'MQTT connections that the broker closed because the client did not read.',
      () => broker.counters().frozen_total,
    ),
    count(
      'mqtt_not_taken_total',
      'MQTT messages not accepted because disk space or memory was short.',
      () => broker.counters().not_taken_total,
    ),
    count(
      'mqtt_owing',
      'MQTT connections with messages that were not accepted and that the device will send again.',
      () => broker.counters().deferred_connections,
    ),
  ];
}

function bucketMeasures(loggers: Pick<LoggerBucket, 'counters'>): Measure[] {
  return [
    count('bucket_requests_total', 'Requests to the bucket.', () => loggers.counters().requests),
    count(
      'bucket_refused_total',
      'Requests and connections that the bucket refused.',
      () => loggers.counters().refused,
    ),
    count(
      'bucket_bytes_total',
      'Bytes of objects and upload parts that the bucket accepted.',
      () => loggers.counters().bytes,
    ),
    count('bucket_sockets', 'Open sockets of the bucket.', () => loggers.counters().sockets),
  ];
}

function storeMeasures(store: Pick<Store, 'stats'>): Measure[] {
  return [
    count('store_commits_total', 'Transactions of the database.', () => store.stats().commits),
    count('store_rows_total', 'Rows written to the database.', () => store.stats().rows),
  ];
}
