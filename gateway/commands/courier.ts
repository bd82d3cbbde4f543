/**
 * `headframe courier`: writes the files that a person carries between a site and head office, and reads those of the other end. The gateway
 * of the data folder does the work, whether it runs or not.
 */
import { closeSync, createReadStream, existsSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import type { ErrorBody } from '#contract/base/errors.ts';
import { type Client, ClientError } from '#contract/client.ts';
import type { CourierBundle } from '#contract/site/sync-courier.ts';
import { EXIT } from '#process/supervisor.ts';
import type { Config } from '#settings/config.ts';
import { syncFile, syncFolder } from '#store/base/durable.ts';
import { CommandError } from './command-line.ts';
import { withGateway } from './control.ts';
import { createByteProgress } from './progress.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const MIB = 1 << 20;

interface ExportArgs {
  readonly folder: string;
  readonly site?: string | undefined;
  readonly megabytes?: string | undefined;
  readonly json?: unknown;
}

/** Writes bundles into a folder until nothing is left for the other end. */
export async function exportBundles(config: Config, args: ExportArgs): Promise<void> {
  const most = args.megabytes === undefined ? undefined : Number(args.megabytes) * MIB;
  if (most !== undefined && !(most > 0))
    throw new CommandError('--megabytes must be a number of mebibytes.', EXIT.usage);
  if (!existsSync(args.folder) || !statSync(args.folder).isDirectory())
    throw new CommandError(`There is no folder ${args.folder}. Name the folder of the USB stick.`, EXIT.refused);
  await withGateway(config, async (client) => {
    const gateway_id = await gatewayFor(client, args.site);
    const files: { file: string; bundle: CourierBundle }[] = [];
    for (let after: string | undefined; ; ) {
      const input = { gateway_id, after, most_bytes: most === undefined ? undefined : Math.floor(most) };
      const file = await download(client, input, args.folder);
      const made = (await client.call('sync_courier', {})).data.find(({ way }) => way === 'made');
      if (made === undefined) throw new CommandError('The gateway does not know the bundle that it wrote.');
      files.push({ file, bundle: made });
      if (args.json !== true) say(`${file}  ${made.bytes} bytes. ${made.sentence}`);
      if (!made.more) break;
      after = made.id;
    }
    if (args.json === true) say(JSON.stringify({ files }));
    else
      say(
        `Carry ${files.length === 1 ? 'this file' : `these ${files.length} files`} to the other end, and import there.`,
      );
  });
}

/** At head office, the gateway of a site; undefined at a site. */
async function gatewayFor(client: Client, site: string | undefined): Promise<string | undefined> {
  const { role, gateways } = await client.call('sync_status', {});
  if (role === 'site') return undefined;
  const found =
    site === undefined ? gateways : gateways.filter(({ name, gateway_id }) => [name, gateway_id].includes(site));
  if (found.length === 1) return found[0]?.gateway_id;
  const names = gateways.map(({ name, gateway_id }) => `  ${gateway_id}  ${name}`).join('\n');
  throw new CommandError(
    site === undefined
      ? `Name the site for which the files are with --site:\n${names}`
      : `${found.length === 0 ? 'No site has' : 'Several sites have'} this name. Name one of these by its id:\n${names}`,
    EXIT.usage,
  );
}

/** Writes one file. It has its name only when it is complete and on the disk. */
async function download(client: Client, input: Record<string, unknown>, folder: string): Promise<string> {
  const answer = await ask(client.url('sync_courier_export', input), { headers: client.headers() });
  const name = nameOf(answer);
  const file = join(folder, name);
  const draft = `${file}.partial`;
  const progress = createByteProgress(`Writing ${name}`);
  try {
    const target = openSync(draft, 'w', 0o600);
    try {
      for await (const chunk of answer.body ?? []) {
        for (let done = 0; done < chunk.length; ) done += writeSync(target, chunk, done);
        progress.tell(chunk.length);
      }
    } finally {
      closeSync(target);
    }
    syncFile(draft);
    renameSync(draft, file);
    syncFolder(folder);
    return file;
  } catch (error) {
    rmSync(draft, { force: true });
    throw new CommandError(`The file ${file} could not be written: ${reasonOf(error)}.`, EXIT.fault, { cause: error });
  } finally {
    progress.end();
  }
}

/** The reason without the word "Error", such as ENOSPC of a full stick. */
const reasonOf = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'ENOSPC' ? 'the stick is full; choose a smaller size with --megabytes, or another stick' : message;
};

function nameOf(answer: Response): string {
  const [, name = ''] = /filename\*=UTF-8''([^;]+)/.exec(answer.headers.get('content-disposition') ?? '') ?? [];
  const plain = basename(decodeURIComponent(name));
  return plain === '' ? 'headframe.hfbundle' : plain;
}

/** Sends a request whose body or answer is not JSON. Throws `ClientError`. */
async function ask(url: string, init: RequestInit & { readonly duplex?: 'half' }): Promise<Response> {
  const answer = await fetch(url, init).catch((cause: unknown) => {
    throw new ClientError('The gateway does not answer.', null, null, cause);
  });
  if (answer.ok) return answer;
  const { error } = (await answer.json()) as ErrorBody;
  throw new ClientError(error.message, answer.status, error);
}

interface ImportArgs {
  readonly file: string;
  readonly 'earlier-life'?: unknown;
  readonly json?: unknown;
}

/** Reads a bundle. */
export async function importBundle(config: Config, args: ImportArgs): Promise<number> {
  const { file } = args;
  if (!existsSync(file) || !statSync(file).isFile()) throw new CommandError(`There is no file ${file}.`, EXIT.refused);
  return await withGateway(config, async (client) => {
    const progress = createByteProgress(`Reading ${basename(file)}`, statSync(file).size);
    const content = createReadStream(file);
    content.on('data', (chunk) => progress.tell(chunk.length));
    try {
      const answer = await ask(client.url('sync_courier_import', {}), {
        method: 'POST',
        headers: {
          ...client.headers(),
          'content-type': 'application/octet-stream',
          ...(args['earlier-life'] === true && { 'earlier-life': 'take' }),
        },
        body: Readable.toWeb(content) as ReadableStream,
        duplex: 'half',
      });
      const bundle = (await answer.json()) as CourierBundle;
      progress.end();
      say(args.json === true ? JSON.stringify(bundle) : `${bundle.site}: ${bundle.sentence}`);
      return bundle.state === 'taken' ? EXIT.ok : EXIT.fault;
    } finally {
      progress.end();
      content.destroy();
    }
  });
}

/** Lists the bundles that this end wrote and read. */
export async function listBundles(config: Config, args: { readonly json?: unknown }): Promise<void> {
  await withGateway(config, async (client) => {
    const { data } = await client.call('sync_courier', {});
    if (args.json === true) say(JSON.stringify({ data }));
    else if (data.length === 0) say('No bundle was written or read here.');
    else for (const { at, way, site, state, sentence } of data) say(`${at}  ${way}  ${state}  ${site}: ${sentence}`);
  });
}
