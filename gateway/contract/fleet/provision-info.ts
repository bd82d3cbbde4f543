/** Data for the configuration file of a logger that uploads: the bucket, and a reference to the secret of its key pair. */
import { z } from 'zod';
import { Id, idPath, Timestamp } from '#contract/base/common.ts';
import { ADMINS, operation, V1 } from '#contract/base/operation.ts';

const record = z.record(z.string(), z.unknown());
const ProvisionInfo = z
  .object({
    object: z.literal('provision_info'),
    device_id: z.string().meta({ description: 'The `device_id`; also the prefix of its objects in the bucket.' }),
    bucket: z.string(),
    endpoint: z.string(),
    port: z.number().int(),
    region: z.string(),
    request_style: z.literal('path'),
    prefix: z.string(),
    status: z
      .enum(['listening', 'not_listening'])
      .meta({ description: 'True if the bucket of this gateway accepts uploads now.' }),
    hmac: z.object({
      access_key_id: z.string(),
      secret_ref: z.string().meta({ description: 'POST to this address once, with an admin key, to get the secret.' }),
      algorithm: z.literal('AWS4-HMAC-SHA256'),
    }),
    config_patch: record.meta({
      description: 'Merge this into the configuration file. It does not contain the secret.',
    }),
    expires_at: Timestamp.meta({ description: 'The reference is valid until then.' }),
  })
  .meta({ id: 'ProvisionInfo' });

const HmacSecret = z
  .object({
    object: z.literal('hmac_secret'),
    device_id: z.string(),
    access_key_id: z.string(),
    secret: z.string().nullable().meta({ description: 'Shown only once.' }),
    config_patch: record.nullable().meta({ description: 'The patch including the secret.' }),
  })
  .meta({ id: 'HmacSecret' });

/** Operations on the key pair of a logger. */
export const provisionInfoOperations = {
  devices_provision_info: operation({
    method: 'POST',
    path: `${V1}/devices/provision-info`,
    summary: 'Get the bucket and the reference to the HMAC secret for the configuration file of a CAN logger',
    roles: ADMINS,
    input: z.object({
      device_id: z.string().trim().min(1).max(64).optional().meta({ description: 'Record id or `device_id`.' }),
      serial: z.string().trim().min(1).max(120).optional(),
    }),
    output: ProvisionInfo,
    errors: ['not_found', 'parameter_missing'],
  }),
  devices_hmac_claim: operation({
    secretFields: ['secret', 'config_patch'],
    secretOf: 'access_key_id',
    method: 'POST',
    path: `${V1}/devices/{id}/hmac-claims/{claim_id}`,
    summary: 'Fetch the secret of a key pair, once',
    httpOnly: 'secret',
    roles: ADMINS,
    input: z.object({ ...idPath, claim_id: Id }),
    output: HmacSecret,
    errors: ['not_found'],
    source: { extension: 'returns the secret that provision-info refers to; no MCP tool returns it' },
  }),
} as const;
