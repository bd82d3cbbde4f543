import type { Client } from 'aedes';
import { DeviceShares, type Share } from '#servers/mqtt/connection/device-shares.ts';

/** Keeps the connected clients of each device, and a count of the bytes that each device sent recently (`Share`). */
export class ConnectedDevices {
  /** Number of clients that connected since the start of the broker. */
  total = 0;
  private readonly clients = new Map<string, Set<Client>>();
  private readonly shares = new DeviceShares();

  /** The device_ids of all connected devices. */
  get ids(): Iterable<string> {
    return this.clients.keys();
  }

  /** Returns the clients of a device, in the order in which they connected. */
  clientsOf(device_id: string): ReadonlySet<Client> {
    return this.clients.get(device_id) ?? new Set();
  }

  shareOf(device_id: string): Share {
    return this.shares.of(device_id);
  }

  /** Adds a client that got its CONNACK; returns all clients of the device. */
  add(device_id: string, client: Client): ReadonlySet<Client> {
    this.total++;
    const clients = this.clients.get(device_id) ?? new Set();
    this.clients.set(device_id, clients.add(client));
    return clients;
  }

  /** Removes a client; returns false if the client is not in the list. */
  remove(device_id: string, client: Client): boolean {
    const clients = this.clients.get(device_id);
    if (!clients?.delete(client)) return false;
    if (clients.size === 0) {
      this.clients.delete(device_id);
      this.shares.delete(device_id);
    }
    return true;
  }

  /** Returns how many unacknowledged bytes one connection may have: the limit of the device divided by the number of its connections. */
  allowance(device_id: string, share: Share, most: number): number {
    return Math.min(most, this.shares.portion(share)) / (this.clients.get(device_id)?.size ?? 1);
  }

  /** Returns for how many milliseconds the broker must pause before it reads from the device again. */
  pauseMs(share: Share, tookMs: number): number {
    return this.shares.pauseMs(share, tookMs);
  }
}
