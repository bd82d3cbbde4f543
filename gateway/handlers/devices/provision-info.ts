/**
 * Operations that return the address of the bucket and the key pair of a device. With its key pair a device can use only object keys with
 * its own prefix. A person fetches the secret with a claim (an id that is valid once).
 */

import { OperationError } from '#contract/base/errors.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import { BUCKET, REGION } from '#contract/fleet/bucket.ts';
import type { DeviceData } from '#contract/fleet/device.ts';
import { handlerGroup } from '#contract/handler.ts';
import { notFound, requireRecord } from '#handlers/base/documents.ts';
import { keyPair } from './bucket-pairs.ts';
import { findDevice } from './device-links.ts';
import { stageClaim, takeClaim } from './secret-claims.ts';

/** Returns the address of the bucket for loggers. */
export function ourEndpoint({ bucket }: Pick<HandlerContext<'bucket'>, 'bucket'>): string {
  return `${bucket.encryptedOnly ? 'https' : 'http'}://${bucket.host}`;
}

/** Returns the port of the bucket for loggers. */
export const ourPort = ({ bucket }: Pick<HandlerContext<'bucket'>, 'bucket'>): number =>
  bucket.encryptedOnly ? bucket.tlsPort : bucket.port;

/**
 * Returns the section `connect.s3.server` of a CANedge configuration file. If a configuration has the field `endpoint`, the logger also
 * requires all other fields of this section.
 */
function configPatch(context: HandlerContext<'bucket'>, access_key_id: string, secret?: string) {
  return {
    connect: {
      s3: {
        server: {
          endpoint: ourEndpoint(context),
          port: ourPort(context),
          bucket: BUCKET,
          region: REGION,
          request_style: 0,
          accesskey: access_key_id,
          keyformat: 0,
          ...(secret === undefined ? {} : { secretkey: secret }),
          signed_payload: 1,
        },
      },
    },
  };
}

/**
 * Returns the server section of a configuration file for uploads to this gateway, including the secret. Creates the key pair at first use.
 */
export async function ourServer(
  context: HandlerContext<'bucket'>,
  device: Stored<DeviceData>,
): Promise<Record<string, unknown>> {
  const { data, secret } = await keyPair(context, device);
  return configPatch(context, data.access_key_id, secret);
}

export const provisionInfoHandlers = handlerGroup(['bucket'], {
  async devices_provision_info(input, context) {
    const text = input.device_id ?? input.serial;
    if (text === undefined)
      throw new OperationError('parameter_missing', 'Give `device_id` or `serial`.', {
        param: 'device_id',
      });
    const byId = await context.view.get<DeviceData>('records', text);
    const device = byId?.object === 'device' ? byId : await findDevice(context, text);
    if (device === undefined) throw notFound('device', input.device_id === undefined ? 'serial' : 'device_id');
    const { data, secret } = await keyPair(context, device);
    const claim = stageClaim(context, 'hmac', device.id, data.access_key_id, secret);
    const { listening } = context.bucket;
    return {
      object: 'provision_info',
      device_id: data.device_id,
      bucket: BUCKET,
      endpoint: ourEndpoint(context),
      port: ourPort(context),
      region: REGION,
      request_style: 'path',
      prefix: `${data.device_id}/`,
      status: listening ? 'listening' : 'not_listening',
      hmac: {
        access_key_id: data.access_key_id,
        secret_ref: `/api/v1/devices/${device.id}/hmac-claims/${claim.id}`,
        algorithm: 'AWS4-HMAC-SHA256',
      },
      config_patch: configPatch(context, data.access_key_id),
      expires_at: claim.expires_at,
    };
  },

  async devices_hmac_claim({ id, claim_id }, context) {
    const device = await requireRecord<DeviceData>(context.view, 'device', id);
    const { of: access_key_id, secret } = await takeClaim(context, 'hmac', id, claim_id);
    return {
      object: 'hmac_secret',
      device_id: device.data.device_id,
      access_key_id,
      secret,
      config_patch: configPatch(context, access_key_id, secret),
    };
  },
});
