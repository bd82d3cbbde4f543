/** TLS for all listeners of the gateway: one certificate, and one limit for the handshakes of all of them. */
import { type CertificateOptions, type Certificates, openCertificates } from './certificates.ts';
import { type Door, type DoorOptions, openDoor } from './door.ts';
import { createHandshakeTurns } from './handshake-turns.ts';

export interface Tls extends Disposable {
  readonly certificates: Certificates;
  /** Opens a listener with TLS. Rejects with the system error if the port cannot be used. */
  open(options: DoorOptions): Promise<Door>;
}

/** Opens the certificates; the first start creates the site authority. */
export function openTls(options: CertificateOptions): Tls {
  const certificates = openCertificates(options);
  const turns = createHandshakeTurns();
  return {
    certificates,
    open: (door) => openDoor(certificates, turns, door),
    [Symbol.dispose]: () => certificates[Symbol.dispose](),
  };
}
