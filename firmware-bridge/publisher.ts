/**
 * Publishes frame batches of one device over MQTT with QoS 1. The queue and the number of messages in flight are limited.
 *
 *   publish(batch) ─▶ queue (limit in bytes: the oldest message is dropped and counted) ─▶ in flight (limit in messages) ─▶ PUBACK
 */
import mqtt, { type MqttClient } from 'mqtt';
import { encodeBinary } from '#codec/can-binary.ts';
import type { FrameBatch } from '#contract/fleet/frame.ts';

export interface PublisherOptions {
  /** `mqtt://host:port` or `mqtts://host:port`. */
  readonly url: string;
  readonly device_id: string;
  readonly key: string;
  /** The largest number of messages that are sent and not yet acknowledged; default 16. */
  readonly maxInFlight?: number;
  /** The largest number of bytes in the queue, where messages wait while the broker is slow or unreachable; default 8 MiB. */
  readonly maxWaitingBytes?: number;
  /** Milliseconds between two attempts to reconnect; default 1,000. */
  readonly reconnectMs?: number;
}

interface PublisherCounters {
  /** Number of messages and frames that were passed to `publish`. */
  messages: number;
  frames: number;
  /** Number of messages that the broker has acknowledged. */
  acked: number;
  /** Number of messages that were dropped because the queue was full, the send failed, or the publisher was closed. */
  dropped_messages: number;
  dropped_frames: number;
  connections: number;
}

export interface Publisher extends AsyncDisposable {
  readonly counters: Readonly<PublisherCounters>;
  /**
   * Encodes the batch to a message and queues the message; an empty batch is ignored. The caller may reuse the batch after the call. The
   * same `seq` and frames always give the same bytes, so the gateway can recognise a repeated message.
   */
  publish(batch: FrameBatch, seq?: number | null): void;
  /**
   * Resolves when the queue is empty or the publisher is closed. If a caller waits for this promise before each `publish`, the queue never
   * becomes full.
   */
  room(): Promise<void>;
  /** Resolves when every message is acknowledged or dropped. */
  drained(): Promise<void>;
}

interface Message {
  readonly payload: Uint8Array;
  readonly frames: number;
}

/** Milliseconds that closing the publisher waits for acknowledgements. */
const CLOSE_MS = 1_000;

/**
 * Connects to the broker as a device. Rejects when the first connection fails, for example without a broker or with a wrong key. After
 * that, the publisher reconnects whenever the connection is lost.
 */
export async function openPublisher(options: PublisherOptions): Promise<Publisher> {
  const maxInFlight = options.maxInFlight ?? 16;
  const maxWaitingBytes = options.maxWaitingBytes ?? 8 * 1024 * 1024;
  const topic = `v1/devices/${options.device_id}/can`;
  const counters = { messages: 0, frames: 0, acked: 0, dropped_messages: 0, dropped_frames: 0, connections: 0 };
  const waiting: Message[] = [];
  let waitingBytes = 0;
  const inFlight = new Set<Message>();
  let closed = false;
  const watchers = new Set<{ until: () => boolean; resolve: () => void }>();

  const client: MqttClient = await mqtt.connectAsync(
    options.url,
    {
      protocolVersion: 4,
      username: options.device_id,
      password: options.key,
      clientId: options.device_id,
      clean: true,
      reconnectPeriod: options.reconnectMs ?? 1_000,
    },
    // Do not retry the first connection, so that the caller gets the error of a wrong key at once.
    false,
  );
  counters.connections = 1;
  // mqtt.js sets `connected` before it has resent the messages in flight. If the connection breaks during the resend, mqtt.js loses
  // messages that were published meanwhile. So do not publish before the resend is complete.
  let ready = true;
  client.on('connect', () => {
    counters.connections++;
    ready = true;
    pump();
  });
  client.on('close', () => {
    ready = false;
  });
  // Without an error listener, a refused reconnect would end the process. The client retries by itself.
  client.on('error', () => {});

  function drop(message: Message): void {
    counters.dropped_messages++;
    counters.dropped_frames += message.frames;
  }

  function pump(): void {
    while (ready && inFlight.size < maxInFlight) {
      const message = waiting.shift();
      if (message === undefined) break;
      waitingBytes -= message.payload.length;
      inFlight.add(message);
      client.publish(topic, message.payload as Buffer, { qos: 1 }, (error) => {
        if (!inFlight.delete(message)) return;
        if (error) drop(message);
        else counters.acked++;
        pump();
      });
    }
    for (const watcher of watchers) {
      if (!watcher.until()) continue;
      watchers.delete(watcher);
      watcher.resolve();
    }
  }

  function when(until: () => boolean): Promise<void> {
    if (until()) return Promise.resolve();
    return new Promise((resolve) => watchers.add({ until, resolve }));
  }

  const drained = () => when(() => (waiting.length === 0 && inFlight.size === 0) || closed);
  return {
    counters,
    publish(batch, seq = null) {
      if (batch.count === 0) return;
      const message = { payload: encodeBinary(batch, seq), frames: batch.count };
      counters.messages++;
      counters.frames += message.frames;
      if (closed) return drop(message);
      waiting.push(message);
      waitingBytes += message.payload.length;
      pump();
      while (waitingBytes > maxWaitingBytes && waiting.length > 1) {
        const oldest = waiting.shift() as Message;
        waitingBytes -= oldest.payload.length;
        drop(oldest);
      }
    },
    room: () => when(() => waiting.length === 0 || closed),
    drained,
    async [Symbol.asyncDispose]() {
      if (closed) return;
      const patience = Promise.withResolvers<void>();
      const timer = setTimeout(patience.resolve, CLOSE_MS);
      await Promise.race([drained(), patience.promise]);
      clearTimeout(timer);
      closed = true;
      const settled = inFlight.size === 0;
      // After its end, the MQTT client does not call the callbacks of messages that were not acknowledged. So count these messages as
      // dropped here.
      for (const message of [...inFlight, ...waiting.splice(0)]) drop(message);
      inFlight.clear();
      pump();
      await client.endAsync(!settled || !client.connected);
    },
  };
}
