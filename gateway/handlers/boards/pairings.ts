/**
 * Pairing a screen by code (RFC 8628). The screen shows a short code, and a person in the office enters it. The screen asks the gateway
 * every five seconds; after the person has entered the code, the answer contains the address of the display link (a link that shows boards
 * without a login). Codes are kept in memory for ten minutes; after a restart the screen gets a new code.
 */

import { OperationError } from '#contract/base/errors.ts';
import type { HandlerContext, Pairing, Pairings } from '#contract/context.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Output } from '#contract/operations.ts';
import { makeCode, readCode } from '#handlers/base/codes.ts';
import { changeShare, findShare, isOpen, shareUrl, stagePaired } from './display-shares.ts';
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

/** Creates the pairings. The clock is in milliseconds. While 256 screens wait, the gateway refuses further screens until codes expire. */
export function createPairings(options: { clock: () => number; random: (bytes: number) => Uint8Array }): Pairings {
  const { clock, random } = options;
  const waiting = new Map<string, Pairing>();
  const tries = new Map<string, { count: number; until_ms: number }>();

  function forget(): void {
    for (const [code, pairing] of waiting) if (pairing.expires_at_ms + LIFETIME_MS <= clock()) waiting.delete(code);
    for (const [by, { until_ms }] of tries) if (until_ms <= clock()) tries.delete(by);
  }

  function refuse(by: string): void {
    if ((tries.get(by)?.count ?? 0) >= TRIES)
      throw new OperationError('rate_limited', 'Too many wrong codes; wait ten minutes.', { param: 'user_code' });
  }

  return {
    begin(address) {
      forget();
      const own = [...waiting.values()].filter((pairing) => pairing.address === address);
      const oldest = own.length >= MOST_PER_ADDRESS ? own[0] : undefined;
      if (oldest !== undefined) waiting.delete(oldest.device_code);
      if (waiting.size >= MOST)
        throw new OperationError('rate_limited', 'Too many screens wait to be paired; try again in some minutes.');
      const taken = new Set([...waiting.values()].map(({ user_code }) => user_code));
      let user_code = makeCode(CODE_LENGTH, random);
      while (taken.has(user_code)) user_code = makeCode(CODE_LENGTH, random);
      const device_code = [...random(32)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
      const pairing = { device_code, user_code, expires_at_ms: clock() + LIFETIME_MS, target: null, address };
      waiting.set(device_code, pairing);
      return pairing;
    },
    byDeviceCode(code) {
      forget();
      return waiting.get(code);
    },
    byUserCode(code, by) {
      forget();
      refuse(by);
      const typed = readCode(code);
      for (const pairing of waiting.values())
        if (readCode(pairing.user_code) === typed && pairing.expires_at_ms > clock()) return pairing;
      if (tries.size >= MOST) tries.delete(tries.keys().next().value ?? '');
      const before = tries.get(by) ?? { count: 0, until_ms: clock() + LIFETIME_MS };
      tries.set(by, { ...before, count: before.count + 1 });
      return undefined;
    },
  };
}

function toPairing(
  context: HandlerContext,
  pairing: Pairing,
  more: Pick<Output<'display_pairings_create'>, 'status' | 'share_url'> & { device_code?: string },
): Output<'display_pairings_create'> {
  const left_s = Math.floor((pairing.expires_at_ms - Date.parse(context.now)) / 1000);
  return {
    object: 'display_pairing',
    user_code: pairing.user_code,
    verification_url: `${context.caller.base_url}/#pair=${pairing.user_code}`,
    expires_in: Math.max(0, left_s),
    interval: INTERVAL_S,
    ...more,
  };
}

/** Returns the address of the link that a person chose for the screen; null if the link is not stored yet or not active. */
async function chosenUrl(context: HandlerContext, { target }: Pairing): Promise<string | null> {
  if (target === null) return null;
  const share = await findShare(context, context.project(target.project_id), target.kind, target.object_id);
  return share === undefined || !isOpen(share.data, context.now) ? null : shareUrl(context, share);
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
    throw new OperationError('not_found', `The group of screens ${group} has no playlist.`, {
      param: 'display_group_id',
    });
  return playlist.id;
}

export const pairingHandlers = handlerGroup(['pairings'], {
  display_pairings_create(_input, context) {
    const pairing = context.pairings.begin(context.caller.address);
    const { device_code } = pairing;
    return toPairing(context, pairing, { device_code, status: 'authorization_pending', share_url: null });
  },

  async display_pairings_poll({ device_code }, context) {
    const pairing = context.pairings.byDeviceCode(device_code);
    if (pairing === undefined)
      throw new OperationError('not_found', 'This pairing has expired or was replaced; begin a new one.', {
        param: 'device_code',
      });
    const share_url = await chosenUrl(context, pairing);
    const expired = pairing.expires_at_ms <= Date.parse(context.now);
    const status = share_url !== null ? 'approved' : expired ? 'expired_token' : 'authorization_pending';
    return toPairing(context, pairing, { status, share_url });
  },

  async display_pairings_approve({ user_code, display_group_id, ...named }, context) {
    const { caller, view, pairings } = context;
    const { kind = 'playlist', object_id = await groupPlaylist(context, display_group_id) } = named;
    const pairing = pairings.byUserCode(user_code, caller.id ?? caller.address);
    const same =
      pairing?.target == null ||
      (pairing.target.project_id === view.project_id && pairing.target.object_id === object_id);
    if (pairing === undefined || !same)
      throw new OperationError('not_found', 'No screen shows this code. A code is valid once, for ten minutes.', {
        param: 'user_code',
      });
    const found = await changeShare(context, kind, object_id, 'read-or-create');
    // A repeated call must not pair a second screen.
    const share = pairing.target === null ? stagePaired(context, found, pairing.address) : found;
    pairing.target = { project_id: view.project_id, kind, object_id };
    return toPairing(context, pairing, { status: 'approved', share_url: shareUrl(context, share) });
  },
});
