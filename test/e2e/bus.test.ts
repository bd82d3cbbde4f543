/** The bus monitor in the browser, with generated traffic of a machine. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatCandump } from '#codec/candump.ts';
import { FrameBatch } from '#contract/fleet/frame.ts';
import { encodeDm1, encodeGroup, framesOf, identifier, pushFrame } from '#domain/j1939/encode.ts';
import { PGN } from '#domain/j1939/identifier.ts';
import { encodeName } from '#domain/j1939/name.ts';
import { addMachine, connectDevice, eventually, startGateway } from '#test/support/gateway.ts';
import { shot, signIn, startBrowser, sticksOut, withoutBrowser } from './browser.ts';

const text = (words: string) => new TextEncoder().encode(words);

/** Frames of a machine with an engine, a transmission and an unknown control unit. */
function traffic(from_ms: number, seconds: number): Uint8Array {
  const batch = new FrameBatch();
  const put = (ms: number, id: number, data: Uint8Array, bus = 0) =>
    pushFrame(batch, (from_ms + ms) * 1000, bus, id, data);
  const name = {
    identity_number: 4711,
    manufacturer_code: 10,
    ecu_instance: 0,
    function_instance: 0,
    function: 0,
    vehicle_system: 0,
    vehicle_system_instance: 0,
    industry_group: 3,
    arbitrary_address: true,
  };
  put(0, identifier(6, PGN.addressClaim, 0), encodeName(name));
  for (const [pgn, payload] of [
    [PGN.vehicleIdentification, text('1HGBH41JXMN109186*')],
    [PGN.componentIdentification, text('CMMNS*QSK19*37201455**')],
  ] as const) {
    for (const { after_us, id, data } of framesOf(6, pgn, 0, payload)) put(5 + after_us / 1000, id, data);
  }
  for (let ms = 0; ms < seconds * 1000; ms += 10) {
    // Pairs of frames with the spacing of 250 kbit/s: the gateway estimates the bit rate from it.
    put(ms, identifier(3, 61444, 0), encodeGroup(61444, { 190: 1400 + (ms % 7) }));
    put(ms + 0.58, identifier(3, 61442, 3), new Uint8Array(8).fill(0x10));
    if (ms % 50 === 0) put(ms + 2, identifier(6, 0xff31, 0x9c), new Uint8Array(8));
    if (ms % 1000 === 0) {
      const lamps = { amber: true };
      for (const frame of framesOf(6, PGN.dm1, 0, encodeDm1(lamps, [{ spn: 110, fmi: 16, count: 3 }])))
        put(ms + 5, frame.id, frame.data);
      put(ms + 6, 0x123 | 0x1ff00000, new Uint8Array(8), 1);
      // SPN 1208 in conversion method 2, with the bit that does not identify the method.
      put(ms + 7, identifier(6, PGN.dm1, 3), Uint8Array.from([4, 0xff, 0x97, 0, 3, 0x8a, 0xff, 0xff]));
    }
  }
  return formatCandump(batch);
}

test('[U30] the bus monitor shows help without traffic, then units, load, groups and codes, and marks old data', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const client = gateway.project(project.id);
  await using chromium = await startBrowser();
  await using watched = await chromium.open(gateway.node.http, { viewport: { width: 1440, height: 1100 } });
  const { page } = watched;
  await signIn(page);
  await page.getByRole('link', { name: 'Bus', exact: true }).click();
  await page.getByText('No devices yet').waitFor();
  const machine = await addMachine(client, 'HT-104');
  await page.reload();
  await page.getByText('No frames yet').waitFor();
  await shot(page, 'bus-empty');

  const mqtt = await connectDevice(gateway.node.mqttPort, machine);
  // The page shows rates for half a minute, so slow test machines need continued traffic.
  let sent_ms = Date.now() - 13_000;
  const goOn = async () => {
    const seconds = Math.min(12, Math.floor((Date.now() - sent_ms) / 1000));
    if (seconds === 0) return false;
    await mqtt.publishAsync(`v1/devices/${machine.device_id}/can`, Buffer.from(traffic(sent_ms, seconds)), { qos: 1 });
    sent_ms += seconds * 1000;
    return true;
  };
  const load = async () => {
    await goOn();
    return Number.parseFloat((await page.locator('.bus .load b').first().textContent()) ?? '');
  };
  await goOn();
  await page.getByRole('rowheader', { name: /Engine.*CMMNS, QSK19, serial 37201455/ }).waitFor();
  await page.getByText('1HGBH41JXMN109186').waitFor();
  await page.getByRole('rowheader', { name: /Transmission/ }).waitFor();
  await page.getByRole('rowheader', { name: 'SPN 110, FMI 16' }).waitFor();
  await page.getByRole('rowheader', { name: 'SPN unknown (9700038A), FMI 3' }).waitFor();
  await page.getByRole('option', { name: '250 kbit/s, estimated' }).waitFor({ state: 'attached' });
  // 220 frames a second of 144 bits.
  await eventually(load, (percent) => percent > 11 && percent < 14);
  await page.getByRole('rowheader', { name: /EEC1 61444/ }).waitFor();
  await shot(page, 'bus-monitor');
  await page.emulateMedia({ colorScheme: 'dark' });
  await shot(page, 'bus-dark');
  await page.getByRole('button', { name: 'Not decoded' }).click();
  await page.getByRole('rowheader', { name: /PropB/ }).waitFor();
  await page.getByRole('rowheader', { name: /EEC1 61444/ }).waitFor({ state: 'detached' });

  await page.getByLabel(/Code format of Transmission, address 3/).selectOption({ label: 'Version 2' });
  // The gateway may get the new setting after the traffic of this second.
  const read = page.getByRole('rowheader', { name: 'SPN 1208, FMI 3' });
  const readAgain = async () => {
    await goOn();
    return read.isVisible();
  };
  await eventually(readAgain, (found) => found);

  await page.getByLabel('Bit rate').first().selectOption({ label: '500 kbit/s' });
  await eventually(load, (percent) => percent < 8);
  const { settings } = await client.call('devices_get', { id: machine.device });
  assert.deepEqual(settings.bus_bit_rates, [{ bus: 0, bit_rate: 500_000 }]);

  // For a machine that was switched off ten minutes ago the page keeps the units and hides the rates.
  const other = await addMachine(client, 'DZ-2');
  const second = await connectDevice(gateway.node.mqttPort, other);
  const topic = `v1/devices/${other.device_id}/can`;
  await second.publishAsync(topic, Buffer.from(traffic(Date.now() - 620_000, 12)), { qos: 1 });
  await page.goto(`${gateway.node.http}/#bus/${other.device}`);
  await page.reload();
  await page.getByText(/No frames for 10 min/).waitFor();
  await page.locator('.age.stale').first().waitFor();
  assert.equal(await page.locator('.bus .load b').first().textContent(), '—');
  await shot(page, 'bus-stale');

  await page.setViewportSize({ width: 820, height: 1180 });
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto(`${gateway.node.http}/#bus/${machine.device}`);
  await page.getByText('1HGBH41JXMN109186').waitFor();
  await shot(page, 'bus-tablet-light');
  for (const width of [320, 820]) {
    await page.setViewportSize({ width, height: 1180 });
    const over = await sticksOut(page);
    assert.ok(over <= 0, `${over} px stick out at ${width}`);
  }
  await Promise.all([mqtt.endAsync(), second.endAsync()]);
  assert.deepEqual(
    watched.complaints.filter((line) => !line.includes('401')),
    [],
  );
});
