/** The page of a logger in the browser: label, configuration, firmware, key pair and files. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { startGateway } from '#test/support/gateway.ts';
import { createS3 } from '#test/support/s3.ts';
import { shot, signIn, sticksOut, withoutBrowser } from './browser.ts';
import { sharedBrowser } from './shared-browser.ts';

const SCHEMA = {
  type: 'object',
  properties: { can_1: { type: 'object', properties: { bit_rate: { type: 'integer', enum: [250000, 500000] } } } },
};
const CONFIG = {
  general: { device: { meta: 'Truck4' }, security: {} },
  can_1: { bit_rate: 250000 },
  connect: { wifi: { keyformat: 0, accesspoint: [{ ssid: 'pit', pwd: 'blasting-at-noon' }] } },
};

function firmware(): Buffer {
  const schema = Buffer.from(JSON.stringify(SCHEMA));
  const head = Buffer.alloc(64);
  Buffer.from('baada555010a02', 'hex').copy(head);
  head.writeUInt32BE(64, 24);
  head.writeUInt32BE(schema.length, 28);
  return Buffer.concat([head, schema, randomBytes(900_000)]);
}

test('[U40] the device page configures a logger, offers firmware, replaces its key pair and lists its files', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const client = gateway.project(project.id);
  const { device } = await client.call('devices_provision', { serial: '2F6913DB', name: 'Truck 4 logger' });
  const { id } = device;
  const info = await client.call('devices_provision_info', { device_id: id });
  assert.equal(info.status, 'listening');
  const { secret } = await client.call('devices_hmac_claim', {
    id,
    claim_id: info.hmac.secret_ref.split('/').at(-1) ?? '',
  });
  const s3 = createS3({ port: gateway.node.bucketPort, access: info.hmac.access_key_id, secret: secret ?? '' });
  const put = async (name: string, body: Buffer | object) => {
    const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
    const answer = await s3.send({ method: 'PUT', key: `${device.device_id}/${name}`, body: bytes });
    assert.equal(answer.status, 200, answer.text);
  };
  const chromium = await sharedBrowser();
  await using watched = await chromium.open(gateway.node.http, { viewport: { width: 1280, height: 900 } });
  const { page } = watched;
  await signIn(page);
  await page.getByRole('link', { name: 'Devices' }).click();
  await page.getByRole('link', { name: device.device_id }).click();
  await page.getByRole('heading', { name: 'Truck 4 logger' }).waitFor();

  // The configuration file for the SD card, before the logger has sent data.
  await page.getByLabel('Configuration as JSON').fill(JSON.stringify({ connect: {}, general: {} }));
  await page.getByLabel('Firmware', { exact: true }).fill('01.08');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('config-01.08.json').first().waitFor();
  const card = await client.call('devices_config_file', { id });
  assert.equal(JSON.parse(card.content).connect.s3.server.accesskey, info.hmac.access_key_id);

  const heartbeat = {
    id: '2F6913DB',
    type: '0000001F',
    fw_ver: '01.09.01',
    hw_ver: '00.03',
    space_used_mb: '812/7572',
  };
  await put('device.json', heartbeat);
  await put('schema-01.09.json', SCHEMA);
  await put('config-01.09.json', CONFIG);
  const line = (i: number) => `(${1_760_000_000 + i}.000000) can1 0CF00400#F07D84B01300F084\n`;
  await put('00000012/00000001-68E77800.MF4', Buffer.from(Array.from({ length: 200 }, (_, i) => line(i)).join('')));

  await page.getByAltText(new RegExp(`#devices/${id}`)).waitFor();
  const editor = page.getByLabel('Configuration as JSON');
  const wrong = structuredClone(CONFIG);
  wrong.can_1.bit_rate = 17;
  await editor.fill(JSON.stringify(wrong));
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('/can_1/bit_rate').first().waitFor();
  await shot(page, 'device-refused');
  wrong.can_1.bit_rate = 500000;
  await editor.fill(JSON.stringify(wrong));
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Checked against the schema of the logger').waitFor();
  const fetched = await s3.send({ key: `${device.device_id}/config-01.09.json` });
  const config = JSON.parse(fetched.text);
  assert.deepEqual(
    [config.can_1.bit_rate, config.connect.wifi.accesspoint[0].pwd, config.connect.s3.server.accesskey],
    [500000, 'blasting-at-noon', info.hmac.access_key_id],
  );
  const { file } = await client.call('devices_config_get', { id });
  await put('device.json', { ...heartbeat, cfg_crc32: file?.crc32 });
  await page.getByText('The logger uses this configuration').waitFor();

  await page.getByLabel('Offer a firmware file').setInputFiles({
    name: 'firmware.bin',
    mimeType: 'application/octet-stream',
    buffer: firmware(),
  });
  await page.getByText(/CANedge2 firmware 01\.10\.02 .* is ready for the logger/).waitFor();
  assert.equal((await s3.send({ method: 'HEAD', key: `${device.device_id}/firmware.bin` })).status, 200);
  await page.getByText(/session 00000012, split 00000001/).waitFor();

  await page.getByText('Replace the key pair', { exact: true }).click();
  await page.getByLabel('Keep the old pair valid for').selectOption('72');
  await page.getByRole('button', { name: 'Replace', exact: true }).click();
  await page.getByText(/The new key pair is in the configuration of the logger.* expires in 2 d 23 h/).waitFor();
  const rolled = JSON.parse((await s3.send({ key: `${device.device_id}/config-01.09.json` })).text).connect.s3.server;
  assert.notEqual(rolled.accesskey, info.hmac.access_key_id);
  assert.equal((await s3.send({ method: 'HEAD', key: `${device.device_id}/device.json` })).status, 200);
  await shot(page, 'device-key-rolled');
  const renewed = createS3({ port: gateway.node.bucketPort, access: rolled.accesskey, secret: rolled.secretkey });
  assert.equal((await renewed.send({ method: 'HEAD', key: `${device.device_id}/device.json` })).status, 200);
  await page.getByText(/The logger uses the new key pair. The old pair expires in/).waitFor();
  await shot(page, 'device-page');
  await page.evaluate(() => scrollTo(0, 1e6));
  await shot(page, 'device-page-end');
  await page.setViewportSize({ width: 820, height: 1180 });
  await shot(page, 'device-tablet');
  const wide = await sticksOut(page);
  assert.ok(wide <= 0, `${wide} px stick out at the width of a tablet`);
  assert.deepEqual(
    watched.complaints.filter((text) => !text.includes('400') && !text.includes('401')),
    [],
  );
});
