/** The page Encryption in the browser: it names who uses a listener without TLS, and turns such connections off. */
import assert from 'node:assert/strict';
import { connect as dial, type Socket } from 'node:net';
import { test } from 'node:test';
import { TLSSocket } from 'node:tls';
import mqtt from 'mqtt';
import { addMachine, startGateway } from '#test/support/gateway.ts';
import { soon, until } from '#test/support/until.ts';
import { shot, signIn, withoutBrowser } from './browser.ts';
import { sharedBrowser } from './shared-browser.ts';

/** A loopback address that counts as another computer in this test. */
const ELSEWHERE = '127.0.0.9';
const isExposed = (socket: Socket) => !(socket instanceof TLSSocket) && socket.remoteAddress === ELSEWHERE;

test('an admin sees who uses MQTT without TLS and turns it off; plain HTTP is not turned off over plain HTTP', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway(undefined, { isExposed });
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const { device_id, key } = await addMachine(gateway.project(project.id), 'HT-1');
  const far = () => dial({ port: gateway.node.mqttPort, host: '127.0.0.1', localAddress: ELSEWHERE });
  const device = new mqtt.MqttClient(far, { username: device_id, password: key, reconnectPeriod: 0 });
  await soon(new Promise((done) => device.once('connect', done)), 'the login of the device');
  const chromium = await sharedBrowser();
  await using office = await chromium.open(`${gateway.node.http}/#encryption`, {
    viewport: { width: 1440, height: 1000 },
    colorScheme: 'light',
  });
  const { page } = office;
  await signIn(page);
  const box = (title: string) => page.locator('section.panel-box', { has: page.getByRole('heading', { name: title }) });
  const broker = box('MQTT');
  await broker.getByText('Connected now').waitFor();
  assert.equal(await broker.getByRole('rowheader').textContent(), device_id);
  await broker.getByText('Open, not encrypted').waitFor();
  await broker.getByRole('button', { name: 'Encrypted only' }).click();
  await broker.getByText('Devices that connect without TLS are disconnected at once').waitFor();
  await shot(page, 'office-encryption');
  await broker.getByRole('button', { name: 'Turn off connections without TLS now' }).click();
  await broker.getByText('Closed for other computers').waitFor();
  await until(() => !device.connected);

  const screens = box('Screens, REST and MCP');
  await screens.getByRole('button', { name: 'Encrypted only' }).click();
  await screens.getByRole('button', { name: 'Turn off connections without TLS now' }).click();
  await screens.getByText(/First open https:/).waitFor();
  await device.endAsync(true);
});
