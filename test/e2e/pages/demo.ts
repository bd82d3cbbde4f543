/** The site that the pages show: the simulated quarry of `headframe demo`, with a record of each kind that a page can show. */
import { join } from 'node:path';
import type { Role } from '#contract/base/roles.ts';
import { type Client, createClient } from '#contract/client.ts';
import { startSite } from '#test/proof/agent-site.ts';
import { addMachine, uploadFile } from '#test/support/gateway.ts';

/** The roles that a key may have. */
export type KeyRole = Exclude<Role, 'device' | 'display' | 'tablet' | 'gateway'>;

export interface Demo extends AsyncDisposable {
  readonly http: string;
  readonly client: Client;
  /** A key of a person with the role. */
  keyOf(role: KeyRole): Promise<string>;
}

const DBC = `VERSION ""
BU_: ECU1
BO_ 2566834709 EEC: 8 ECU1
 SG_ CoolantTemp : 0|8@1+ (1,-40) [-40|210] "degC" ECU1
 SG_ OilPressure : 8|8@1+ (4,0) [0|1000] "kPa" ECU1
`;

/** Starts the demo, and adds what it does not have: users, tablets, a screen, a DBC file, a file that cannot be decoded. */
export async function startDemo(): Promise<Demo> {
  const site = await startSite(join(import.meta.dirname, '..', '..', '..'));
  const { client } = site;
  const http = new URL(site.mcp).origin;
  const [project] = (await client.call('projects_list', {})).data;
  const project_ids = [project?.id ?? ''];
  const owner = await client.call('keys_create', { name: 'Pages, owner', role: 'owner' });
  const node = createClient({ base_url: http, key: owner.secret });
  await node.call('users_create', { name: 'Olaf Berg', role: 'mechanic' });
  await node.call('users_create', { name: 'Ines Costa', role: 'supervisor' });
  await client.call('tablets_create', { name: 'Workshop', roles: ['mechanic'] });
  const spare = await addMachine(client, 'HT-07');
  await uploadFile(http, spare, 'broken.mf4', new TextEncoder().encode('MDF     4.10    x'));
  await client.call('dbc_import', { name: 'Engine', text: DBC });
  await client.call('display_pairings_create', {});
  const keys = new Map<KeyRole, Promise<string>>([['owner', Promise.resolve(owner.secret ?? '')]]);
  return {
    http,
    client,
    keyOf(role) {
      const made =
        keys.get(role) ??
        node.call('keys_create', { name: `Pages, ${role}`, role, project_ids }).then(({ secret }) => secret ?? '');
      keys.set(role, made);
      return made;
    },
    [Symbol.asyncDispose]: () => site[Symbol.asyncDispose](),
  };
}
