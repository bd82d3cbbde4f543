/** Which addresses the windows may open, and which go to the browser of the person. */

/** Returns the origin of an address; undefined for an address without one, such as `data:` or `javascript:`. */
function originOf(address: string): string | undefined {
  const url = URL.parse(address);
  return url === null || url.origin === 'null' ? undefined : url.origin;
}

/** Returns true if a page may navigate to the address: only within the origin that the app has opened in this view. */
export function mayNavigate(address: string, home: string): boolean {
  const origin = originOf(home);
  return origin !== undefined && originOf(address) === origin;
}

/**
 * Returns true if the app may pass the address to the browser of the person: https, and http to an address of the gateway itself, such as
 * the TV page. Other protocols could start programs.
 */
export function mayOpenOutside(address: string, gateway: readonly string[]): boolean {
  const url = URL.parse(address);
  if (url === null || url.username !== '' || url.password !== '' || address.length > 2_000) return false;
  if (url.protocol === 'https:') return true;
  return url.protocol === 'http:' && gateway.some((own) => originOf(own) === url.origin);
}

/** Returns true for a host name that only this computer has. */
export function isOwnHost(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** Returns the address of a kiosk page if it may be shown: http or https, without a user name. */
export function kioskAddress(text: string): string | undefined {
  const url = URL.parse(text.trim());
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined;
  return url.username === '' && url.password === '' && url.href.length <= 500 ? url.href : undefined;
}
