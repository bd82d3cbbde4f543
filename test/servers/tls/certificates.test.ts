import assert from 'node:assert/strict';
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { connect, createServer } from 'node:tls';
import { promisify } from 'node:util';
import { openSealer } from '#gateway/sealer.ts';
import { type CertificateOptions, type Certificates, openCertificates } from '#servers/tls/certificates.ts';

const DAY_MS = 86_400_000;
const NOW = Date.parse('2026-11-24T12:00:00Z');
const NAMES = ['box.local', 'localhost', '127.0.0.1', '192.168.7.20', 'fd12::7'];

interface Place {
  readonly folder: string;
  open(more?: Partial<CertificateOptions>): Certificates;
  now: number;
}

function place(t: TestContext): Place {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-tls-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const at: Place = {
    folder,
    now: NOW,
    open(more = {}) {
      const certificates = openCertificates({
        folder,
        names: () => NAMES,
        revocationUrl: () => null,
        own: null,
        clock: () => at.now,
        log: () => {},
        sealer: openSealer(folder),
        ...more,
      });
      t.after(() => certificates[Symbol.dispose]());
      return certificates;
    },
  };
  return at;
}

const read = (certificates: Certificates) => new X509Certificate(certificates.current().certificate);
const codes = (certificates: Certificates) => certificates.problems().map(({ code }) => code);
const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' }).toString();
const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

/** Signs a certificate for any names with the stolen key of the authority in `folder`. */
function forge(folder: string, names: string): { key: string; certificate: string } {
  const [key, request, extensions, out] = ['f.key', 'f.csr', 'f.ext', 'f.pem'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
    string,
  ];
  openssl(
    'req',
    '-new',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-subj',
    '/CN=box',
    '-keyout',
    key,
    '-out',
    request,
  );
  writeFileSync(extensions, `subjectAltName=${names}\n`);
  // The thief has the whole folder, so the key that encrypts the key of the authority, too.
  const stolen = join(folder, 'stolen.pem');
  writeFileSync(stolen, openSealer(folder).open(readFileSync(join(folder, 'ca-key.pem'), 'utf8'), 'tls/ca-key.pem'));
  const by = ['-CA', join(folder, 'ca.pem'), '-CAkey', stolen, '-CAcreateserial'];
  openssl('x509', '-req', '-in', request, ...by, '-days', '90', '-extfile', extensions, '-out', out);
  return { key: readFileSync(key, 'utf8'), certificate: readFileSync(out, 'utf8') };
}

/** Makes a TLS connection to a server with this pair; the error of the client, or `ok`. */
async function handshake(pair: { key: string; certificate: string }, ca: string, servername: string): Promise<string> {
  const server = createServer({ key: pair.key, cert: pair.certificate }, (socket) => socket.end());
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = connect({ port, host: '127.0.0.1', ca, servername });
  const outcome = await new Promise<string>((done) => {
    client.once('secureConnect', () => done('ok'));
    client.once('error', (error) => done(error.message));
  });
  client.destroy();
  server.close();
  return outcome;
}

test('[E1] a certificate of the site authority for another name or address is refused', {
  skip: !hasOpenssl && 'openssl is not installed',
}, async (t) => {
  const at = place(t);
  const ca = at.open().authority();
  const own = forge(at.folder, 'DNS:box.local,IP:10.1.2.3');
  assert.equal(await handshake(own, ca, 'box.local'), 'ok');
  for (const foreign of ['DNS:box.local,DNS:example.com', 'DNS:box.local,IP:8.8.8.8', 'DNS:box.local,IP:2001:db8::1'])
    assert.equal(await handshake(forge(at.folder, foreign), ca, 'box.local'), 'permitted subtree violation', foreign);
  const text = openssl('x509', '-noout', '-text', '-in', join(at.folder, 'ca.pem'));
  assert.match(text, /Name Constraints: critical/);
  assert.match(text, /CA:TRUE, pathlen:0/);
  openssl('verify', '-x509_strict', '-CAfile', join(at.folder, 'ca.pem'), join(at.folder, 'cert.pem'));
});

test('[E2] the certificate has the names and addresses that the constraint allows', (t) => {
  const at = place(t);
  const names = [...NAMES, 'example.com', '8.8.8.8', '2001:db8::1', 'plainhost'];
  const found = read(at.open({ names: () => names }));
  assert.equal(
    found.subjectAltName,
    'DNS:box.local, DNS:localhost, IP Address:127.0.0.1, IP Address:192.168.7.20, IP Address:FD12:0:0:0:0:0:0:7',
  );
  assert.equal((found.validToDate.getTime() - found.validFromDate.getTime()) / DAY_MS, 397);
  assert.equal((NOW - found.validFromDate.getTime()) / DAY_MS, 2);
});

test('[E2] the gateway signs a new certificate before the end, after the end, and for a new address', (t) => {
  const at = place(t);
  const first = at.open();
  at.now = NOW + 330 * DAY_MS;
  assert.equal(read(at.open()).serialNumber, read(first).serialNumber, 'valid for 65 days more');
  at.now = NOW + 336 * DAY_MS;
  const renewed = read(at.open());
  assert.notEqual(renewed.serialNumber, read(first).serialNumber);
  at.now = NOW + 5 * 365 * DAY_MS;
  const late = at.open();
  assert.ok(read(late).validToDate.getTime() > at.now + 300 * DAY_MS, 'it expired while the gateway did not run');
  const moved = read(at.open({ names: () => [...NAMES, '10.20.30.40'] }));
  assert.equal(moved.checkIP('10.20.30.40'), '10.20.30.40');
  assert.equal(
    read(at.open({ names: () => NAMES.slice(0, 3) })).serialNumber,
    moved.serialNumber,
    'a name that is gone',
  );
  assert.equal(first.authority(), late.authority());
});

test('[E2] a running gateway signs a new certificate and tells its listeners', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const at = place(t);
  let names = NAMES;
  const certificates = at.open({ names: () => names });
  const seen: string[] = [];
  certificates.watch(() => seen.push(certificates.current().certificate));
  const before = read(certificates).serialNumber;
  t.mock.timers.tick(10_000);
  assert.equal(seen.length, 0);
  names = [...NAMES, '10.20.30.40'];
  t.mock.timers.tick(10_000);
  assert.equal(seen.length, 1);
  assert.notEqual(read(certificates).serialNumber, before);
});

test('[E3] a wrong clock does not make the authority or the certificate useless', (t) => {
  const at = place(t);
  at.now = Date.parse('1970-01-02T00:00:00Z');
  const ca = new X509Certificate(at.open().authority());
  assert.equal(ca.validFromDate.toISOString(), '2026-01-01T00:00:00.000Z');
  assert.equal(ca.validToDate.toISOString(), '2049-12-31T23:59:59.000Z');
  at.now = NOW;
  assert.ok(read(at.open()).validToDate.getTime() > NOW, 'the clock was set');

  at.now = NOW + 300 * DAY_MS;
  const ahead = read(at.open({ names: () => [...NAMES, 'new.local'] }));
  at.now = NOW;
  const back = read(at.open());
  assert.ok(back.validFromDate.getTime() < NOW, 'the clock was set back');
  assert.equal(back.validToDate.getTime(), ahead.validToDate.getTime());

  at.now = NOW + 4_000 * DAY_MS;
  at.open();
  at.now = NOW;
  const far = read(at.open());
  assert.equal((far.validToDate.getTime() - far.validFromDate.getTime()) / DAY_MS, 825);
});

test('[E10] openssl fetches the revocation list at the address that the certificate names, and accepts it', {
  skip: hasOpenssl ? false : 'openssl is not installed',
}, async (t) => {
  const at = place(t);
  at.now = Date.now();
  const asked: string[] = [];
  const server = createHttpServer(({ url }, response) => {
    asked.push(url ?? '');
    response.end(certificates.revocationList());
  });
  t.after(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/trust/ca.crl`;
  const certificates = at.open({ revocationUrl: () => url });
  const [ca, cert] = [join(at.folder, 'ca.pem'), join(at.folder, 'cert.pem')];
  const check = ['verify', '-CAfile', ca, '-crl_check', '-crl_download', cert];
  const { stdout } = await promisify(execFile)('openssl', check);
  assert.match(stdout, /cert.pem: OK/);
  assert.deepEqual(asked, ['/trust/ca.crl']);
  const text = openssl('crl', '-inform', 'DER', '-in', join(at.folder, 'ca.crl'), '-noout', '-text', '-CAfile', ca);
  assert.match(text, /No Revoked Certificates/);
  const list = (name: string) => Date.parse(new RegExp(`${name}: (.*)`).exec(text)?.[1] ?? '');
  assert.equal(list('Last Update'), read(certificates).validFromDate.getTime());
  assert.equal(list('Next Update'), read(certificates).validToDate.getTime());
});

test('[E10] a certificate that names another address of the list, or a lost list, is signed again', (t) => {
  const at = place(t);
  const first = read(at.open()).serialNumber;
  const url = 'http://192.168.7.20:8480/trust/ca.crl';
  const named = read(at.open({ revocationUrl: () => url }));
  assert.notEqual(named.serialNumber, first);
  const again = at.open({ revocationUrl: () => url });
  assert.equal(read(again).serialNumber, named.serialNumber);
  const list = again.revocationList();
  assert.deepEqual(list, readFileSync(join(at.folder, 'ca.crl')));
  rmSync(join(at.folder, 'ca.crl'));
  const mended = at.open({ revocationUrl: () => url });
  assert.notEqual(read(mended).serialNumber, named.serialNumber);
  assert.notDeepEqual(mended.revocationList(), list);
});

test('[E10] while the key of the authority cannot be used, the gateway keeps the list that it has', (t) => {
  const at = place(t);
  const list = at.open().revocationList();
  writeFileSync(join(at.folder, 'ca-key.pem'), 'damaged');
  assert.deepEqual(at.open().revocationList(), list);
});

test('[E4] the files are private', (t) => {
  const at = place(t);
  at.open();
  rmSync(join(at.folder, 'secret.key'));
  const files = readdirSync(at.folder);
  assert.deepEqual(files.toSorted(), ['ca-key.pem', 'ca.crl', 'ca.pem', 'cert.pem', 'key.pem']);
  for (const name of files) assert.equal(statSync(join(at.folder, name)).mode & 0o777, 0o600, name);
});

test('[E4] private keys are encrypted on the disk, also those that an earlier version wrote without encryption', (t) => {
  const at = place(t);
  const first = at.open();
  const { key } = first.current();
  const sealer = openSealer(at.folder);
  const paths = ['ca-key.pem', 'key.pem'].map((name) => [name, join(at.folder, name)] as const);
  for (const [name, path] of paths) {
    const stored = readFileSync(path, 'utf8');
    assert.doesNotMatch(stored, /PRIVATE KEY/);
    writeFileSync(path, sealer.open(stored, `tls/${name}`));
  }
  const again = at.open();
  assert.equal(again.current().key, key);
  assert.equal(again.authority(), first.authority());
  for (const [, path] of paths) assert.doesNotMatch(readFileSync(path, 'utf8'), /PRIVATE KEY/);
});

test('[E4] without the sealing key the gateway makes a new authority, keeps the old file and says so', (t) => {
  const at = place(t);
  const before = at.open().authority();
  const old = readFileSync(join(at.folder, 'ca-key.pem'), 'utf8');
  rmSync(join(at.folder, 'secret.key'));
  const opened = at.open();
  assert.notEqual(opened.authority(), before);
  assert.ok(read(opened).verify(new X509Certificate(opened.authority()).publicKey));
  assert.equal(readFileSync(join(at.folder, 'ca-key.pem.unreadable'), 'utf8'), old);
  assert.deepEqual(codes(opened), ['site_authority_replaced']);
});

test('[E4] damaged files of the certificate are made again under the same authority', (t) => {
  const at = place(t);
  const ca = at.open().authority();
  for (const name of ['cert.pem', 'key.pem'])
    for (const damage of ['', 'not PEM', readFileSync(join(at.folder, name), 'utf8').slice(0, 200)]) {
      writeFileSync(join(at.folder, name), damage);
      const opened = at.open();
      assert.equal(opened.authority(), ca);
      assert.ok(read(opened).verify(new X509Certificate(ca).publicKey));
      assert.deepEqual(codes(opened), []);
    }
  rmSync(join(at.folder, 'ca.pem'));
  const again = new X509Certificate(at.open().authority());
  const [before, subject] = [new X509Certificate(ca), again.subject];
  assert.equal(subject, before.subject);
  assert.equal(again.serialNumber, before.serialNumber);
  assert.ok(read(at.open()).checkIssued(before), 'a device that trusts the lost file still trusts the gateway');
});

test('[E4] while the key of the authority cannot be used, the certificate stays in use until it ends', (t) => {
  const at = place(t);
  const first = at.open();
  const path = join(at.folder, 'ca-key.pem');
  const key = readFileSync(path);
  writeFileSync(path, 'damaged');
  const second = at.open();
  assert.equal(second.current().certificate, first.current().certificate);
  assert.equal(second.authority(), first.authority());
  assert.deepEqual(codes(second), ['site_authority_unreadable']);
  assert.match(second.problems()[0]?.message ?? '', /ca-key\.pem/);

  writeFileSync(path, key);
  at.now = NOW + 350 * DAY_MS;
  const restored = at.open();
  assert.deepEqual(codes(restored), []);
  assert.notEqual(restored.current().certificate, first.current().certificate);

  writeFileSync(path, 'damaged');
  at.now = NOW + 800 * DAY_MS;
  const replaced = at.open();
  assert.notEqual(replaced.authority(), first.authority());
  assert.deepEqual(codes(replaced), ['site_authority_replaced']);
  assert.ok(read(replaced).validToDate.getTime() > at.now);
  assert.equal(readFileSync(`${path}.unreadable`, 'utf8'), 'damaged');
  rmSync(`${path}.unreadable`);
  assert.deepEqual(codes(replaced), []);
});

test("[E7] files of one's own are used, read again when they change, and refused by name", {
  skip: !hasOpenssl && 'openssl is not installed',
}, (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const [at, other] = [place(t), place(t)];
  other.open();
  const own = { certificate: join(other.folder, 'own.pem'), key: join(other.folder, 'own.key') };
  const put = (pair: { key: string; certificate: string }) => {
    writeFileSync(own.certificate, pair.certificate);
    writeFileSync(own.key, pair.key);
  };
  const good = forge(other.folder, 'DNS:one.local');
  at.now = Date.now();
  put(good);
  const certificates = at.open({ own });
  assert.equal(read(certificates).subjectAltName, 'DNS:one.local');
  assert.ok(certificates.isOwn());

  const next = forge(other.folder, 'DNS:two.local');
  put(next);
  t.mock.timers.tick(10_000);
  assert.equal(read(certificates).subjectAltName, 'DNS:two.local');

  const refusals: readonly [() => void, RegExp][] = [
    [() => writeFileSync(own.certificate, good.certificate), /own\.key does not belong to the certificate .*own\.pem/],
    [() => writeFileSync(own.certificate, 'no PEM'), /own\.pem has no certificate in PEM/],
    [() => rmSync(own.certificate), /certificate file .*own\.pem cannot be read/],
    [
      () => {
        put(next);
        writeFileSync(own.key, 'no PEM');
      },
      /own\.key has no private key in PEM/,
    ],
    [() => rmSync(own.key), /key file .*own\.key cannot be read/],
    [() => writeFileSync(own.certificate, Buffer.alloc(2 << 20, 65)), /own\.pem cannot be read/],
  ];
  for (const [damage, message] of refusals) {
    damage();
    t.mock.timers.tick(10_000);
    assert.deepEqual(codes(certificates), ['tls_files_refused']);
    assert.match(certificates.problems()[0]?.message ?? '', message);
    assert.equal(read(certificates).subjectAltName, 'DNS:two.local', 'the earlier certificate stays');
  }
  const fallback = at.open({ own });
  assert.ok(!fallback.isOwn());
  assert.equal(read(fallback).checkHost('box.local'), 'box.local');
  assert.match(fallback.problems()[0]?.message ?? '', /the certificate of the site authority until then/);

  put(good);
  t.mock.timers.tick(10_000);
  assert.deepEqual(codes(certificates), []);
  at.now += 80 * DAY_MS;
  assert.deepEqual(codes(certificates), ['tls_certificate_ends']);
  at.now += 20 * DAY_MS;
  assert.match(certificates.problems()[0]?.message ?? '', /has expired/);
  assert.match(at.open({ own }).problems()[0]?.message ?? '', /expired on \d{4}-\d\d-\d\d\. Replace it/);
});
