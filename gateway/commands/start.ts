/** `headframe start`: builds the screens if their sources have changed, runs the gateway with its supervisor, and prints its addresses. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { renderUnicodeCompact } from 'uqr';
import { EXIT, type Ready, supervise } from '#process/supervisor.ts';
import { lanAddresses, reachableHost } from '#settings/addresses.ts';
import type { Config } from '#settings/config.ts';
import { VERSION } from '#settings/version.ts';
import { uiBuildId, uiIsStale } from '#ui/build.ts';
import type { Console } from './console.ts';

/** A function that starts a task beside the gateway, such as the simulator of the demo. The task is stopped before the gateway. */
export type Companion = (ready: Ready) => Promise<AsyncDisposable>;

/** Runs a gateway until it ends; resolves to the exit code of the command. */
export async function runGateway(config: Config, say: Console, companion?: Companion): Promise<number> {
  await buildScreens(say);
  let beside: Promise<AsyncDisposable> | undefined;
  let ports: Pick<Ready, 'httpPort'> = { httpPort: config.port };
  const { promise: failed, resolve: fail } = Promise.withResolvers<{ exit: number; message: string }>();

  const supervisor = supervise({
    config,
    onReady(ready) {
      ports = ready;
      announce(config, ready, say);
      if (companion === undefined || beside !== undefined) return;
      beside = companion(ready);
      beside.catch((error: unknown) => fail({ exit: EXIT.fault, message: messageOf(error) }));
    },
    onNames: (names) => announceNames(config, names, ports, say),
    onWaits(why) {
      const text = `${why} The gateway starts by itself when the disk has enough space.`;
      say.event('gateway_waits', { reason: why, msg: text }, text);
    },
    onRefused({ refused, passing, cause }) {
      say.tell('gateway_refused', { reason: refused, passing, cause });
    },
    onCrash(crash) {
      const how = crash.signal ?? `code ${crash.code}`;
      const again = `${crash.restart_in_ms / 1000} s`;
      const text =
        crash.reason === null
          ? `The gateway ended by itself (${how}); starting it again in ${again}.`
          : `${crash.reason} Trying again in ${again}.`;
      say.event('gateway_crashed', { ...crash, msg: text }, text);
    },
  });

  const asked = Promise.withResolvers<undefined>();
  // Keep the signal listener during the stop. Otherwise a second Ctrl-C would kill the process before the gateway has stopped.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => asked.resolve(undefined));
  // A program that started this command with an IPC channel asks for the stop. On Windows it cannot send a signal.
  process.on('message', (message) => {
    if (message === 'stop') asked.resolve(undefined);
  });
  process.on('disconnect', () => {
    supervisor.kill();
    process.exit(EXIT.fault);
  });
  process.channel?.unref();

  const trouble = await Promise.race([asked.promise, supervisor.ended, failed]);
  await (await beside?.catch(() => undefined))?.[Symbol.asyncDispose]();
  supervisor.stop();
  const end = trouble ?? (await supervisor.ended);
  await supervisor.ended;
  if (end.message !== null) process.stderr.write(`${end.message}\n`);
  return end.exit;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function buildScreens(say: Console): Promise<void> {
  if (!(await uiIsStale())) return;
  const text = 'Building the screens; this happens once after each change and takes some seconds.';
  say.event('building_screens', { msg: text }, text);
  // Build in a separate process, so that the memory of the bundler is freed afterwards.
  const script = fileURLToPath(new URL('../../ui/build.ts', import.meta.url));
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'ignore', 'pipe'] });
  const wrong: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => wrong.push(chunk));
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  if (code === 0) return;
  const reason = Buffer.concat(wrong).toString().trim().split('\n').slice(-5).join('\n');
  if ((await uiBuildId()) === null)
    throw new Error(`The screens could not be built; run \`npm ci\` and start again.\n${reason}`);
  say.event('screens_not_built', {
    msg: 'The screens could not be built; the gateway serves the screens that were built before.',
    reason,
  });
}

const everywhere = (config: Config) => config.host === '0.0.0.0' || config.host === '::';

/** Returns the addresses of the screens: all LAN addresses, or only the configured host. */
function urls(config: Config, port: number): string[] {
  const hosts = everywhere(config) ? lanAddresses() : [config.host];
  return (hosts.length > 0 ? hosts : ['127.0.0.1']).map((host) => `http://${inUrl(host)}:${port}/`);
}

// RFC 3986 3.2.2: an IPv6 address needs brackets.
const inUrl = (host: string) => (host.includes(':') ? `[${host}]` : host);

/** Tells the names of the gateway in the local network, when they are known and when they change. */
function announceNames(
  config: Config,
  names: readonly string[],
  { httpPort }: Pick<Ready, 'httpPort'>,
  say: Console,
): void {
  if (names.length === 0) return;
  const found = names.map((name) => `http://${name}:${httpPort}/`);
  const text = `  ${'Name'.padEnd(12)}${found.join(' or ')}   (in this network; most phones and computers find it)`;
  say.event('names', { names: found, demo: config.demo, msg: `In this network also: ${found.join(', ')}` }, text);
}

function whereDataGoes({ role }: Config, { headOffice }: Ready): string {
  if (role === 'cloud') return 'This is head office: sites send their data to it.';
  return headOffice === null ? 'Nothing leaves this machine.' : `This site sends its data to ${headOffice}.`;
}

function announce(config: Config, ready: Ready, say: Console): void {
  const addresses = urls(config, ready.httpPort);
  const [first = ''] = addresses;
  const note = (name: string) => (ready.encryptedOnly.includes(name) ? '   (only for this computer)' : '');
  if (say.person) {
    const minutes = ready.claim && Math.round((Date.parse(ready.claim.expires_at) - Date.now()) / 60_000);
    const rows = [
      ...addresses.map((url, i) => [i === 0 ? 'Screens' : '', url]),
      ...(config.role === 'cloud'
        ? [['With TLS', `https ${ready.httpsPort} (see ${first}trust)`]]
        : [
            ['MQTT', `${reachableHost(config.host)}:${ready.mqttPort}${note('mqtt')}`],
            ['Bucket', `http://${reachableHost(config.host)}:${ready.bucketPort}${note('bucket')}`],
            [
              'With TLS',
              `https ${ready.httpsPort}, MQTT ${ready.mqttsPort}, bucket ${ready.bucketTlsPort} (see ${first}trust)`,
            ],
          ]),
      ['Data', config.data],
      ready.claim === null
        ? ['Claim code', 'claimed: this gateway has an owner']
        : [
            'Claim code',
            `${ready.claim.code}   (valid for ${minutes} minutes; \`headframe claim-code\` prints a new one)`,
          ],
    ];
    process.stdout.write(
      `\nHeadframe ${VERSION} is running.${config.demo ? '  DEMO: every machine is simulated.' : ''}\n\n`,
    );
    for (const [name = '', value = ''] of rows) process.stdout.write(`  ${name.padEnd(12)}${value}\n`);
    // The demo prints the code of its TV link instead.
    if (!config.demo)
      process.stdout.write(
        `\n  Scan this code with a phone to open the office page:\n\n${renderUnicodeCompact(first)}\n`,
      );
    process.stdout.write(`\n${whereDataGoes(config, ready)} Stop with Ctrl-C.\n`);
    return;
  }
  say.event('ready', {
    http: `http://${everywhere(config) ? '127.0.0.1' : inUrl(config.host)}:${ready.httpPort}`,
    mqtt: ready.mqttPort,
    bucket: ready.bucketPort,
    https: `https://${everywhere(config) ? '127.0.0.1' : inUrl(config.host)}:${ready.httpsPort}`,
    mqtts: ready.mqttsPort,
    bucket_tls: ready.bucketTlsPort,
    encrypted_only: ready.encryptedOnly,
    urls: addresses,
    data: config.data,
    claimed: ready.claim === null,
    claim_code: ready.claim?.code ?? null,
    claim_code_expires_at: ready.claim?.expires_at ?? null,
    demo: config.demo,
    version: VERSION,
    head_office: ready.headOffice,
    msg: `Headframe is running. ${whereDataGoes(config, ready)}`,
  });
}
