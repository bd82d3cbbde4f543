/**
 * Pairing a screen by code (RFC 8628). The screen shows a short code, and a person in the office enters it. The screen asks the gateway
 * every five seconds; after the person has entered the code, the answer contains the address at which this screen shows its board without a
 * login. Codes are stored for ten minutes, so all processes of a head office know them.
 */

import { OperationError } from '#contract/base/errors.ts';
import { hashId } from '#contract/base/ids.ts';
import { say } from '#contract/base/told.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Output } from '#contract/operations.ts';
import type { PairingData, PairingTries } from '#contract/site/display.ts';
import { makeCode, readCode } from '#handlers/base/codes.ts';
import { stageGuard } from '#handlers/base/guards.ts';
import { stageNewDisplay } from './displays.ts';
import { playlistsOf } from './playlists.ts';

const CODE_LENGTH = 6;
const LIFETIME_MS = 10 * 60_000;
/** Seconds between polls. */
const INTERVAL_S = 5;
/** Largest number of waiting screens, in all and per address. */
const MOST = 256;
const MOST_PER_ADDRESS = 8;
/** Number of wrong codes that one caller may send in ten minutes. */
const TRIES = 10;

/** Id of the document that each new code writes, so that the limits hold for all processes together. */
const GUARD = 'display_pairings';
const KIND = 'display_pairing';

type Waiting = Stored<PairingData>;

/** Creates the counts of wrong codes. They are in memory: each process counts for itself. The clock is in milliseconds. */
export function createPairingTries(clock: () => number): PairingTries {
  const tries = new Map<string, { count: number; until_ms: number }>();
  const of = (by: string) => {
    const found = tries.get(by);
    return found !== undefined && found.until_ms > clock() ? found : { count: 0, until_ms: clock() + LIFETIME_MS };
  };
  return {
    check(by) {
      if (of(by).count >= TRIES)
        throw new OperationError('rate_limited', 'Too many wrong codes; wait ten minutes.', { param: 'user_code' });
    },
    wrong(by) {
      const { count, until_ms } = of(by);
      tries.delete(by);
      if (tries.size >= MOST) tries.delete(tries.keys().next().value ?? '');
      tries.set(by, { count: count + 1, until_ms });
    },
  };
}

/** The id of a pairing has the hash of the code that only the screen knows. */
const idOf = ({ sha256 }: HandlerContext, device_code: string): string => hashId(KIND, sha256(device_code));

/** Returns true for a code that expired so long ago that its screen does not ask any more. */
const isOver = ({ expires_ms }: PairingData, now: string): boolean => expires_ms + LIFETIME_MS <= Date.parse(now);

/** Returns all screens that wait, the oldest first. */
function waitingScreens({ node }: HandlerContext): Promise<Waiting[]> {
  return node.find<PairingData>('local', { object: KIND, order: 'asc', limit: 2 * MOST });
}

/** Stages a device code and a user code for a screen, and the end of older codes. Throws `rate_limited` at the limit. */
async function stagePairing(context: HandlerContext): Promise<{ pairing: PairingData; device_code: string }> {
  const { caller, now, node, secret } = context;
  const random = (bytes: number): Uint8Array => Buffer.from(secret(bytes), 'base64url');
  const { address } = caller;
  await stageGuard(context, node, GUARD);
  const all = await waitingScreens(context);
  const over = all.filter(({ data }) => isOver(data, now));
  const own = all.filter((one) => !over.includes(one) && one.data.address === address);
  const ended = [...over, ...own.slice(0, Math.max(0, own.length - MOST_PER_ADDRESS + 1))];
  if (all.length - ended.length >= MOST)
    throw new OperationError('rate_limited', 'Too many screens wait to be paired; try again in some minutes.');
  for (const current of ended) {
    const { id, data, revision: expected } = current;
    node.stage({ collection: 'local', id, object: KIND, data, current, expected, deleted: true });
  }
  const taken = new Set(all.map(({ data }) => data.user_code));
  let user_code = makeCode(CODE_LENGTH, random);
  while (taken.has(user_code)) user_code = makeCode(CODE_LENGTH, random);
  const device_code = secret(32);
  const pairing: PairingData = { user_code, expires_ms: Date.parse(now) + LIFETIME_MS, target: null, address };
  node.stage({ collection: 'local', id: idOf(context, device_code), object: KIND, data: pairing, expected: 0 });
  return { pairing, device_code };
}

/** Returns the waiting screen with this user code. Throws `rate_limited` if the caller has sent too many wrong codes. */
async function screenWith(context: HandlerContext<'pairingTries'>, user_code: string): Promise<Waiting | undefined> {
  const { caller, now, pairingTries } = context;
  const by = caller.id ?? caller.address;
  pairingTries.check(by);
  const typed = readCode(user_code);
  const found = (await waitingScreens(context)).find(
    ({ data }) => readCode(data.user_code) === typed && data.expires_ms > Date.parse(now),
  );
  if (found === undefined) pairingTries.wrong(by);
  return found;
}

function toPairing(
  context: HandlerContext,
  pairing: PairingData,
  more: Pick<Output<'display_pairings_create'>, 'status' | 'share_url'> & { device_code?: string },
): Output<'display_pairings_create'> {
  const left_s = Math.floor((pairing.expires_ms - Date.parse(context.now)) / 1000);
  return {
    object: 'display_pairing',
    user_code: pairing.user_code,
    verification_url: `${context.caller.base_url}/#pair=${pairing.user_code}`,
    expires_in: Math.max(0, left_s),
    interval: INTERVAL_S,
    ...more,
  };
}

/** Returns the address for the screen, with the host name that the caller used; null if nobody has paired it, or if it was unpaired. */
async function chosenUrl(context: HandlerContext, { target }: PairingData): Promise<string | null> {
  if (target === null) return null;
  const display = await context.project(target.project_id).get('local', target.display);
  return display === undefined ? null : urlOf(context, target);
}

function urlOf({ sealer, caller }: HandlerContext, target: NonNullable<PairingData['target']>): string | null {
  const token = sealer.tryOpen(target.token, target.token_hash);
  return token === undefined ? null : `${caller.base_url}/tv/${token}`;
}

/** Returns the playlist of a group of screens. Throws if the group has no playlist, or if the request names no group. */
async function groupPlaylist(context: HandlerContext, group: string | undefined): Promise<string> {
  if (group === undefined)
    throw new OperationError(
      'parameter_missing',
      'Give the object that the screen shows: `kind` and `object_id`, or `display_group_id`.',
      {
        param: 'object_id',
      },
    );
  const [playlist] = await playlistsOf(context.view, [group]);
  if (playlist === undefined)
    throw new OperationError('not_found', say('The group of screens {group} has no playlist.', { group }), {
      param: 'display_group_id',
    });
  return playlist.id;
}

export const pairingHandlers = handlerGroup(['pairingTries'], {
  async display_pairings_create(_input, context) {
    const { pairing, device_code } = await stagePairing(context);
    return toPairing(context, pairing, { device_code, status: 'authorization_pending', share_url: null });
  },

  async display_pairings_poll({ device_code }, context) {
    const pairing = (await context.node.get<PairingData>('local', idOf(context, device_code)))?.data;
    if (pairing === undefined || isOver(pairing, context.now))
      throw new OperationError('not_found', 'This pairing has expired or was replaced; begin a new one.', {
        param: 'device_code',
      });
    const share_url = await chosenUrl(context, pairing);
    const expired = pairing.expires_ms <= Date.parse(context.now);
    const status = share_url !== null ? 'approved' : expired ? 'expired_token' : 'authorization_pending';
    return toPairing(context, pairing, { status, share_url });
  },

  async display_pairings_approve({ user_code, display_group_id, kind = 'playlist', ...given }, context) {
    const { view } = context;
    const object_id = given.object_id ?? (await groupPlaylist(context, display_group_id));
    const current = await screenWith(context, user_code);
    const target = current?.data.target ?? null;
    const same = target === null || (target.project_id === view.project_id && target.object_id === object_id);
    if (current === undefined || !same)
      throw new OperationError('not_found', 'No screen shows this code. A code is valid once, for ten minutes.', {
        param: 'user_code',
      });
    // A repeated call must not pair a second screen.
    if (target !== null)
      return toPairing(context, current.data, { status: 'approved', share_url: urlOf(context, target) });
    const { id: display, ...token } = await stageNewDisplay(context, {
      ...{ kind, object_id, address: current.data.address },
      ...{ name: given.name, inches: given.inches, metres: given.metres },
    });
    const made = { project_id: view.project_id, object_id, display, ...token };
    const { id, revision: expected } = current;
    const data: PairingData = { ...current.data, target: made };
    context.node.stage({ collection: 'local', id, object: KIND, data, current, expected });
    return toPairing(context, data, { status: 'approved', share_url: urlOf(context, made) });
  },
});
