/**
 * The operations that are the same for dashboards and playlists. Both are records with a list of parts, and each has its own display link
 * (a link that shows it on a screen without a login).
 */
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import type { Parsed } from '#contract/operations.ts';
import type { DashboardData, PlaylistData } from '#contract/site/board.ts';
import {
  applyFields,
  checkRevision,
  contextOf,
  mediaFrom,
  requireRecord,
  type WithMedia,
  wireBase,
} from '#handlers/base/documents.ts';
import { stageEvent } from '#handlers/base/events.ts';
import { stageItems } from '#handlers/base/items.ts';
import { listPage } from '#handlers/base/lists.ts';
import { type LinkStatus, linkStates } from './display-shares.ts';
import { shownOnDisplays } from './displays.ts';

type MediaInput = Parsed<'dashboards_create'>['context'];
type Parts = Parameters<typeof stageItems>[3];

interface BoardKind<D, O> {
  readonly object: 'dashboard' | 'playlist';
  /** Returns the widgets of a dashboard or the items of a playlist. Each change of one of them is a separate event. */
  readonly parts: (data: D) => Parts;
  readonly partsField: string;
  /** Returns the texts that `q` searches. */
  readonly texts: (data: D) => readonly string[];
  /** Makes the API object from the stored fields and the fields that dashboards and playlists share. */
  readonly toObject: (data: D, shared: SharedFields) => O;
}

/** API fields that dashboards and playlists share. */
export type SharedFields = ReturnType<typeof wireBase> & {
  readonly published_revision: number | null;
  readonly link_status: LinkStatus | null;
  readonly context: ReturnType<typeof contextOf>;
};

/** Reads, stages and lists all records of one kind: either dashboards or playlists. */
export class BoardRecords<D extends DashboardData | PlaylistData, O> {
  private readonly kind: BoardKind<D, O>;

  constructor(kind: BoardKind<D, O>) {
    this.kind = kind;
  }

  /** Stages (adds to the commit of this call) a new record. `checked` validates the request and returns the fields. */
  async create(context: HandlerContext, media: MediaInput, checked: () => Promise<D>): Promise<O> {
    const { object } = this.kind;
    const attached = await mediaFrom(context.view, media);
    const data = { ...(await checked()), ...attached };
    const id = context.newId(object);
    const document = context.view.stage({ collection: 'records', id, object, data, expected: 0 });
    stageEvent(context, context.view, object, id, 'created', { name: data.name });
    return this.one(context, document);
  }

  list(context: HandlerContext, input: Parsed<'dashboards_list'>) {
    const { object, texts } = this.kind;
    return listPage<D & WithMedia, O>(
      context,
      context.view,
      'records',
      input,
      { object, text: ({ data }) => texts(data) },
      (documents) => this.all(context, documents),
    );
  }

  async get(context: HandlerContext, id: string): Promise<O> {
    return this.one(context, await requireRecord<D & WithMedia>(context.view, this.kind.object, id));
  }

  /** Reads a record that a call changes; throws `not_found`, or `revision_mismatch` if `If-Match` names another revision. */
  async requireCurrent(context: HandlerContext, id: string): Promise<Stored<D & WithMedia>> {
    const current = await requireRecord<D & WithMedia>(context.view, this.kind.object, id);
    checkRevision(context, current);
    return current;
  }

  /** Stages changed fields of a record. `checked` validates the request and returns them. Fields that are undefined do not change. */
  async update(
    context: HandlerContext,
    current: Stored<D & WithMedia>,
    media: MediaInput,
    checked: () => Promise<Partial<D>>,
  ): Promise<O> {
    const { object, parts, partsField } = this.kind;
    const attached = await mediaFrom(context.view, media);
    const given = { ...(await checked()), ...attached } as Partial<D & WithMedia>;
    const { data, fields } = applyFields(current.data, given);
    if (fields.length === 0) return this.one(context, current);
    const { id, revision: expected } = current;
    const document = context.view.stage({ collection: 'records', id, object, data, current, expected });
    stageEvent(context, context.view, object, id, 'updated', { fields });
    if (fields.includes(partsField)) stageItems(context, object, id, parts(current.data), parts(data));
    return this.one(context, document);
  }

  /** Stages the deletion of a record. The caller of this method must also end the display link of the record. */
  remove(context: HandlerContext, current: Stored<D & WithMedia>): void {
    const { object } = this.kind;
    const { id, data, revision: expected } = current;
    context.view.stage({ collection: 'records', id, object, data, current, expected, deleted: true });
    stageEvent(context, context.view, object, id, 'deleted', { name: data.name });
  }

  private async all(context: HandlerContext, found: readonly Stored<D & WithMedia>[]): Promise<O[]> {
    const { object, toObject } = this.kind;
    const links = await linkStates(context, object, found);
    const onDisplays = await shownOnDisplays(context.view, found);
    return found.map((document) => {
      const { media, ...data } = document.data;
      const link = links.get(document.id) ?? null;
      return toObject(data as unknown as D, {
        ...wireBase(document),
        published_revision: link === 'active' || onDisplays.has(document.id) ? document.revision : null,
        link_status: link,
        context: contextOf({ ...(media && { media }) }),
      });
    });
  }

  private async one(context: HandlerContext, document: Stored<D & WithMedia>): Promise<O> {
    const [one] = await this.all(context, [document]);
    if (one === undefined)
      throw new Error(`${this.kind.object} ${document.id} was deleted between two steps of the call`);
    return one;
  }
}
