/**
 * The pinned certificate of the gateway. The window connects to the gateway of this computer, so it accepts only a certificate that this
 * gateway's site authority has signed, or the certificate of the person (`HEADFRAME_TLS_CERT`). The data folder has both; other users of the
 * computer cannot write there. A program that took the port of the gateway has neither key.
 */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isOwnHost } from './url-policy.ts';

/** Results of a certificate check, as Electron defines them. */
export const VERDICT = { accept: 0, refuse: -2, asChromium: -3 } as const;

function read(path: string | undefined): X509Certificate | undefined {
  if (path === undefined || path === '') return undefined;
  try {
    return new X509Certificate(readFileSync(path));
  } catch {
    return undefined;
  }
}

/**
 * Checks the certificate of a host. Other hosts than this computer, such as the gateway of a kiosk, are left to Chromium. The clock does not
 * count: the computer may have lost its time, and a certificate of this authority proves the gateway at any time.
 */
export function checkCertificate(host: string, pem: string, data: string | null, own: string | undefined): number {
  if (!isOwnHost(host)) return VERDICT.asChromium;
  if (data === null) return VERDICT.refuse;
  let given: X509Certificate;
  try {
    given = new X509Certificate(pem);
  } catch {
    return VERDICT.refuse;
  }
  // The gateway may replace its certificate while the app runs, so the files are read for each check.
  const authority = read(join(data, 'tls', 'ca.pem'));
  if (authority !== undefined && given.checkIssued(authority) && given.verify(authority.publicKey))
    return VERDICT.accept;
  const chosen = read(own);
  return chosen?.raw.equals(given.raw) ? VERDICT.accept : VERDICT.refuse;
}
