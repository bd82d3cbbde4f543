import type { DeviceIdentity, UpTopic } from '#contract/fleet/ingest.ts';
import type { Publish } from '#servers/mqtt/connection/publish.ts';
import type { BrokerOptions } from './broker-types.ts';

/** The fields of a PUBLISH that the gateway stores. */
type Message = Pick<Publish, 'payload' | 'dup' | 'id'>;

/** Passes messages of devices to the gateway, which writes them to the journal (the file of all accepted messages). */
export class MessageIntake {
  messages = 0;
  bytes = 0;
  notTaken = 0;
  /**
   * Resolves when all messages that came so far are on disk. The broker must send acknowledgements in the order of the messages. So it
   * waits for this promise also before it acknowledges a message that it refused. [MQTT-4.6.0-2]
   */
  last: Promise<void> = Promise.resolve();
  private readonly options: Pick<BrokerOptions, 'accept' | 'clock'>;

  constructor(options: Pick<BrokerOptions, 'accept' | 'clock'>) {
    this.options = options;
  }

  /** Stores a message; resolves when it is on disk. `waits`: the sender sends its next message only after the acknowledgement. */
  take(identity: DeviceIdentity, topic: UpTopic, { payload, dup, id }: Message, waits = false): Promise<void> {
    this.messages++;
    this.bytes += payload.length;
    const { device, device_id, project_id } = identity;
    const received_at_ms = this.options.clock();
    this.last = this.options.accept({
      device,
      device_id,
      project_id,
      topic,
      payload,
      received_at_ms,
      dup,
      packet_id: id,
      waits,
    });
    return this.last;
  }

  /**
   * Resolves when the broker has routed a message between clients and all earlier messages are on disk. This keeps the acknowledgements in
   * order.
   */
  takeRouted(routed: Promise<void>): Promise<void> {
    // Ignore the error of an earlier message: only the sender of that earlier message gets no acknowledgement.
    const before = this.last.catch(() => {});
    this.last = Promise.all([before, routed]).then(() => {});
    return this.last;
  }
}
