/** The key step of the diagnosis: whether the device has a valid key, and whether attempts with a wrong key were refused. */
import type { DeviceTrail, Transport } from '#contract/fleet/ingest.ts';
import {
  type ChainFacts,
  hasFreshData,
  isOpen,
  iso,
  isSilent,
  type Judge,
  seenMs,
  several,
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

/** Describes refused attempts, for example "3 logins under its name were refused, the last from 10.0.0.9". */
function refusedText({ over, count, address }: Refusals, besides = ''): string {
  const what =
    over === 'http'
      ? `${several(count, 'request', 'requests')} to its address`
      : `${several(count, 'login', 'logins')} under its name`;
  return `${what} ${count === 1 ? 'was' : 'were'} refused${besides}, the last from ${address}`;
}

const REPLACE = (serial: string | null) =>
  `A lost key is replaced: provision the device again${serial === null ? '' : ` with the serial ${serial}`}.`;

export const key: Judge = (facts) => {
  const { device, transport, key: has } = facts;
  const { serial, device_id, last_seen_at: seen } = device;
  const own = transport === 'upload' ? 'key pair' : 'key';
  const refused = refusalOf(facts);
  if (refused !== null && lockedOut(facts) !== null) {
    const detail = `${refusedText(refused)}: ${refused.why}.`;
    const names = {
      mqtt: ` User name and client id are both ${device_id}.`,
      http: ' The device must send the key in the header "Authorization: Bearer", after the word Bearer.',
      upload: '',
    }[refused.over];
    return step(
      'broken',
      iso(refused.at_ms),
      detail,
      `Put the ${own} of this device into it.${names} ${REPLACE(serial)}`,
    );
  }
  if (has.state === 'none' || has.state === 'revoked') {
    if (isOpen(facts) || (seen !== null && !isSilent(facts)))
      return step('ok', seen, 'The device needs no key: this gateway itself reads its bus or replays its recording.');
    const detail = has.state === 'none' ? `The device has no ${own} yet.` : 'The keys of the device were revoked.';
    const named = serial === null ? '' : ` with the serial ${serial}`;
    return step('broken', has.since, detail, `Provision the device${named}, and put the key into it.`);
  }
  if (has.state === 'expired')
    return step(
      'broken',
      has.since,
      `The ${own} of the device has expired.`,
      `Provision the device again and put the new ${own} into it.`,
    );
  if (seen === null)
    return step(
      'waiting',
      null,
      `The ${own} of the device has not been used yet.`,
      `Put the ${own} into the device. ${REPLACE(serial)}`,
    );
  if (refused !== null && isLetIn(facts))
    return step('ok', seen, `The device is authenticated. ${refusedText(refused, ' besides')}.`);
  return step('ok', seen, `The device is authenticated with its ${own}.`);
};
