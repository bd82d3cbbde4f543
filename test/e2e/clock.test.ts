/** A logger whose clock is behind: what the page of its machine and its own page say. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gnssFrame } from '#test/domain/gnss/gnss-kit.ts';
import { addMachine, connectDevice, eventually, startGateway, uploadFile } from '#test/support/gateway.ts';
import { shot, signIn, sticksOut, withoutBrowser } from './browser.ts';
import { sharedBrowser } from './shared-browser.ts';

const EPOCH_S = 1_577_840_400;
const BEHIND_S = 8.2;

/** A second of a log in the text form of candump: EEC1 and GNSS time, by a clock that is 8.2 s behind. */
function secondOf(true_s: number, i: number): string {
  const raw = (800 + (i % 60)) * 8;
  const speed = Buffer.from([0xff, 0xff, 0xff, raw & 0xff, raw >> 8, 0xff, 0xff, 0xff]);
  const epoch = Math.round((true_s - EPOCH_S) * 1000);
  const time = Buffer.from(gnssFrame(1, { timeValid: 1, timeConfirmed: 1, epoch }));
  const at = (true_s - BEHIND_S).toFixed(6);
  const hex = (bytes: Buffer) => bytes.toString('hex').toUpperCase();
  return `(${at}) can1 0CF00400#${hex(speed)}\n(${at}) can9 066#${hex(time)}\n`;
}

test('[U101] the chart of a machine and the page of its logger name the wrong clock', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const client = gateway.project(project.id);
  const machine = await addMachine(client, 'HT-01');
  const settings = { gnss_channels: [{ bus: 9, frames: 'canedge_internal' }] };
  await client.call('devices_settings_update', { id: machine.device, settings });
  const start_s = Math.floor(Date.now() / 1000) - 3_600;
  const text = Array.from({ length: 900 }, (_, i) => secondOf(start_s + i, i)).join('');
  await uploadFile(gateway.node.http, machine, 'morning.log', Buffer.from(text));
  const times = {
    from: new Date((start_s - 60) * 1000).toISOString(),
    to: new Date((start_s + 960) * 1000).toISOString(),
  };
  const read = () =>
    client.call('equipment_telemetry', {
      id: machine.equipment_id,
      signals: ['engine.speed'],
      ...times,
      resolution: 'raw',
    });
  const { series } = await eventually(read, (answer) => answer.series[0]?.samples === 900);
  assert.deepEqual(series[0]?.t[0], start_s * 1000, 'the true second');
  assert.deepEqual(series[0]?.corrected, [
    {
      clock: 'gnss',
      ...{ from: start_s * 1000, to: (start_s + 899) * 1000, values: 900 },
      ...{ least_ms: 8_200, most_ms: 8_200, uncertainty_ms: 500 },
    },
  ]);

  const device = await connectDevice(gateway.node.mqttPort, machine);
  const now_s = Math.floor(Date.now() / 1000) - 5;
  const live = Array.from({ length: 5 }, (_, i) => secondOf(now_s + i, i)).join('');
  await device.publishAsync(`v1/devices/${machine.device_id}/can`, live, { qos: 1 });
  await eventually(
    () => client.call('devices_get', { id: machine.device }),
    ({ metrics }) => metrics.gnss_clock?.ahead_ms === -8_200,
  );

  const chromium = await sharedBrowser();
  await using watched = await chromium.open(`${gateway.node.http}/#machines/${machine.equipment_id}`, {
    viewport: { width: 1440, height: 900 },
  });
  const { page } = watched;
  await signIn(page);
  await page.getByRole('button', { name: /Engine speed/ }).click();
  const words = page.getByText(
    '900 values have corrected times: the clock of the logger was 8.2 s behind GNSS time. The corrected times are exact to 0.5 s.',
  );
  await words.waitFor();
  await words.scrollIntoViewIfNeeded();
  await shot(page, 'office-corrected');
  await page.setViewportSize({ width: 390, height: 844 });
  assert.ok((await sticksOut(page)) <= 0);
  await words.scrollIntoViewIfNeeded();
  await shot(page, 'office-corrected-phone');
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`${gateway.node.http}/#devices/${machine.device}`);
  await page
    .getByText(/Its clock is 8\.2 s behind GNSS time\./)
    .first()
    .waitFor();
  await shot(page, 'office-clock-device');
  await device.endAsync();
});
