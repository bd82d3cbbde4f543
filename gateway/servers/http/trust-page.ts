/** The page `/trust`: how people make their devices trust the site authority of this gateway. It needs no key and has no script. */
import { X509Certificate } from 'node:crypto';
import { escapeMarkup as text } from '#servers/base/markup.ts';

/** What the page shows about TLS of this gateway. */
export interface Trust {
  /** Returns the certificate of the site authority in PEM. */
  readonly authority: () => string;
  /** Returns the revocation list of the authority in DER; undefined if there is none. */
  readonly revocationList: () => Buffer | undefined;
  /** Returns true if the listeners use a certificate from files of the settings. */
  readonly isOwn: () => boolean;
  /** Returns a QR code as SVG; null if the text is too long. */
  readonly qr: (text: string) => string | null;
  /** Returns the names that the gateway announces in the local network. */
  readonly names: () => readonly string[];
  /** Returns the ports with TLS; 0 for a listener that this gateway does not have. */
  readonly ports: () => { readonly https: number; readonly mqtts: number; readonly bucket: number };
}

const FILE = '/trust/ca.pem';
/** The path of the revocation list of the site authority. */
export const REVOCATION_LIST = '/trust/ca.crl';

/** Builds the page for a client that reached the gateway at `origin`, such as `http://192.168.1.10:8480`. */
export function trustPage(trust: Trust, origin: string): string {
  const { hostname } = new URL(origin);
  const certificate = new X509Certificate(trust.authority());
  const { https, mqtts, bucket } = trust.ports();
  const name = certificate.subject.replace(/^CN=/, '');
  const address = `https://${hostname}:${https}/`;
  const others = trust.names().filter((one) => one !== hostname);
  const also =
    others.length === 0
      ? ''
      : ` In this network the gateway also has the name ${others
          .map((one) => `https://${one}:${https}/`)
          .map((url) => `<a href="${text(url)}">${text(url)}</a>`)
          .join(' and ')}, which stays the same when its address changes.`;
  const steps = STEPS.map(
    ({ system, lines }) =>
      `<section><h2>${system}</h2><ol>${lines({ host: hostname, mqtts, bucket, name })
        .map((line) => `<li>${code(line)}</li>`)
        .join('')}</ol></section>`,
  );
  const own = trust.isOwn()
    ? '<p><strong>This gateway uses a certificate from files of its settings.</strong> Devices must trust the authority of that certificate, not the one on this page.</p>'
    : '';
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Headframe: trust this gateway</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/docs/reference.css"></head>
<body class="alone"><main><h1>Trust this gateway</h1>${own}
<p>With TLS, nobody on the network can read or change what a device and the gateway send each other. Install the certificate of the site authority once on each device. Then use <a href="${text(address)}">${text(address)}</a>.${also}</p>
<section><h2>The certificate</h2><p><a href="${FILE}">Download the certificate</a>, or scan the code with the phone or tablet.</p>
<div class="qr">${trust.qr(`${origin}${FILE}`) ?? ''}</div>
<dl><dt>Name</dt><dd>${text(name)}</dd><dt>Fingerprint (SHA-256)</dt><dd><code class="hash">${certificate.fingerprint256}</code></dd></dl>
<p>Before you install it, compare the fingerprint with the one that the computer of the gateway shows: ${code('`openssl x509 -in DATA/tls/ca.pem -noout -fingerprint -sha256`')} (DATA is the data folder).</p>
<p>The authority can sign only names below ${code('`.local`, `.lan`, `.home.arpa` and `localhost`')}, and private addresses. It cannot sign a certificate for a web site on the internet.</p></section>
${steps.join('\n')}</main></body></html>`;
}

/** The values that the steps show. */
interface Shown {
  readonly host: string;
  readonly mqtts: number;
  readonly bucket: number;
  readonly name: string;
}

/** For each system, the steps. A text in backquotes is typed or pressed. */
const STEPS: readonly { readonly system: string; readonly lines: (shown: Shown) => readonly string[] }[] = [
  {
    system: 'Windows',
    lines: () => [
      'Download the certificate, and rename the file to `ca.crt`.',
      'Open the file, and press `Install Certificate...`.',
      'Select `Local Machine`, then `Place all certificates in the following store`, then `Trusted Root Certification Authorities`.',
      'Restart the browser. Firefox uses the same store.',
    ],
  },
  {
    system: 'Android',
    lines: () => [
      'Download the certificate with Chrome.',
      'Open `Settings`, search for `CA certificate`, press `Install anyway`, and select the file.',
      'Android shows a notice that the network may be monitored. It shows this notice for every certificate that a user installs.',
    ],
  },
  {
    system: 'iPhone and iPad',
    lines: ({ name }) => [
      'Open the address of the certificate in Safari, and allow the download of the profile.',
      `Open \`Settings\`, \`General\`, \`VPN & Device Management\`, and install the profile \`${name}\`.`,
      `Open \`Settings\`, \`General\`, \`About\`, \`Certificate Trust Settings\`, and switch on \`${name}\`. Without this step the certificate has no effect.`,
    ],
  },
  {
    system: 'macOS',
    lines: () => [
      'Download the certificate, and type `sudo security add-trusted-cert -d -r trustRoot -k /Library/Keychains/System.keychain ~/Downloads/ca.pem`.',
    ],
  },
  {
    system: 'Linux',
    lines: ({ name }) => [
      'Debian and Ubuntu: type `sudo cp ca.pem /usr/local/share/ca-certificates/headframe.crt && sudo update-ca-certificates`.',
      `Chromium: type \`certutil -d sql:$HOME/.pki/nssdb -A -t C,, -n "${name}" -i ca.pem\` (package \`libnss3-tools\`).`,
      'Programs in Node.js: set `NODE_EXTRA_CA_CERTS=/path/of/ca.pem`.',
    ],
  },
  {
    system: 'MQTT devices and mosquitto',
    lines: ({ host, mqtts }) => [
      `Use port \`${mqtts}\` and the file of the certificate: \`mosquitto_pub --cafile ca.pem -h ${host} -p ${mqtts} -u DEVICE_ID -P DEVICE_KEY -i DEVICE_ID -q 1 -t v1/devices/DEVICE_ID/status -m '{"status":"online"}'\`.`,
    ],
  },
  {
    system: 'CANedge',
    lines: ({ host, bucket }) => [
      'Load the certificate to the logger as the maker describes for a self-signed server (TLS).',
      `In the section \`connect.s3.server\` of the configuration, set \`endpoint\` to \`https://${host}\` and \`port\` to \`${bucket}\`.`,
    ],
  },
];

/** Escapes text for HTML, and shows words in backquotes as code. */
function code(plain: string): string {
  return text(plain).replace(/`([^`]+)`/g, '<code>$1</code>');
}
