/** The addresses under which others on the LAN reach this machine. */
import { networkInterfaces } from 'node:os';

/** IPv4 addresses of this machine, the likeliest LAN address first; bridges of containers come last. */
export function lanAddresses(): string[] {
  const found: { address: string; rank: number }[] = [];
  for (const [name, entries] of Object.entries(networkInterfaces()))
    for (const entry of entries ?? []) {
      if (entry.family !== 'IPv4' || entry.internal || entry.address.startsWith('169.254.')) continue;
      found.push({ address: entry.address, rank: /^(docker|br-|veth|virbr|tun|tap|wg)/.test(name) ? 1 : 0 });
    }
  return found.sort((a, b) => a.rank - b.rank).map((entry) => entry.address);
}

/** The one address to print and to put into answers: the host if it is a real one, else the first LAN address, else loopback. */
export function reachableHost(host: string): string {
  if (host !== '0.0.0.0' && host !== '::' && host !== '') return host;
  return lanAddresses()[0] ?? '127.0.0.1';
}

/** Where a program of this machine reaches what listens on `host`. */
export function localHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
