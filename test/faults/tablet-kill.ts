/**
 * A tablet that is away: `node test/faults/tablet-kill.ts CHANGES KILLS`. A person writes on the tablet while the gateway is there or not;
 * browser and gateway are killed in turn; then the clock of the gateway moves five days ahead. At the end each note is at the gateway once,
 * and the notes of each ticket are in the order of writing.
 */
import assert from 'node:assert/strict';
import { addNote, notesOf, openTabletRig, statesOf, type TabletRig } from '#test/support/tablet-rig.ts';
import { until } from '#test/support/until.ts';

/** What the person was told is saved, by ticket. */
type Saved = ReadonlyMap<string, string[]>;

export interface Outcome {
  readonly saved: number;
  readonly unsure: number;
  readonly lost: number;
  readonly twice: number;
}

/** Writes notes until `count` are saved; a part of them while a kill is on its way. */
export async function awayAndBack(rig: TabletRig, changes: number, kills: number): Promise<Outcome> {
  const saved: Saved = new Map(rig.tickets.map((id) => [id, []]));
  const unsure = new Set<string>();
  const perRound = Math.ceil(changes / kills);
  let n = 0;
  for (let round = 0; round < kills; round++) {
    const ticket = rig.tickets[round % rig.tickets.length] as string;
    process.stderr.write(`round ${round + 1} of ${kills}, ${n} saved\n`);
    const page = await rig.startBrowser();
    await rig.signIn(page, `#tickets/${ticket}`);
    await page.getByLabel('Note', { exact: true }).waitFor();
    // Every second round the gateway dies while the person writes.
    const gatewayAt = round % 2 === 0 ? Math.floor(perRound / 3) : -1;
    for (let i = 0; i < perRound && n < changes; i++, n++) {
      if (i === gatewayAt) await rig.killGateway();
      const text = `note ${n}`;
      await addNote(page, text);
      saved.get(ticket)?.push(text);
    }
    // The browser dies while it stores one more, which the person was not told about.
    const text = `unsure ${round}`;
    unsure.add(text);
    const last = addNote(page, text).catch(() => undefined);
    await new Promise((done) => setTimeout(done, (round * 37) % 200));
    await rig.killBrowser();
    await last;
    if (gatewayAt >= 0) await rig.startGateway();
    else if (round % 4 === 1) {
      await rig.killGateway();
      await rig.startGateway();
    }
  }
  // Five days later: the session of the person has ended, and the tablet sends without a person.
  await rig.killGateway();
  await rig.startGateway(5);
  const page = await rig.startBrowser();
  process.stderr.write('five days later\n');
  await page.getByText('Who are you?').waitFor();
  await until(async () => (await statesOf(page)).every((state) => state === 'sent'), 'everything is sent', 500);
  let lost = 0;
  let twice = 0;
  let some = 0;
  for (const [id, texts] of saved) {
    const notes = await notesOf(rig, id);
    lost += texts.filter((text) => !notes.includes(text)).length;
    twice += notes.length - new Set(notes).size;
    some += notes.filter((text) => unsure.has(text)).length;
    const order = notes.filter((text) => !unsure.has(text));
    assert.deepEqual(
      order,
      texts.filter((text) => notes.includes(text)),
      'the order of writing',
    );
  }
  await rig.killBrowser();
  return { saved: n, unsure: some, lost, twice };
}

if (import.meta.main) {
  const [changes = 500, kills = 20] = process.argv.slice(2).map(Number);
  await using rig = await openTabletRig();
  const outcome = await awayAndBack(rig, changes, kills);
  process.stdout.write(`${JSON.stringify({ changes, kills, ...outcome })}\n`);
  process.exitCode = outcome.lost === 0 && outcome.twice === 0 ? 0 : 1;
}
