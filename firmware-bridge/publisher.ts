/**
 * Publishes frame batches of one device over MQTT, QoS 1, with bounds on what is under way and on what waits.
 *
 *   publish(batch) ─▶ waiting (bytes bounded: the oldest gives way, counted) ─▶ in flight (messages bounded) ─▶ PUBACK
 */
import mqtt, { type MqttClient } from 'mqtt';
import { encodeBinary } from '#codec/can-binary.ts';
import type { FrameBatch } from '#contract/fleet/frame.ts';

export interface PublisherOptions {
  /** `mqtt://host:port`. */
  readonly url: string;
  readonly device_id: string;
  readonly key: string;
  /** Messages sent and not yet acknowledged; 16 when absent. */
  readonly maxInFlight?: number;
  /** Bytes that may wait while the broker is away or slow; 8 MiB when absent. */
  readonly maxWaitingBytes?: number;
  /** Milliseconds between attempts to reach a lost broker; 1,000 when absent. */
  readonly reconnectMs?: number;
}

interface PublisherCounters {
  /** Messages and frames handed to `publish`. */
  messages: number;
  frames: number;
  /** Messages that the broker has acknowledged. */
  acked: number;
  /** Given up because there was no room to wait, or because the publisher was closed first. */
  dropped_messages: number;
  dropped_frames: number;
  connections: number;
}

export interface Publisher extends AsyncDisposable {
  readonly counters: Readonly<PublisherCounters>;
  /**
   * Encodes the batch at once, so that it may be filled again, and sends it when its turn comes; an empty one is nothing. The same
   * number (`seq`) and frames again are the same message again.
   */
  publish(batch: FrameBatch, seq?: number | null): void;
  /** Resolves when nothing waits: for senders that can pause. */
  room(): Promise<void>;
  /** Resolves when everything is acknowledged or given up. */
  drained(): Promise<void>;
}

interface Message {
  readonly payload: Uint8Array;
  readonly frames: number;
}

/** How long a close waits for acknowledgements. */
const CLOSE_MS = 1_000;

/** Connects as the device; rejects when the first connection fails (no broker, wrong key), later ones are tried again for ever. */
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
      // The first attempt fails at once, so that a wrong key is told to whoever gave it.
    },
    false,
  );
  counters.connections = 1;
  // mqtt.js calls itself connected before it has sent again what was under way, and forgets what it is given meanwhile when that breaks off.
  let ready = true;
  client.on('connect', () => {
    counters.connections++;
    ready = true;
    pump();
  });
  client.on('close', () => {
    ready = false;
  });
  // Without a listener a refused reconnect would end the process; the client tries again by itself.
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
      // The client does not call back for what it still holds when it is ended.
      for (const message of [...inFlight, ...waiting.splice(0)]) drop(message);
      inFlight.clear();
      pump();
      await client.endAsync(!settled || !client.connected);
    },
  };
}
