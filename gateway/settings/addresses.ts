/** The addresses under which other machines in the local network reach this machine. */
import { hostname, networkInterfaces } from 'node:os';

/** The first part of the name of this machine, in lower case and with only the characters that a host name may have. */
const label = (): string =>
  (hostname().split('.')[0] as string).toLowerCase().replace(/[^a-z0-9-]/g, '') || 'headframe';

/** The domains that local networks give to their machines. */
const LOCAL_DOMAINS = ['local', 'lan', 'home.arpa'] as const;

/** Returns the names under which other machines may reach this machine, and `localhost`. */
export function machineNames(): string[] {
  const name = label();
  return ['localhost', hostname().toLowerCase(), name, ...LOCAL_DOMAINS.map((domain) => `${name}.${domain}`)];
}

/** Returns all IP addresses of this machine, also those that only this machine can use. */
export function allAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((entries) => (entries ?? []).map(({ address }) => address));
}

/** Returns true for an interface of containers, VPNs or virtual machines. */
const isVirtual = (name: string): boolean => /^(docker|br-|veth|virbr|tun|tap|wg)/.test(name);

/** A network interface of this machine, with its IPv4 addresses. */
export interface LanInterface {
  readonly name: string;
  readonly addresses: readonly { readonly address: string; readonly prefix: number }[];
}

/**
 * Returns the interfaces of the local network on which a server that listens on `host` can be reached, without those of containers, VPNs
 * and virtual machines.
 */
export function lanInterfaces(host: string): LanInterface[] {
  const isAny = host === '0.0.0.0' || host === '::';
  return Object.entries(networkInterfaces()).flatMap(([name, entries]) => {
    const addresses = (entries ?? [])
      .filter(({ family, internal, address }) => family === 'IPv4' && !internal && (isAny || address === host))
      .map(({ address, cidr }) => ({ address, prefix: Number(cidr?.split('/')[1] ?? 32) }));
    return addresses.length === 0 || isVirtual(name) ? [] : [{ name, addresses }];
  });
}

/** Returns the IPv4 addresses of this machine. Addresses of containers, VPNs and virtual machines come last. */
export function lanAddresses(): string[] {
  const found: { address: string; rank: number }[] = [];
  for (const [name, entries] of Object.entries(networkInterfaces()))
    for (const entry of entries ?? []) {
      if (entry.family !== 'IPv4' || entry.internal || entry.address.startsWith('169.254.')) continue;
      found.push({ address: entry.address, rank: isVirtual(name) ? 1 : 0 });
    }
  return found.sort((a, b) => a.rank - b.rank).map((entry) => entry.address);
}

/**
 * Returns the address that the gateway prints and puts into answers: the configured host if it names one address, else the first address
 * of this machine in the local network, else 127.0.0.1.
 */
export function reachableHost(host: string): string {
  if (host !== '0.0.0.0' && host !== '::' && host !== '') return host;
  return lanAddresses()[0] ?? '127.0.0.1';
}

/** Returns the address at which a program on this machine reaches a server that listens on `host`. */
export function localHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
