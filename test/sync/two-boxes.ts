/** Two real boxes with copies of one data folder at one head office, until one of them is fenced. */
import type { SyncGateway } from '#contract/site/sync-gateway.ts';
import { until } from '#test/support/until.ts';
import { ASK_MS, End, enrol } from './ends.ts';

export interface TwoBoxes extends AsyncDisposable {
  readonly cloud: End;
  readonly project: string;
  /** The box whose data head office takes. */
  readonly counting: End;
  /** The box that is fenced. */
  readonly alone: End;
  /** What head office shows of the gateway. */
  gateway(): Promise<SyncGateway>;
}

export async function twoBoxes(): Promise<TwoBoxes> {
  const cloud = await new End({ HEADFRAME_ROLE: 'cloud' }).start();
  const site = await new End({}).start();
  const project = await enrol(cloud, site, `http://127.0.0.1:${cloud.port}`);
  await site.inStep();
  await site.kill();
  const copy = site.clone();
  await Promise.all([site.start(), copy.start()]);
  const boxes = [site, copy];
  let number = 0;
  let states: (string | null)[] = [];
  await until(
    async () => {
      // Each contact of one box after a contact of the other one shows that there are two.
      const next = boxes[number % 2] as End;
      await next.client(project).call('equipment_create', { unit_number: `LD-${number++}` });
      states = await Promise.all(boxes.map(async (box) => (await box.status()).state));
      return states.includes('fenced');
    },
    'one of the boxes knows that it is fenced',
    500,
  );
  const gateway = async () => (await cloud.status()).gateways[0] as SyncGateway;
  await until(async () => (await gateway()).boxes.length === 2, 'head office shows both boxes', ASK_MS);
  const at = states.indexOf('fenced');
  return {
    ...{ cloud, project, gateway },
    counting: boxes[1 - at] as End,
    alone: boxes[at] as End,
    async [Symbol.asyncDispose]() {
      for (const end of [...boxes, cloud]) await end[Symbol.asyncDispose]();
    },
  };
}
