/** Authentication of bucket requests: checks the signature, the key pair and the time of each request. */
import type { IncomingMessage } from 'node:http';
import { LIMITS } from '#contract/base/limits.ts';
import type { BucketDevice } from '#contract/fleet/bucket.ts';
import type { Refusal } from '#contract/fleet/ingest.ts';
import { xmlTime } from './call.ts';
import type { BucketCredentials } from './credentials.ts';
import { BucketError } from './errors.ts';
import { isSigned, readClaim, type SigClaim, signingKey } from './sigv4.ts';
import type { createSkews } from './skews.ts';

const SKEW_MS = LIMITS.bucket_skew.value * 60_000;

export interface AuthenticatorOptions {
  readonly credentials: BucketCredentials;
  /**
   * Called when the clock of a device is too far from the gateway's clock, at most once an hour for each device. `device_ms` is the time of
   * the device.
   */
  readonly clockRefused: (device: BucketDevice, device_ms: number) => void;
  /**
   * Called for each refused request. `source` is the device_id or the address of the client. `of` describes what was refused; it is set if
   * the device is known.
   */
  readonly refused: (source: string, reason: string, of?: Refusal) => void;
  readonly clock: () => number;
}

/** Verifies the signatures of requests. */
export class RequestAuthenticator {
  private readonly options: AuthenticatorOptions;
  private readonly skews: ReturnType<typeof createSkews>;

  constructor(options: AuthenticatorOptions, skews: ReturnType<typeof createSkews>) {
    this.options = options;
    this.skews = skews;
  }

  private refuseKey({ device, device_id }: BucketDevice, { socket }: IncomingMessage, reason: string): void {
    this.options.refused(device_id, reason, { device, what: 'signature', address: socket.remoteAddress ?? '' });
  }

  /**
   * Returns the device that signed the request. Throws a `BucketError` if the signature is wrong, or if the time of the request is too far
   * from the gateway's clock.
   */
  async admit(request: IncomingMessage, headers: ReadonlyMap<string, string>) {
    const sig = { method: request.method ?? '', target: request.url ?? '', headers };
    const claim = readClaim(sig);
    if (claim === undefined) throw new BucketError('AccessDenied');
    const pair = await this.options.credentials.find(claim.access_key_id);
    if (pair === undefined || pair.secret === null) {
      if (pair !== undefined)
        this.refuseKey(
          pair.device,
          request,
          'it signs with an old key pair, which a new pair has replaced: give it the configuration file with the new key pair',
        );
      throw new BucketError('InvalidAccessKeyId', undefined, { AWSAccessKeyId: claim.access_key_id });
    }
    const key = signingKey(pair.secret, claim);
    if (!isSigned(sig, claim, key)) {
      const reason =
        'a request to the bucket has a wrong signature: the device does not use the secret of its key pair';
      this.refuseKey(pair.device, request, reason);
      throw new BucketError('SignatureDoesNotMatch', undefined, { AWSAccessKeyId: claim.access_key_id });
    }
    this.checkTime(claim, pair.device);
    this.options.credentials.used(pair.device);
    return { claim, device: pair.device, signingKey: key };
  }

  private checkTime({ at_ms, expires_s }: SigClaim, device: BucketDevice): void {
    const now = this.options.clock();
    if (expires_s !== null) {
      if (at_ms - now > SKEW_MS)
        throw new BucketError('AccessDenied', 'The time of the presigned request is in the future');
      if (now > at_ms + expires_s * 1_000)
        throw new BucketError('AccessDenied', 'The presigned request has expired', {
          Expires: xmlTime(at_ms + expires_s * 1_000),
          ServerTime: xmlTime(now),
        });
      return;
    }
    if (Math.abs(now - at_ms) <= SKEW_MS) {
      this.skews.remove(device);
      return;
    }
    this.options.refused(
      device.device_id,
      `its clock is ${at_ms > now ? 'ahead' : 'behind'}: it shows ${xmlTime(at_ms)}`,
    );
    if (this.skews.record(device, at_ms - now)) this.options.clockRefused(device, at_ms);
    throw new BucketError('RequestTimeTooSkewed', undefined, {
      RequestTime: xmlTime(at_ms),
      ServerTime: xmlTime(now),
      MaxAllowedSkewMilliseconds: String(SKEW_MS),
    });
  }
}
