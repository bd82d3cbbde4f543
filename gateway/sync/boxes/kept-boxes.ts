/** At head office: what each box tells about itself, and which box of several with one identity a person chose. */
import { type EnrolmentData, MOST_GATEWAYS } from '#contract/site/sync.ts';
import { BoxReport, type GatewayBox, type HeardBox } from '#contract/site/sync-boxes.ts';
import { isChosen } from '#domain/sync/boxes.ts';
import type { Store } from '#store/open-store.ts';

/** A fenced box that was not heard for this time is not shown any more. */
const SHOWN_MS = 30 * 86_400_000;

/** Reads what a box tells about itself; undefined for a box of an earlier version, and for what is no such text. */
export function readBox(text: string | undefined): BoxReport | undefined {
  if (text === undefined) return undefined;
  const given = Object.fromEntries(new URLSearchParams(text));
  const orNull = (value: string | undefined): string | null => (value === undefined || value === '' ? null : value);
  const read = BoxReport.safeParse({
    ...given,
    address: orNull(given.address),
    fenced_at: orNull(given.fenced_at),
    newest_at: orNull(given.newest_at),
    waiting: Number(given.waiting ?? 0),
  });
  return read.success ? read.data : undefined;
}

/** The boxes of a gateway as people see them: none while only one of them was heard, and it is not fenced. */
export function shownBoxes(
  boxes: readonly HeardBox[],
  { since, kept, now }: { readonly since: string; readonly kept: string | undefined; readonly now: number },
): GatewayBox[] {
  const shown = boxes.filter(
    ({ at, fenced_at }) => at >= since && (fenced_at === null || now - Date.parse(at) < SHOWN_MS),
  );
  if (shown.every(({ fenced_at }) => fenced_at === null)) return [];
  return shown
    .map(({ at, ...box }) => ({ ...box, last_contact_at: at, kept: isChosen(box, kept) }))
    .sort((a, b) => Number(a.fenced_at !== null) - Number(b.fenced_at !== null) || (a.mark < b.mark ? -1 : 1));
}

/** The choices of people. All processes of a database hear of each choice. */
export class KeptBoxes implements Disposable {
  readonly #node: Store['node'];
  readonly #kept = new Map<string, string>();
  readonly #unwatch: () => void;

  /** `changed` is called after a new choice. */
  constructor({ store, changed }: { readonly store: Pick<Store, 'node'>; readonly changed: () => void }) {
    this.#node = store.node;
    this.#unwatch = store.node.changes((changes) => {
      let isNew = false;
      for (const { collection, document } of changes) {
        if (collection !== 'local' || document.object !== 'enrolment') continue;
        this.#note(document.data as unknown as EnrolmentData);
        isNew = true;
      }
      if (isNew) changed();
    });
  }

  async load(): Promise<void> {
    const found = await this.#node.find<EnrolmentData>('local', { object: 'enrolment', limit: MOST_GATEWAYS });
    for (const { data } of found) this.#note(data);
  }

  #note({ gateway_id, kept, replaced_at }: EnrolmentData): void {
    if (gateway_id === null || replaced_at !== null) return;
    if (kept === undefined) this.#kept.delete(gateway_id);
    else this.#kept.set(gateway_id, kept.mark);
  }

  /** The mark of the box that was chosen last. */
  of(gateway_id: string): string | undefined {
    return this.#kept.get(gateway_id);
  }

  [Symbol.dispose](): void {
    this.#unwatch();
  }
}
