/**
 * MQTT: a device that publishes CAN frames, and values that need no decoding.
 *
 *   GATEWAY_MQTT=mqtt://GATEWAY:1883 DEVICE_ID=truck-14 DEVICE_KEY=dk_... node examples/mqtt-device.ts
 *
 * The gateway acknowledges a QoS 1 message (PUBACK) after the message is on disk. Until then the device must keep it.
 */
import mqtt from 'mqtt';

const { GATEWAY_MQTT = 'mqtt://localhost:1883', DEVICE_ID = '', DEVICE_KEY = '' } = process.env;
const topic = (name: string) => `v1/devices/${DEVICE_ID}/${name}`;

const client = await mqtt.connectAsync(GATEWAY_MQTT, {
  protocolVersion: 4,
  username: DEVICE_ID,
  password: DEVICE_KEY,
  clientId: DEVICE_ID,
  // The will: the broker publishes this message if the connection of the device breaks.
  will: { topic: topic('status'), payload: Buffer.from('{"status":"offline"}'), qos: 1, retain: false },
});

// The payload is one line of candump. PGN 65253, engine hours: 84,000 * 0.05 h = 4,200 h; bytes 5 to 8 are "not available".
const seconds = (Date.now() / 1000).toFixed(6);
await client.publishAsync(topic('can'), `(${seconds}) can0 18FEE500#20480100FFFFFFFF`, { qos: 1 });
process.stdout.write('frame acknowledged\n');

// A value that the device has already decoded, in the unit of the gateway.
const point = { observed_at: new Date().toISOString(), values: { 'fuel.level': 61.5 } };
await client.publishAsync(topic('telemetry'), JSON.stringify(point), { qos: 1 });
process.stdout.write('value acknowledged\n');
await client.endAsync();
