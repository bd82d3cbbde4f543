/**
 * Finds the stored secrets that the gateway cannot decrypt, because it was restored without its sealing key. Health names them until a
 * person sets each of them again or enters the recovery code.
 */
import { StoreError } from '#contract/base/store-error.ts';
import { type CollectionName, NODE_PROJECT, type Stored, WriteConflict } from '#contract/base/view.ts';
import type { HmacData } from '#contract/fleet/bucket.ts';
import type { ShareData } from '#contract/site/display.ts';
import type { Problem } from '#contract/site/node.ts';
import type { UserData } from '#contract/site/user.ts';
import type { LogPasswordsData } from '#contract/work/decode.ts';
import type { WebhookEndpointData } from '#contract/work/webhook.ts';
import type { Store } from '#store/open-store.ts';
import { walk } from '#store/walk.ts';
import { pinKeyId } from './pins.ts';
import type { FolderSealer } from './sealer.ts';

/** Id of the document with the ids of the sealing keys that this database has used. */
export const SEALING_KEYS_ID = 'sealing_keys';
/** The document keeps this many ids, the newest first. */
const MOST_IDS = 8;

/** Data of the document `SEALING_KEYS_ID`. */
export interface SealingKeysData {
  checks: readonly string[];
}

export interface LostSecrets {
  problems(): readonly Problem[];
  /** Looks again, if secrets were lost at the last look. */
  look(): Promise<void>;
}

/** One kind of stored secrets: where they are, which of them the gateway has lost, and the words for them. */
interface SecretKind {
  readonly collection: CollectionName;
  readonly object: string;
  readonly lost: (document: Stored, sealer: FolderSealer) => number;
  readonly one: string;
  readonly many: string;
}

function kind<T>(
  [collection, object]: readonly [CollectionName, string],
  words: readonly [one: string, many: string],
  lost: (data: T, opens: (sealed: string, record: string) => boolean, id: string, sealer: FolderSealer) => number,
): SecretKind {
  return {
    collection,
    object,
    one: words[0],
    many: words[1],
    lost: ({ id, data }, sealer) =>
      lost(data as T, (sealed, record) => sealer.tryOpen(sealed, record) !== undefined, id, sealer),
  };
}

const link = (
  { token, token_hash }: Pick<ShareData, 'token' | 'token_hash'>,
  opens: (a: string, b: string) => boolean,
) => Number(token !== null && !opens(token, token_hash));

const KINDS: readonly SecretKind[] = [
  kind<HmacData>(
    ['local', 'hmac_credential'],
    ['key pair of a logger (roll it)', 'key pairs of loggers (roll them)'],
    ({ sealed, access_key_id }, opens) => Number(sealed !== '' && !opens(sealed, access_key_id)),
  ),
  kind<Record<string, unknown>>(
    ['records', 'device_config'],
    ['secret in a logger configuration (enter it again)', 'secrets in logger configurations (enter them again)'],
    (data, opens, id) => sealedIn(data).filter((sealed) => !opens(sealed, id)).length,
  ),
  kind<LogPasswordsData>(
    ['local', 'log_passwords'],
    ['password of log files (enter it again)', 'passwords of log files (enter them again)'],
    ({ sealed }, opens, id) => sealed.filter((one) => !opens(one, id)).length,
  ),
  kind<WebhookEndpointData>(
    ['local', 'webhook_endpoint'],
    ['secret of a webhook (rotate it)', 'secrets of webhooks (rotate them)'],
    ({ secret }, opens, id) => Number(!opens(secret, id)),
  ),
  kind<UserData>(['local', 'user'], ['PIN (reset it)', 'PINs (reset them)'], ({ pin }, _opens, _id, { key }) =>
    Number(pin != null && pin.key !== pinKeyId(key)),
  ),
  kind<ShareData>(
    ['local', 'display_share'],
    [
      'address of a display link (screens keep showing it; rotate it to see the address)',
      'addresses of display links (screens keep showing them; rotate them to see the addresses)',
    ],
    link,
  ),
  kind<ShareData>(
    ['local', 'fault_link'],
    [
      'QR code of a machine (printed codes stay valid; replace it to print it again)',
      'QR codes of machines (printed codes stay valid; replace them to print them again)',
    ],
    link,
  ),
];

/** Returns the sealed secrets in the configuration of a logger, at any level. */
function sealedIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  if ('sealed' in value && typeof value.sealed === 'string') return [value.sealed];
  return Object.values(value).flatMap(sealedIn);
}

/**
 * Starts to report lost secrets. Stores the id of the sealing key first, so that a recovery code can be compared with it. `shared` is the
 * data folder of a process whose database other processes use, too: it must have their key, so a folder with another one is refused.
 */
export async function followLostSecrets(store: Store, sealer: FolderSealer, shared?: string): Promise<LostSecrets> {
  // Of two processes that start at once on an empty database, the second finds the key of the first.
  await noteSealingKey(store, sealer, shared).catch(async (error: unknown) => {
    if (!(error instanceof WriteConflict)) throw error;
    await noteSealingKey(store, sealer, shared);
  });
  let found = await countLost(store, sealer);
  return {
    problems: () => (found.length === 0 ? [] : [problemOf(found)]),
    async look() {
      if (found.length > 0) found = await countLost(store, sealer);
    },
  };
}

async function noteSealingKey(store: Store, { check }: FolderSealer, shared: string | undefined): Promise<void> {
  const known = await store.node.get<SealingKeysData>('local', SEALING_KEYS_ID);
  const checks = known?.data.checks ?? [];
  if (checks[0] === check) return;
  if (shared !== undefined && known !== undefined) throw new StoreError('key_differs', shared);
  const data = { checks: [check, ...checks.filter((one) => one !== check)].slice(0, MOST_IDS) };
  const expected = known?.revision ?? 0;
  await store.commit([
    { project_id: NODE_PROJECT, collection: 'local', id: SEALING_KEYS_ID, object: 'sealing_keys', data, expected },
  ]);
}

/** Returns the number of lost secrets of each kind, in words; empty if none is lost. */
async function countLost(store: Store, sealer: FolderSealer): Promise<string[]> {
  const found: string[] = [];
  for (const { collection, object, lost, one, many } of KINDS) {
    let sum = 0;
    for await (const document of walk(store, collection, { object })) sum += lost(document, sealer);
    if (sum > 0) found.push(`${sum} ${sum === 1 ? one : many}`);
  }
  return found;
}

function problemOf(found: readonly string[]): Problem {
  return {
    code: 'secrets_lost',
    message: `The gateway was restored without its sealing key and cannot decrypt: ${found.join('; ')}.`,
    since: null,
    given_up: null,
    remedy:
      'Stop the gateway, run `headframe recovery-code --enter`, and start it again. Without the recovery code, set these secrets again.',
  };
}
