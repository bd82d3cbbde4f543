/** A gateway as a process of its own, to be killed: `node gateway-child.ts FOLDER [MQTT_PORT [MQTTS_PORT]]`. Prints the ready line; ends on SIGTERM. */

import { type Node, startNode } from '#gateway/main.ts';
import { readConfig } from '#settings/config.ts';
import { OWNER_KEY } from './owner-key.ts';

const [, , data = '', mqttPort = '0', mqttsPort = '0'] = process.argv;
// Settings that the bench or test made for it; those of whoever runs them stay out.
const GIVEN = ['REQUESTS_PER_MINUTE', 'ROLE', 'DATABASE', 'FILES', 'FILES_ENDPOINT', 'CLOUD_URL', 'ENROL_CODE'].map(
  (name) => `HEADFRAME_${name}`,
);
const settings = Object.fromEntries(Object.entries(process.env).filter(([key]) => GIVEN.includes(key)));
const configOf = (mqtt: string) =>
  readConfig(
    {
      data,
      host: '127.0.0.1',
      port: process.env.HEADFRAME_PORT ?? '0',
      'https-port': '0',
      'mqtt-port': mqtt,
      'mqtts-port': mqttsPort,
      'bucket-port': '0',
      log: 'error',
    },
    { ...settings, HEADFRAME_API_KEY: OWNER_KEY },
  );
/** Starts the node, and again when it asks for it, as the supervisor does with a process. */
const begin = (mqtt: string): Promise<Node> => startNode(configOf(mqtt), { again: () => void setTimeout(again, 500) });
let running: Promise<Node> | undefined;
async function again(): Promise<void> {
  // The start that asked for it ends first.
  const before = await running;
  running = (async () => {
    await before?.[Symbol.asyncDispose]();
    return await begin(before === undefined ? mqttPort : String(before.mqttPort));
  })();
  await running;
}
running = begin(mqttPort);
const node = await running;
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
process.once(
  'SIGTERM',
  () => void running?.then(async (one) => await one[Symbol.asyncDispose]()).then(() => process.exit(0)),
);
