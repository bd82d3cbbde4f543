/** A gateway as a process of its own, to be killed: `node gateway-child.ts FOLDER [MQTT_PORT [MQTTS_PORT]]`. Prints the ready line; ends on SIGTERM. */

import { startNode } from '#gateway/main.ts';
import { readConfig } from '#settings/config.ts';
import { OWNER_KEY } from './gateway.ts';

const [, , data = '', mqttPort = '0', mqttsPort = '0'] = process.argv;
// Settings that the bench or test made for it; those of whoever runs them stay out.
const GIVEN = ['REQUESTS_PER_MINUTE', 'ROLE', 'DATABASE', 'FILES', 'FILES_ENDPOINT', 'CLOUD_URL', 'ENROL_CODE'].map(
  (name) => `HEADFRAME_${name}`,
);
const settings = Object.fromEntries(Object.entries(process.env).filter(([key]) => GIVEN.includes(key)));
const node = await startNode(
  readConfig(
    {
      data,
      host: '127.0.0.1',
      port: process.env.HEADFRAME_PORT ?? '0',
      'https-port': '0',
      'mqtt-port': mqttPort,
      'mqtts-port': mqttsPort,
      'bucket-port': '0',
      log: 'error',
    },
    { ...settings, HEADFRAME_API_KEY: OWNER_KEY },
  ),
);
process.stdout.write(
  `${JSON.stringify({
    event: 'ready',
    http: node.http,
    mqtt: node.mqttPort,
    bucket: node.bucketPort,
    https: node.httpsPort,
    mqtts: node.mqttsPort,
  })}\n`,
);
process.once('SIGTERM', () => void node[Symbol.asyncDispose]().then(() => process.exit(0)));
