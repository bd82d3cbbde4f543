/** The address of head office, as a person gives it. */
import { BlockList, isIP } from 'node:net';

/** Addresses that only one network has: here a connection without TLS stays within the site. */
const NEAR = new BlockList();
for (const [network, bits] of [
  ['10.0.0.0', 8],
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  NEAR.addSubnet(network, bits);

/** Returns the address of head office in its usual form; a sentence if it is not one. */
export function readCloudUrl(text: string): { readonly url: string } | { readonly wrong: string } {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    return { wrong: 'The address of head office must begin with https://, such as https://head-office.example.com.' };
  if (url.username !== '' || url.search !== '' || url.hash !== '')
    return { wrong: 'The address of head office must have no user name, no ? and no #.' };
  const near = url.hostname === 'localhost' || (isIP(url.hostname) === 4 && NEAR.check(url.hostname));
  if (url.protocol === 'http:' && !near)
    return { wrong: 'Use https:// for head office. http:// is possible only for an address of the own network.' };
  return { url: `${url.origin}${url.pathname.replace(/\/+$/, '')}` };
}
