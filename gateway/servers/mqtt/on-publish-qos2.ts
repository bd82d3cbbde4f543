/**
 * Handles PUBLISH packets of QoS 2, and last wills. aedes, the MQTT library, calls this handler before it stores the packet id and sends
 * PUBREC.
 */
import type { Aedes, Client } from 'aedes';
import { type DeviceIdentity, NotTaken, type UpTopic } from '#contract/fleet/ingest.ts';
import { EMPTY_BUFFER } from '#servers/mqtt/protocol/packet-check.ts';
import { type BrokerParts, connectionOf } from './broker-parts.ts';
import { upTopicOf } from './device-topics.ts';
import type { Will } from './routing.ts';

/**
 * The broker closes a connection when its client has sent a message again this many times in a row, although the broker had acknowledged
 * it.
 */
const MAX_REPEATS = 2;

export function createQos2PublishHandler(parts: BrokerParts) {
  const { options, sessions, intake, refusals, deferredAcks } = parts;

  /** Returns true if the message is a repeat, which must not be stored again. Returns an error if it was repeated too often. */
  function checkRepeat(client: Client, messageId: number, { device_id }: DeviceIdentity): boolean | Error {
    const again = sessions.isReceived(client, messageId);
    const repeats = connectionOf(client).qos2.countRepeats(messageId, again);
    if (!again || repeats < MAX_REPEATS) return again; // [MQTT-4.3.3-2]
    refusals.repeatedPublish(device_id);
    return new Error('too many repeats');
  }

  /**
   * Returns the handler for a message that could not be stored. aedes ends the connection when `done` gets the error. If the gateway had no
   * space, the handler waits and calls `done` only when the connection ends for another reason.
   */
  function failed(client: Client | null, topic: UpTopic, done: (error: Error) => void): (error: Error) => void {
    return (error) => {
      if (client === null || !(error instanceof NotTaken)) return done(error);
      intake.notTaken++;
      deferredAcks.defer(connectionOf(client), topic, () => done(error));
    };
  }

  /** Called for each QoS 2 message and each last will, before it is published. `client` is null for a last will. */
  const authorizePublish: Aedes['authorizePublish'] = (client, packet, done) => {
    const identity = client === null ? (packet as Will).identity : connectionOf(client).device?.identity;
    // When the broker stops, it closes all connections. It must not publish the last wills of their clients.
    if (identity === undefined || parts.stopping) return done(new Error('not accepted'));
    const { topic, messageId } = packet;
    const isQos2 = packet.qos === 2 && client !== null;
    if (isQos2 && messageId !== undefined) {
      const repeat = checkRepeat(client, messageId, identity);
      if (repeat instanceof Error) return done(repeat);
      if (repeat) return done();
    }
    const own = upTopicOf(identity.device_id, topic);
    if (own === undefined) {
      if (!options.access?.publish(identity, topic)) refusals.foreignPublish(identity, topic);
      return done();
    }
    const waits = isQos2 && connectionOf(client).qos2.waitsForEach();
    const message = { payload: packet.payload as Buffer, dup: packet.dup, id: messageId ?? 0 };
    intake.take(identity, own, message, waits).then(
      () => {
        // The payload is in the journal (the file of all accepted messages). Until PUBREL the broker needs only the packet id, so free the
        // memory of the payload.
        packet.payload = EMPTY_BUFFER;
        done();
      },
      failed(client, own, done),
    );
  };
  return authorizePublish;
}
