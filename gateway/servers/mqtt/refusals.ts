import type { DeviceIdentity } from '#contract/fleet/ingest.ts';
import type { ConnectionFilter } from '#servers/mqtt/connection/connection-filter.ts';
import type { BrokerOptions } from './broker-types.ts';

/** Counts and reports refused connections, refused messages, protocol errors and clients that do not read. */
export class Refusals {
  connections = 0;
  messages = 0;
  malformed = 0;
  stalled = 0;
  private readonly options: Pick<BrokerOptions, 'refused' | 'loginRefused'>;

  constructor(options: Pick<BrokerOptions, 'refused' | 'loginRefused'>) {
    this.options = options;
  }

  socket(address: string, reason: string): void {
    this.connections++;
    this.options.refused(address, reason);
  }

  handshake(address: string, code: string): void {
    this.malformed++;
    this.options.refused(address, `TLS handshake failed: ${code}`);
  }

  login(username: string, address: string): void {
    this.connections++;
    this.options.loginRefused(username, address, 'wrong device id or key');
  }

  foreignPublish({ device, device_id }: DeviceIdentity, topic: string): void {
    this.messages++;
    const reason = `publish to a topic that the device may not use: ${topic.slice(0, 120)}`;
    this.options.refused(device_id, reason, { device, what: 'place', place: topic });
  }

  oversizePublish({ device, device_id }: DeviceIdentity): void {
    this.messages++;
    this.options.refused(device_id, 'message over 256 KiB', { device, what: 'size' });
  }

  foreignSubscription({ device_id }: DeviceIdentity, filter: string): void {
    this.messages++;
    this.options.refused(device_id, `subscription to a topic that the device may not use: ${filter.slice(0, 120)}`);
  }

  connectionLimit({ device_id }: DeviceIdentity, limit: number): void {
    this.messages++;
    this.options.refused(device_id, `more than ${limit} connections`);
  }

  repeatedPublish(device_id: string): void {
    this.malformed++;
    this.options.refused(device_id, 'repeats an acknowledged message');
  }

  protocolError(connection: ConnectionFilter, reason: string): void {
    this.malformed++;
    this.options.refused(sourceOf(connection), reason);
  }

  stalledConnection(connection: ConnectionFilter): void {
    this.stalled++;
    this.options.refused(sourceOf(connection), 'does not read its messages');
  }
}

/** Returns the device_id of a connection; before authentication, its IP address. */
function sourceOf({ device, address }: ConnectionFilter): string {
  return device?.identity.device_id ?? address;
}
