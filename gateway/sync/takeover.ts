/** What people see of a box that has taken the place of another one: how much has come back, and what does not. */
import type { DeviceData } from '#contract/fleet/device.ts';
import type { KeyData } from '#contract/site/node.ts';
import type { SyncLinkData } from '#contract/site/sync.ts';
import type { GivenBack, Takeover } from '#contract/site/sync-takeover.ts';
import type { Store } from '#store/open-store.ts';

type NotReturned = Takeover['not_returned'][number];

/** Names that are listed. */
const MOST_NAMES = 50;
/** Devices of a project, and keys of this box, that are compared. */
const MOST_DEVICES = 1_000;

const plain = (what: NotReturned['what'], text: string): NotReturned => ({ what, text, names: [], total: 0 });

const ONLY_THERE: readonly NotReturned[] = [
  plain(
    'live_values',
    'The newest values and hour meters of a machine appear here when the machine reports again; until then head office shows the last ones. If somebody corrected a meter, enter its reading again.',
  ),
  plain(
    'device_settings',
    'Bus requests, configuration, firmware and quarantine of devices never come from head office. Set them again on the page of each device; a device that was in quarantine at that box is not in quarantine here.',
  ),
  plain(
    'access',
    'Users, PINs, API keys, shared tablets and the links of TVs were only on that box. Invite people again, pair TVs and tablets again, and make new keys.',
  ),
  plain(
    'secrets',
    'Passphrases of log files, signing keys of webhooks, keys of models and the TLS certificate were encrypted with the key of that box, which is gone. Enter them again. Screens and loggers that trust the old certificate must trust the new one.',
  ),
  plain('raw_traffic', 'Raw messages of the last hours were only on the disk of that box.'),
  plain(
    'files',
    'Photos and logs are at head office. This box fetches the content of a file when somebody asks for it on its page.',
  ),
];

const unsent = (heard_at: string | null): NotReturned =>
  plain(
    'unsent',
    heard_at === null
      ? 'Head office never heard the box before, so nothing of it can come back.'
      : `What that box recorded and had not sent when head office heard it last, at ${heard_at}, and what it recorded after that. Only its own disk has it.`,
  );

/** The devices of these projects that have no key at this box, by name. */
async function devicesWithoutKey(
  { node, view }: Pick<Store, 'node' | 'view'>,
  projects: readonly string[],
): Promise<NotReturned[]> {
  const where = { 'data.kind': 'device', 'data.revoked_at': null };
  const keys = await node.find<KeyData>('local', { object: 'key', where, limit: MOST_DEVICES });
  const withKey = new Set(keys.map(({ data }) => data.device));
  const names: string[] = [];
  for (const project of projects) {
    const found = await view(project).find<DeviceData>('records', { object: 'device', limit: MOST_DEVICES });
    for (const { id, data } of found) if (!withKey.has(id)) names.push(data.name);
  }
  if (names.length === 0) return [];
  const some = names.length === 1 ? '1 device has' : `${names.length} devices have`;
  return [
    {
      what: 'device_keys',
      text: `${some} no key at this box, so what it sends is refused. Give each one a new key: on the page Connect, enter its serial number, and put the new key into the device.`,
      names: names.slice(0, MOST_NAMES),
      total: names.length,
    },
  ];
}

/** Null for a box that has not taken the place of another one. */
export async function takeoverState(of: {
  readonly store: Pick<Store, 'node' | 'view'>;
  readonly link: SyncLinkData | undefined;
  readonly given_back: GivenBack | null;
}): Promise<Takeover | null> {
  const { takeover } = of.link ?? {};
  if (takeover === undefined) return null;
  const { at, heard_at, projects } = takeover;
  const devices = await devicesWithoutKey(of.store, projects);
  return { at, heard_at, given_back: of.given_back, not_returned: [unsent(heard_at), ...devices, ...ONLY_THERE] };
}
