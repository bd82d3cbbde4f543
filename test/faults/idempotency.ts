/**
 * A write, its answer, and a kill in between: `node test/faults/idempotency.ts [KILLS] [SEED]`
 *
 *   callers ── POST with an Idempotency-Key each ──▶ gateway (child), killed with -9 at random instants, started again
 *
 * Every call is sent again under its key until it is answered, and once more after that. At the end: every key has one object and
 * one event, and every answer that was ever given names it.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '#contract/client.ts';
import { random } from '#domain/base/random.ts';
import { startGatewayProcess } from '#test/bench/gateway-process.ts';
import { OWNER_KEY } from '#test/support/gateway.ts';

const kills = Number(process.argv[2] ?? 20);
const seed = Number(process.argv[3] ?? 20261121);
const CALLERS = 8;
/** A gateway lives this long at least, and this much longer at most, before it is killed. */
const SETTLE_MS = 150;
const LIFE_MS = 1_000;
const chance = { random: seed };

process.env.HEADFRAME_REQUESTS_PER_MINUTE = '1000000';
const folder = mkdtempSync(join(tmpdir(), 'headframe-idempotency-'));
let gateway = await startGatewayProcess(folder);
let base = gateway.http;
const { project } = await createClient({ base_url: base, key: OWNER_KEY }).call('projects_create', { name: 'Kills' });
/** What each key was answered with, as often as it was. */
const answers = new Map<string, Set<string>>();
let unanswered = 0;
let refused = 0;
let stopping = false;

async function post(key: string): Promise<string | undefined> {
  try {
    const response = await fetch(`${base}/api/v1/equipment`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${OWNER_KEY}`,
        'project-id': project.id,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: JSON.stringify({ unit_number: key }),
    });
    const body = (await response.json()) as { id?: string; error?: { code: string } };
    if (response.status === 201) return body.id;
    // Under way in a life that has ended it cannot be; in this one it may.
    if (body.error?.code === 'operation_in_progress' || response.status === 503) return undefined;
    refused++;
    process.stdout.write(`${key}: ${response.status} ${JSON.stringify(body.error)}\n`);
    return 'refused';
  } catch {
    unanswered++;
    return undefined;
  }
}

async function callUntilAnswered(key: string): Promise<void> {
  for (;;) {
    const id = await post(key);
    if (id !== undefined) {
      const known = answers.get(key) ?? new Set();
      answers.set(key, known.add(id));
      return;
    }
    await sleep(20);
  }
}

const callers = Array.from({ length: CALLERS }, async (_, caller) => {
  for (let i = 0; !stopping; i++) {
    const key = `K${caller}-${i}`;
    await callUntilAnswered(key);
    // As a caller does who did not hear the answer.
    if (i % 3 === 0) await callUntilAnswered(key);
  }
});

for (let kill = 1; kill <= kills; kill++) {
  await sleep(SETTLE_MS + random(chance) * LIFE_MS);
  await gateway.kill();
  gateway = await startGatewayProcess(folder);
  base = gateway.http;
  if (kill % 20 === 0) process.stdout.write(`${kill} kills, ${answers.size} keys answered\n`);
}
stopping = true;
await Promise.all(callers);

const client = createClient({ base_url: base, key: OWNER_KEY, project_id: project.id });
const held = new Map<string, string[]>();
let events = 0;
for (let cursor: string | undefined; ; ) {
  const page = await client.call('equipment_list', { limit: 200, ...(cursor === undefined ? {} : { cursor }) });
  for (const { id, unit_number } of page.data) {
    held.set(unit_number, [...(held.get(unit_number) ?? []), id]);
    const log = await client.call('equipment_events', { id, type: 'created' });
    events += log.data.length;
  }
  if (page.next_cursor === null) break;
  cursor = page.next_cursor;
}
const twice = [...held.values()].filter((ids) => ids.length > 1).length;
const differing = [...answers.values()].filter((ids) => ids.size > 1).length;
const lost = [...answers].filter(([key, ids]) => !held.get(key)?.some((id) => ids.has(id))).length;
await gateway[Symbol.asyncDispose]();
rmSync(folder, { recursive: true, force: true });
const sound = twice === 0 && differing === 0 && lost === 0 && refused === 0 && events === held.size;
process.stdout.write(
  `${kills} kills, seed ${seed}: ${answers.size} keys, ${unanswered} calls without an answer; ${held.size} objects, ${events} events of their making; ` +
    `${twice} made twice, ${differing} answered differently, ${lost} lost, ${refused} refused: ${sound ? 'sound' : 'NOT SOUND'}\n`,
);
process.exitCode = sound ? 0 : 1;
