/** Announces the gateway and its listeners in the local network under its names. */
import { X509Certificate } from 'node:crypto';
import type { ProjectData } from '#contract/site/project.ts';
import { startMdns } from '#servers/mdns/mdns.ts';
import { type Service, siteLabel } from '#servers/mdns/records.ts';
import { allAddresses, lanInterfaces } from '#settings/addresses.ts';
import { VERSION } from '#settings/version.ts';
import type { Foundation } from './foundation.ts';

/** The name of the oldest site, which follows the store. */
async function followSiteName({ store, log }: Foundation): Promise<{ current(): string | null } & Disposable> {
  const read = async () => {
    const [oldest] = await store.node.find<ProjectData>('records', { object: 'project', order: 'asc', limit: 1 });
    return oldest?.data.name ?? null;
  };
  let name = await read();
  const unwatch = store.changes((changes) => {
    if (!changes.some(({ document }) => document.object === 'project')) return;
    read().then(
      (found) => {
        name = found;
      },
      (error: unknown) => log('warn', 'reading the name of the site failed', { error: String(error) }),
    );
  });
  return { current: () => name, [Symbol.dispose]: unwatch };
}

/** Starts to announce the gateway, unless the settings switch it off. Call it when all listeners have their ports. */
export async function startAnnouncing(parts: AsyncDisposableStack, foundation: Foundation): Promise<void> {
  const { config, localNames, addresses, healthSources, store, tls, log } = foundation;
  const { base } = localNames;
  if (base === null) return;
  const site = parts.use(await followSiteName(foundation));
  const services = (): Service[] => {
    const fingerprint = new X509Certificate(tls.certificates.authority()).fingerprint256.replaceAll(':', '');
    const text = {
      id: store.nodeId,
      name: site.current() ?? base,
      v: VERSION,
      api: '/api/v1',
      tls: '1',
      fp: fingerprint.toLowerCase(),
      https: String(addresses.http.tlsPort),
    };
    const all: Service[] = [
      { type: '_headframe._tcp', port: addresses.http.port, text },
      { type: '_http._tcp', port: addresses.http.port, text: { path: '/' } },
      { type: '_https._tcp', port: addresses.http.tlsPort, text: { path: '/' } },
      { type: '_mqtt._tcp', port: addresses.mqtt.encryptedOnly ? 0 : addresses.mqtt.port, text: {} },
      { type: '_secure-mqtt._tcp', port: addresses.mqtt.tlsPort, text: {} },
    ];
    return all.filter(({ port }) => port !== 0);
  };
  const mdns = parts.use(
    startMdns({
      wanted() {
        const label = siteLabel(site.current() ?? '');
        const main = { base, first: localNames.first(base), services: services() };
        if (label === null || label === base) return [main];
        return [main, { base: label, first: localNames.first(label), services: [] }];
      },
      interfaces: () => lanInterfaces(config.host),
      addresses: allAddresses,
      changed: (names) => localNames.set(names),
      got: (...name) => localNames.got(...name),
      log,
    }),
  );
  healthSources.brief.push(mdns);
}
