/** Loggers of a real gateway and their key pairs, made through the interface that customers use. */

import type { Client } from '#contract/client.ts';
import type { TestGateway } from './gateway.ts';
import { createS3 } from './s3.ts';

export interface TestLogger {
  /** Record id. */
  readonly device: string;
  readonly device_id: string;
  readonly access: string;
  readonly secret: string;
  readonly send: ReturnType<typeof createS3>['send'];
  readonly prepare: ReturnType<typeof createS3>['prepare'];
}

/** A provisioned logger with its key pair. */
export function addLogger(gateway: TestGateway, project: string, serial: string): Promise<TestLogger> {
  return provisionLogger(gateway.project(project), gateway.node.bucketPort, serial);
}

/** The same for a gateway that is reached by its client of a project. */
export async function provisionLogger(client: Client, port: number, serial: string): Promise<TestLogger> {
  const { device } = await client.call('devices_provision', { serial, device_id: serial, kind: 'can_logger' });
  const info = await client.call('devices_provision_info', { device_id: device.id });
  const claim_id = info.hmac.secret_ref.split('/').at(-1) ?? '';
  const { secret, access_key_id } = await client.call('devices_hmac_claim', { id: device.id, claim_id });
  if (secret === null) throw new Error('a fresh claim must show its secret');
  const s3 = createS3({ port, access: access_key_id, secret });
  return { device: device.id, device_id: device.device_id, access: access_key_id, secret, ...s3 };
}
