/**
 * `headframe courier`: writes the files that a person carries between a site and head office, and reads those of the other end. The gateway
 * of the data folder does the work, whether it runs or not.
 */
import {
  closeSync,
  createReadStream,
  existsSync,
  openSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs';
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
  readonly files?: string | undefined;
  readonly next?: unknown;
  readonly json?: unknown;
}

/** The least size of a file. */
const LEAST_BYTES = 64 << 10;
/** Largest size of a file, if the person does not choose another one. */
const FILE_BYTES = 256 * MIB;
/** Bytes of a stick that stay free, for its directory. */
const SPARE_BYTES = MIB;

function mebibytes(name: string, text: string | undefined, least: number): number | undefined {
  if (text === undefined) return undefined;
  const bytes = Math.floor(Number(text) * MIB);
  if (!(bytes >= least)) throw new CommandError(`--${name} must be a number of mebibytes.`, EXIT.usage);
  return bytes;
}

/** Bytes that the stick can take. */
function freeOn(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return Math.max(0, bavail * bsize - SPARE_BYTES);
}

/**
 * Writes bundles into a folder until nothing is left for the other end. Photos and logs end when the stick is full, or at the size that the
 * person chose; the next stick goes on there.
 */
export async function exportBundles(config: Config, args: ExportArgs): Promise<void> {
  const most = mebibytes('megabytes', args.megabytes, 1) ?? FILE_BYTES;
  let left = mebibytes('files', args.files, 0) ?? Number.MAX_SAFE_INTEGER;
  if (!existsSync(args.folder) || !statSync(args.folder).isDirectory())
    throw new CommandError(`There is no folder ${args.folder}. Name the folder of the USB stick.`, EXIT.refused);
  await withGateway(config, async (client) => {
    const gateway_id = await gatewayFor(client, args.site);
    const before = args.next === true ? await lastMade(client, gateway_id) : undefined;
    const files: { file: string; bundle: CourierBundle }[] = [];
    for (let after = before?.id; ; ) {
      const free = freeOn(args.folder);
      if (free < LEAST_BYTES && files.length > 0) break;
      if (free < LEAST_BYTES) throw new CommandError(`The stick ${args.folder} is full.`, EXIT.fault);
      const most_bytes = Math.min(most, free);
      const input = { gateway_id, after, most_bytes, file_bytes: Math.min(left, most_bytes) };
      const file = await download(client, input, args.folder);
      const made = await lastMade(client, gateway_id);
      if (made === undefined) throw new CommandError('The gateway does not know the bundle that it wrote.');
      files.push({ file, bundle: made });
      left -= made.file_bytes;
      if (args.json !== true) say(`${file}  ${made.bytes} bytes. ${made.sentence}`);
      // A file with no part of a photo or log had no room for one, or nothing is left.
      if (!made.more && (made.files_left === 0 || left <= 0 || made.file_bytes === 0)) break;
      after = made.id;
    }
    if (args.json === true) say(JSON.stringify({ files }));
    else for (const line of closing(files.map(({ bundle }) => bundle))) say(line);
  });
}

function closing(made: readonly CourierBundle[]): string[] {
  const last = made.at(-1);
  const waits = last !== undefined && (last.more || last.files_left > 0);
  return [
    `Carry ${made.length === 1 ? 'this file' : `these ${made.length} files`} to the other end, and import there.`,
    ...(waits ? ['Not everything is on this stick. Write the rest on another one: use --next.'] : []),
  ];
}

/** The bundle that was written last for the other end. */
async function lastMade(client: Client, gateway_id: string | undefined): Promise<CourierBundle | undefined> {
  const { data } = await client.call('sync_courier', {});
  return data.find((one) => one.way === 'made' && (gateway_id === undefined || one.gateway_id === gateway_id));
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
  const body = (await answer.json().catch(() => undefined)) as ErrorBody | undefined;
  if (body?.error === undefined)
    throw new ClientError(
      `The gateway answered ${answer.status} without saying why. Try again; its log may say more.`,
      answer.status,
      null,
    );
  throw new ClientError(body.error.message, answer.status, body.error);
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
