/** What people write at one end in a history: machines, labels, tickets, boards and photos. */
import type { Client } from '#contract/client.ts';
import type { Random } from '#test/sim/random.ts';
import { OF_LISTS } from './sync-lists.ts';
import { pictureOf } from './sync-photos.ts';
import { type Box, machinesOf, type Truth } from './sync-truth.ts';

interface Author {
  readonly random: Random;
  /** Where the person writes, and what the history must keep. */
  readonly at: Box;
  readonly truth: Truth;
  readonly client: Client;
  /** The number of the write. */
  readonly n: number;
}

/** A person writes something. `site` is the name of the site. */
export async function write({ random, at, truth, client, n }: Author, site: string, hasPhotos: boolean): Promise<void> {
  const { machines } = await machinesOf(client);
  const id = machines.length === 0 ? undefined : random.pick(machines).id;
  const kind = id === undefined ? 0 : random.int(hasPhotos ? 7 : 6);
  if (kind === 0 || id === undefined) {
    const made = await client.call('equipment_create', { unit_number: `${site}-${n}` });
    truth.named(at, made.id, `${site}-${n}`, []);
  } else if (kind <= 2) {
    const { revision, name } = await client.call('equipment_get', { id });
    await client.call('equipment_update', { id, name: `name ${n}` }, { if_match: revision });
    truth.named(at, id, `name ${n}`, [name]);
  } else if (kind === 3) {
    const { revision, labels } = await client.call('equipment_get', { id });
    const more = { ...labels, [`w${n}`]: at.name };
    await client.call('equipment_update', { id, labels: more }, { if_match: revision });
    truth.marked(at, id, `w${n}`);
  } else if (kind === 4) await moveTicket(random, client, id, n);
  else if (kind === 5) await changeBoard(random, client, n);
  else {
    const content = pictureOf(n, random.int(60_000));
    const content_base64 = content.toString('base64');
    const photo = await client.call('equipment_upload_photo', { id, content_base64 });
    truth.photographed(at, id, photo.id, content);
  }
}

async function moveTicket(random: Random, client: Client, equipment_id: string, n: number): Promise<void> {
  const { data } = await client.call('repair_tickets_list', { limit: 50 });
  const open = data.filter(({ status, title }) => ['flagged', 'in_progress'].includes(status) && title !== OF_LISTS);
  if (open.length === 0) await client.call('repair_tickets_create', { equipment_id, title: `ticket ${n}` });
  else {
    const { id, status } = random.pick(open);
    await client.call('repair_tickets_update', { id, status: status === 'flagged' ? 'in_progress' : 'fixed' });
  }
}

async function changeBoard(random: Random, client: Client, n: number): Promise<void> {
  const page = await client.call('dashboards_list', { limit: 50 });
  const boards = page.data.filter(({ name }) => name !== OF_LISTS);
  if (boards.length === 0 || random.chance(0.4)) await client.call('dashboards_create', { name: `board ${n}` });
  else {
    const { id } = random.pick(boards);
    if (random.chance(0.5)) await client.call('dashboards_update', { id, name: `board ${n}` });
    else await client.call('dashboards_delete', { id });
  }
}
