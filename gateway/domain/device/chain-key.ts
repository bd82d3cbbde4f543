/** The key step of the diagnosis: whether the device has a valid key, and whether attempts with a wrong key were refused. */
import { part, say, type Told } from '#contract/base/told.ts';
import type { DeviceTrail, Transport } from '#contract/fleet/ingest.ts';
import {
  type ChainFacts,
  hasFreshData,
  isOpen,
  iso,
  isSilent,
  type Judge,
  number,
  seenMs,
  step,
} from './chain-facts.ts';

/** Attempts to authenticate as the device that the gateway refused, over one transport. */
type Refusals = NonNullable<DeviceTrail['refused_login']> & { readonly over: Transport; readonly why: string };

/**
 * Returns the refused attempts over the transport of the device. If there are none and the device sends nothing, returns the refused
 * attempts over the transport that was tried last.
 */
function refusalOf(facts: ChainFacts): Refusals | null {
  const { transport, trail } = facts;
  const { refused_login: login, refused_request: request, refused_signature: signature } = trail;
  const all: Refusals[] = [
    ...(login === null ? [] : [{ ...login, over: 'mqtt' as const, why: WRONG_KEY }]),
    ...(signature === null ? [] : [{ ...signature, over: 'upload' as const, why: WRONG_KEY }]),
    ...(request === null
      ? []
      : [{ ...request, over: 'http' as const, why: request.reason === 'no_key' ? NO_KEY : WRONG_KEY }]),
  ];
  const own = all.find(({ over }) => over === transport);
  if (own !== undefined || !isSilent(facts)) return own ?? null;
  return all.reduce<Refusals | null>((last, one) => (last === null || one.at_ms > last.at_ms ? one : last), null);
}

const WRONG_KEY = 'the key is wrong';
const NO_KEY = 'it had no header "Authorization: Bearer" with a key';

/** True if the device itself is authenticated: it has an open session, or it sends fresh data over HTTP. */
const isLetIn = (facts: ChainFacts) => isOpen(facts) || (facts.transport === 'http' && hasFreshData(facts));

/**
 * When the gateway last accepted data or a file from the device, in milliseconds since 1970; 0 for never. An uploaded file counts too: the
 * gateway updates `last_seen_at` only some time after the upload, when it has processed the file.
 */
function acceptedMs(facts: ChainFacts): number {
  const { file } = facts;
  return Math.max(seenMs(facts) ?? 0, file === null ? 0 : Date.parse(file.received_at));
}

/** The refused attempts, if the last one is newer than everything that the gateway accepted from the device; otherwise null. */
export function lockedOut(facts: ChainFacts): Refusals | null {
  const refused = refusalOf(facts);
  return refused === null || isLetIn(facts) || refused.at_ms <= acceptedMs(facts) ? null : refused;
}

/** Says how many attempts were refused. With `besides` the gateway accepts the device itself, and refused only these attempts. */
function refusedWords({ over, count: n, address, why }: Refusals, besides: boolean): Told {
  const params = { n, count: number(n), address };
  if (besides)
    return over === 'http'
      ? say(
          '{count} request to its address was refused besides, the last from {address}.|{count} requests to its address were refused besides, the last from {address}.',
          params,
        )
      : say(
          '{count} login under its name was refused besides, the last from {address}.|{count} logins under its name were refused besides, the last from {address}.',
          params,
        );
  const of = { ...params, why: part(why) };
  return over === 'http'
    ? say(
        '{count} request to its address was refused, the last from {address}: {why}.|{count} requests to its address were refused, the last from {address}: {why}.',
        of,
      )
    : say(
        '{count} login under its name was refused, the last from {address}: {why}.|{count} logins under its name were refused, the last from {address}: {why}.',
        of,
      );
}

const replaceWords = (serial: string | null): Told =>
  serial === null
    ? say('A lost key is replaced: provision the device again.')
    : say('A lost key is replaced: provision the device again with the serial {serial}.', { serial });

export const key: Judge = (facts) => {
  const { device, transport, key: has } = facts;
  const { serial, device_id, last_seen_at: seen } = device;
  const own = part(transport === 'upload' ? 'key pair' : 'key');
  const refused = refusalOf(facts);
  if (refused !== null && lockedOut(facts) !== null) {
    const names = {
      mqtt: [say('User name and client id are both {name}.', { name: device_id })],
      http: [say('The device must send the key in the header "Authorization: Bearer", after the word Bearer.')],
      upload: [],
    }[refused.over];
    return step('broken', iso(refused.at_ms), refusedWords(refused, false), [
      say('Put the {own} of this device into it.', { own }),
      ...names,
      replaceWords(serial),
    ]);
  }
  if (has.state === 'none' || has.state === 'revoked') {
    if (isOpen(facts) || (seen !== null && !isSilent(facts)))
      return step('ok', seen, 'The device needs no key: this gateway itself reads its bus or replays its recording.');
    const detail =
      has.state === 'none' ? say('The device has no {own} yet.', { own }) : 'The keys of the device were revoked.';
    const remedy =
      serial === null
        ? 'Provision the device, and put the key into it.'
        : say('Provision the device with the serial {serial}, and put the key into it.', { serial });
    return step('broken', has.since, detail, remedy);
  }
  if (has.state === 'expired')
    return step(
      'broken',
      has.since,
      say('The {own} of the device has expired.', { own }),
      say('Provision the device again and put the new {own} into it.', { own }),
    );
  if (seen === null)
    return step('waiting', null, say('The {own} of the device has not been used yet.', { own }), [
      say('Put the {own} into the device.', { own }),
      replaceWords(serial),
    ]);
  if (refused !== null && isLetIn(facts))
    return step('ok', seen, [say('The device is authenticated.'), refusedWords(refused, true)]);
  return step('ok', seen, say('The device is authenticated with its {own}.', { own }));
};
