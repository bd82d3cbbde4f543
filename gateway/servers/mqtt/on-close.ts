import type { ConnectionFilter } from '#servers/mqtt/connection/connection-filter.ts';
import { type BrokerParts, clientOf } from './broker-parts.ts';

/**
 * Creates the handler that runs when a socket is closed. It runs for every cause of the closing, and no other code reports that a device is
 * disconnected.
 */
export function createCloseHandler(parts: BrokerParts, lastClosed: () => void) {
  const { options, connections, admission, sessions, wills, presence, devices } = parts;
  return function onClose(connection: ConnectionFilter): void {
    connections.delete(connection);
    const isExposed = parts.exposed.delete(connection);
    if (parts.stopping && connections.size === 0) lastClosed();
    const { device } = connection;
    admission.release(connection.address, device !== undefined);
    const client = clientOf(connection);
    sessions.detach(client);
    // Publish the will first: before the call of `disconnected`, and before the broker accepts the next connection with this client id.
    wills.ended(connection, presence.wasRegistered(connection) && !connection.disconnectReceived);
    presence.closed(connection);
    if (device === undefined || !devices.remove(device.identity.device_id, client)) return;
    options.disconnected(device.identity);
    if (isExposed) options.exposed?.(device.identity, connection.address);
  };
}
