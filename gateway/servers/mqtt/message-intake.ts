import type { DeviceIdentity, UpTopic } from '#contract/fleet/ingest.ts';
import type { Publish } from '#servers/mqtt/connection/publish.ts';
import type { BrokerOptions } from './broker-types.ts';

/** The fields of a PUBLISH that the gateway stores. */
type Message = Pick<Publish, 'payload' | 'dup' | 'id'>;

/** Hands messages of devices to the gateway, which writes them to the journal. */
export class MessageIntake {
  messages = 0;
  bytes = 0;
  notTaken = 0;
  /**
   * Resolves when all messages so far are on disk. A message that needs no disk is acknowledged after it too, because acknowledgements
   * must have the order of the messages. [MQTT-4.6.0-2]
   */
  last: Promise<void> = Promise.resolve();
  private readonly options: Pick<BrokerOptions, 'accept' | 'clock'>;

  constructor(options: Pick<BrokerOptions, 'accept' | 'clock'>) {
    this.options = options;
  }

  /** Resolves when the message is on disk. `waits`: the sender waits for the acknowledgement before it sends its next message. */
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

  /** Adds the routing of a message between clients to the order; resolves when it and all messages before it are done. */
  takeRouted(routed: Promise<void>): Promise<void> {
    // An earlier message that was refused concerns its own sender only.
    const before = this.last.catch(() => {});
    this.last = Promise.all([before, routed]).then(() => {});
    return this.last;
  }
}
