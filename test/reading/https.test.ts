/** The page of a project over HTTPS: only a server with a valid certificate of its name is read. */
import assert from 'node:assert/strict';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setDefaultCACertificates } from 'node:tls';
import { fetchPage } from '#reading/page-fetch.ts';
import { createAuthority, signCertificate } from '#servers/tls/site-authority.ts';

/** A server with a certificate of `site.local`. It notes the names that clients ask for. */
async function serve(pair: { readonly key: string; readonly certificate: string }) {
  const asked: string[] = [];
  const server = createServer({ key: pair.key, cert: pair.certificate }, (_, response) => response.end('Two loaders.'));
  server.on('secureConnection', ({ servername }) => asked.push(String(servername)));
  server.listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  const { port } = server.address() as AddressInfo;
  const options = { resolve: async () => ['127.0.0.1'], permits: () => true, permitsPort: () => true };
  return {
    asked,
    read: (name: string) => fetchPage(`https://${name}:${port}/`, options),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

test('[Q34] a page is read only from a server with a valid certificate of its name', async () => {
  const authority = createAuthority();
  await using site = await serve(signCertificate(authority, ['site.local'], null, new Date()).pair);
  await assert.rejects(site.read('site.local'), /The certificate of the page is not valid \(\w+\)/);
  setDefaultCACertificates([authority.certificate]);
  const { content } = await site.read('site.local');
  assert.equal(Buffer.from(content).toString(), 'Two loaders.');
  assert.ok(site.asked.includes('site.local'), 'the request names the host');
  await assert.rejects(
    site.read('other.local'),
    /The certificate of the page is not valid \(ERR_TLS_CERT_ALTNAME_INVALID\)/,
  );
});
