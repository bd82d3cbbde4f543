/** What people see of a box that has taken the place of another one: how much has come back, and what does not. */
import { say, textOf } from '#contract/base/told.ts';
import type { DeviceData } from '#contract/fleet/device.ts';
import type { KeyData } from '#contract/site/node.ts';
import type { SyncLinkData } from '#contract/site/sync.ts';
import type { GivenBack, Takeover } from '#contract/site/sync-takeover.ts';
import type { Store } from '#store/open-store.ts';
import { walk } from '#store/walk.ts';

type NotReturned = Takeover['not_returned'][number];
type TakeoverStore = Pick<Store, 'node' | 'view' | 'changes'>;

/** Names that are listed. */
const MOST_NAMES = 50;

const plain = (what: NotReturned['what'], text: string): NotReturned => ({ what, text, names: [], total: 0 });

const ONLY_THERE: readonly NotReturned[] = [
  plain(
    'live_values',
    'The newest values, meters and trouble codes of machines are those that head office had, with their times. These come when the machine reports again: values of devices, previously active trouble codes (DM2), and the lamps of a control unit without an active code; if such a lamp was on, also the trouble codes of that machine. The earlier steps of a meter do not come back; its total goes on, and the events of the machine name each step.',
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
      : `What that box recorded and had not sent when head office heard it last, at ${heard_at}, what it recorded after that, and changes that head office could not take. Only its own disk has it.`,
  );

/** The devices that have no key at this box, by name. They are counted again only after a key or a device changed. */
export class DevicesWithoutKey implements Disposable {
  readonly #store: TakeoverStore;
  readonly #unwatch: () => void;
  #known: Promise<NotReturned[]> | undefined;
  #projects: readonly string[] = [];

  constructor(store: TakeoverStore) {
    this.#store = store;
    this.#unwatch = store.changes((changes) => {
      for (const { document } of changes)
        if (document.object === 'key' || document.object === 'device') this.#known = undefined;
    });
  }

  of(projects: readonly string[]): Promise<NotReturned[]> {
    if (this.#projects !== projects) this.#known = undefined;
    this.#projects = projects;
    this.#known ??= this.#count(projects).catch((error: unknown) => {
      this.#known = undefined;
      throw error;
    });
    return this.#known;
  }

  async #count(projects: readonly string[]): Promise<NotReturned[]> {
    const { node, view } = this.#store;
    const where = { 'data.kind': 'device', 'data.revoked_at': null };
    const withKey = new Set<string | null | undefined>();
    for await (const { data } of walk<KeyData>(node, 'local', { object: 'key', where })) withKey.add(data.device);
    const names: string[] = [];
    let total = 0;
    for (const project of projects)
      for await (const { id, data } of walk<DeviceData>(view(project), 'records', { object: 'device' })) {
        if (withKey.has(id)) continue;
        total++;
        if (names.length < MOST_NAMES) names.push(data.name);
      }
    if (total === 0) return [];
    const words = say(
      '{n} device has no key at this box, so what it sends is refused. Give it a new key: on the page Connect, enter its serial number, and put the new key into the device.|{n} devices have no key at this box, so what they send is refused. Give each one a new key: on the page Connect, enter its serial number, and put the new key into the device.',
      { n: total },
    );
    return [
      {
        what: 'device_keys',
        text: textOf(words),
        words: [words],
        names,
        total,
      },
    ];
  }

  [Symbol.dispose](): void {
    this.#unwatch();
  }
}

/** Null for a box that has not taken the place of another one. */
export async function takeoverState(of: {
  readonly without: DevicesWithoutKey;
  readonly link: SyncLinkData | undefined;
  readonly given_back: GivenBack | null;
}): Promise<Takeover | null> {
  const { takeover } = of.link ?? {};
  if (takeover === undefined) return null;
  const { at, heard_at, projects } = takeover;
  const devices = await of.without.of(projects);
  return { at, heard_at, given_back: of.given_back, not_returned: [unsent(heard_at), ...devices, ...ONLY_THERE] };
}
