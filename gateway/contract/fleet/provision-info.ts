/** What the configuration file of a logger that uploads needs: the bucket, and a reference to the secret half of its key pair. */
import { z } from 'zod';
import { Id, idPath, Timestamp } from '#contract/base/common.ts';
import { ADMINS, operation, V1 } from '#contract/base/operation.ts';

const record = z.record(z.string(), z.unknown());
const ProvisionInfo = z
  .object({
    object: z.literal('provision_info'),
    device_id: z.string().meta({ description: 'Hardware-facing id; also the prefix of its objects.' }),
    bucket: z.string(),
    endpoint: z.string(),
    port: z.number().int(),
    region: z.string(),
    request_style: z.literal('path'),
    prefix: z.string(),
    status: z
      .enum(['listening', 'not_listening'])
      .meta({ description: 'Whether the bucket takes uploads on this gateway now.' }),
    hmac: z.object({
      access_key_id: z.string(),
      secret_ref: z.string().meta({ description: 'POST here over HTTP with an admin key, once, for the secret.' }),
      algorithm: z.literal('AWS4-HMAC-SHA256'),
    }),
    config_patch: record.meta({ description: 'To be merged into the configuration file; the secret is not in it.' }),
    expires_at: Timestamp.meta({ description: 'Until then the reference can be picked up.' }),
  })
  .meta({ id: 'ProvisionInfo' });

const HmacSecret = z
  .object({
    object: z.literal('hmac_secret'),
    device_id: z.string(),
    access_key_id: z.string(),
    secret: z.string().nullable().meta({ description: 'Shown this once.' }),
    config_patch: record.nullable().meta({ description: 'The patch with the secret in it.' }),
  })
  .meta({ id: 'HmacSecret' });

/** Operations on the key pair of a logger. */
export const provisionInfoOperations = {
  devices_provision_info: operation({
    method: 'POST',
    path: `${V1}/devices/provision-info`,
    summary: 'The bucket and HMAC reference that the configuration file of a CAN logger needs',
    roles: ADMINS,
    input: z.object({
      device_id: z.string().trim().min(1).max(64).optional().meta({ description: 'Record or hardware-facing id.' }),
      serial: z.string().trim().min(1).max(120).optional(),
    }),
    output: ProvisionInfo,
    errors: ['not_found', 'parameter_missing'],
  }),
  devices_hmac_claim: operation({
    method: 'POST',
    path: `${V1}/devices/{id}/hmac-claims/{claim_id}`,
    summary: 'Pick up the secret of a key pair, once',
    httpOnly: 'secret',
    roles: ADMINS,
    input: z.object({ ...idPath, claim_id: Id }),
    output: HmacSecret,
    errors: ['not_found'],
    source: { extension: 'the secret that provision-info refers to; no tool sees it' },
  }),
} as const;
