/**
 * "Encrypted only" of each listener: a stored setting decides whether other computers may use the listener without TLS. A change takes
 * effect at once.
 */
import { X509Certificate } from 'node:crypto';
import type { ListenerName, ListenerReader } from '#contract/site/listener.ts';
import type { LoggerBucket } from '#servers/bucket/logger-bucket.ts';
import type { HttpServer } from '#servers/http/http.ts';
import type { Broker } from '#servers/mqtt/broker-types.ts';
import { followEncryptedOnly } from '#watchers/encrypted-only.ts';
import type { Addresses, Foundation } from './foundation.ts';
import type { PartName } from './roles.ts';

/** Returns the base URL of the screens for other computers. */
export const httpUrl = ({ host, port, tlsPort, encryptedOnly }: Addresses['http']): string =>
  encryptedOnly ? `https://${host}:${tlsPort}` : `http://${host}:${port}`;

/** Creates the service with which handlers read the state of the listeners. `broker` is called after the start. */
export function createListenerReader(
  { addresses, plainUses, tls, clock }: Foundation,
  has: ReadonlySet<PartName>,
  broker: () => Pick<Broker, 'exposed'> | undefined,
): ListenerReader {
  return {
    state(name) {
      if (name !== 'http' && !has.has(name === 'mqtt' ? 'broker' : 'bucket')) return undefined;
      const { host, port, tlsPort } = addresses[name];
      const connected = new Map((broker()?.exposed() ?? []).map(({ device, address }) => [device.device, address]));
      if (name === 'mqtt')
        for (const { device, address } of broker()?.exposed() ?? []) plainUses.note('mqtt', userOf(device), address);
      const plain_users = plainUses
        .list(name)
        .map((one) => ({ ...one, is_connected: name === 'mqtt' && connected.has(one.id) }));
      return { host, port, tls_port: tlsPort || null, plain_users };
    },
    certificateIsValid() {
      const { validFromDate, validToDate } = new X509Certificate(tls.certificates.current().certificate);
      const now = clock();
      return validFromDate.getTime() <= now && now < validToDate.getTime();
    },
  };
}

/** Describes a device as a user of a listener. */
export const userOf = (of: { readonly device: string; readonly device_id: string; readonly project_id: string }) =>
  ({ kind: 'device', id: of.device, name: of.device_id, project_id: of.project_id }) as const;

/** Applies changes of the setting to the listeners. Returns the unsubscribe function. */
export function followEncryption(
  { store, addresses, log, plainUses }: Foundation,
  listeners: {
    readonly mqtt: Broker | undefined;
    readonly bucket: LoggerBucket | undefined;
    readonly http: HttpServer;
  },
): () => void {
  const { mqtt, bucket, http } = listeners;
  return followEncryptedOnly(store, (name: ListenerName, on) => {
    if (addresses[name].encryptedOnly === on) return;
    addresses[name].encryptedOnly = on;
    log('info', on ? 'a listener is encrypted only' : 'a listener accepts connections without TLS', { listener: name });
    if (name === 'mqtt') mqtt?.restrict(on);
    if (name === 'bucket') bucket?.restrict(on);
    if (!on) return;
    const exposed = mqtt?.exposed() ?? [];
    for (const { device, address } of exposed) plainUses.note('mqtt', userOf(device), address);
    if (name === 'bucket') bucket?.closeExposed();
    else {
      // MQTT over WebSocket uses the port of HTTP, so both settings end it.
      mqtt?.closeExposed(name === 'http' ? 'web_sockets' : 'all');
      const devices = exposed.map(({ device }) => device.device_id);
      if (name === 'mqtt') log('info', 'closed MQTT connections without TLS', { devices });
    }
    if (name === 'http') log('info', 'closed HTTP sockets without TLS', { clients: [...http.closeExposed()] });
  });
}
