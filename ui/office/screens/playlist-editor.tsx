/** The editor of a playlist: its boards and pictures in their order, the seconds of each, and how screens show them. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { ClientError } from '#contract/client.ts';
import type { Input } from '#contract/operations.ts';
import { SEVERITY } from '#contract/work/alert.ts';
import { isShown } from '#contract/work/media.ts';
import { duration } from '#ui/format.ts';
import { t } from '#ui/languages/texts.ts';
import { readAll } from '#ui/office/base/lists.ts';
import { Choice, Empty, Field, Problem } from '#ui/office/base/parts.tsx';
import { Toggle } from '#ui/office/base/picks.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { useTabState } from '#ui/office/base/tab-state.ts';
import { usePolled, useSend } from '#ui/office/base/use.ts';
import { same } from './board-draft.ts';
import { useSaid } from './editor-hooks.tsx';
import {
  changedFields,
  fieldsOf,
  hasWrongSeconds,
  type KeptPlaylist as Kept,
  LEAST_SECONDS,
  MOST_ITEMS,
  MOST_SECONDS,
  moveItem,
  NO_NUMBER,
  type PlaylistFields,
  type PlaylistItem,
  placeAt,
  roundSeconds,
} from './playlist-draft.ts';
import { PlaylistItemRow, SecondsField } from './playlist-item.tsx';
import { SharePanel } from './share-panel.tsx';
import { SEVERITIES } from './tile-settings.tsx';
import { type Playlist, savedText } from './uses.ts';

/** What an item can show: boards, and pictures that devices have sent. */
type Offers = readonly { readonly id: string; readonly name: string; readonly isPicture: boolean }[];

async function readOffers(session: Session, signal: AbortSignal): Promise<Offers> {
  const [boards, files] = await Promise.all([
    readAll(session, 'dashboards_list', { order: 'asc' }, signal),
    readAll(session, 'artifacts_list', { order: 'desc' }, signal),
  ]);
  const pictures = files.items.filter(({ content_type, name }) => isShown(content_type) && name !== null);
  return [
    ...boards.items.map(({ id, name }) => ({ id, name, isPicture: false })),
    ...pictures.map(({ id, name }) => ({ id, name: name ?? id, isPicture: true })),
  ];
}

const newItemId = (): string =>
  `item-${[...crypto.getRandomValues(new Uint8Array(6))].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;

interface Dragged {
  readonly id: string;
  /** The middles of the rows when the drag began, in pixels from the top of the window. */
  readonly middles: readonly number[];
}

function Items(props: {
  session: Session;
  fields: PlaylistFields;
  offers: Offers;
  onItems(items: PlaylistItem[]): void;
  onSaid(text: string): void;
}) {
  const { fields, offers, onItems } = props;
  const { items } = fields;
  const list = useRef<HTMLUListElement>(null);
  const [dragged, setDragged] = useState<Dragged | null>(null);
  const nameOf = ({ dashboard_id, artifact_id }: PlaylistItem): string =>
    offers.find(({ id }) => id === dashboard_id || id === artifact_id)?.name ?? t('a picture or a deleted board');
  const move = (from: number, to: number) => {
    const next = moveItem(items, from, to);
    const item = items[from];
    if (item === undefined) return;
    const at = next.findIndex(({ id }) => id === item.id);
    props.onSaid(t('{name}, place {n} of {all}', { name: nameOf(item), n: at + 1, all: next.length }));
    onItems(next);
    // The row may have moved in the page, which takes the focus from its button.
    setTimeout(() => list.current?.querySelector<HTMLElement>(`[data-item="${item.id}"] .item-grip`)?.focus());
  };
  const rows = () => [...(list.current?.children ?? [])].map((one) => one.getBoundingClientRect());
  return (
    <ul
      class="rows"
      ref={list}
      onPointerMove={(event) => {
        if (dragged === null) return;
        const from = items.findIndex(({ id }) => id === dragged.id);
        const to = placeAt(dragged.middles, event.clientY);
        if (to !== from) onItems(moveItem(items, from, to));
      }}
      onPointerUp={() => setDragged(null)}
      onPointerCancel={() => setDragged(null)}
    >
      {items.map((item, index) => (
        <PlaylistItemRow
          key={item.id}
          session={props.session}
          item={item}
          name={nameOf(item)}
          index={index}
          of={items.length}
          isDragged={dragged?.id === item.id}
          onItem={(next) => onItems(items.with(index, next))}
          onMove={(to) => move(index, to)}
          onRemove={() => {
            props.onSaid(t('{name} was removed.', { name: nameOf(item) }));
            onItems(items.toSpliced(index, 1));
          }}
          onGrab={() => setDragged({ id: item.id ?? '', middles: rows().map(({ top, height }) => top + height / 2) })}
        />
      ))}
    </ul>
  );
}

function AddItem({ offers, onAdd }: { offers: Offers; onAdd(item: PlaylistItem): void }) {
  const [chosen, setChosen] = useState('');
  const one = offers.find(({ id }) => id === chosen) ?? offers[0];
  return (
    <div class="add-item">
      <Choice
        label={t('Board or picture')}
        value={one?.id ?? ''}
        options={offers.map(
          ({ id, name, isPicture }) => [id, isPicture ? t('{name} (picture)', { name }) : name] as const,
        )}
        onValue={setChosen}
      />
      <button
        type="button"
        disabled={one === undefined}
        onClick={() => {
          if (one === undefined) return;
          onAdd({ id: newItemId(), enabled: true, [one.isPicture ? 'artifact_id' : 'dashboard_id']: one.id });
        }}
      >
        {t('Add to the playlist')}
      </button>
    </div>
  );
}

function Settings({ fields, onFields }: { fields: PlaylistFields; onFields(changes: Partial<PlaylistFields>): void }) {
  const [groups, setGroups] = useState(fields.display_group_ids.join(' '));
  return (
    <section class="panel-box" aria-label={t('Settings of the playlist')}>
      <h2>{t('Settings of the playlist')}</h2>
      <Field label={t('Name')} value={fields.name} required onValue={(name) => onFields({ name })} />
      <SecondsField
        label={t('Seconds of each item')}
        hint={t('An item can have its own.')}
        value={fields.default_duration_s}
        onValue={(value) => onFields({ default_duration_s: value ?? NO_NUMBER })}
      />
      <Choice
        label={t('From one board to the next')}
        value={fields.transition}
        options={[
          ['fade', t('Fade')],
          ['none', t('At once')],
        ]}
        onValue={(transition) => onFields({ transition: transition as 'fade' })}
      />
      <Toggle
        label={t('A new order every hour, the same on all screens')}
        value={fields.shuffle}
        onValue={(shuffle) => onFields({ shuffle })}
      />
      <Toggle
        label={t('An alert takes over the screens until somebody acknowledges it')}
        value={fields.takeover.enabled}
        onValue={(enabled) => onFields({ takeover: { ...fields.takeover, enabled } })}
      />
      {fields.takeover.enabled && (
        <Choice
          label={t('Least severity')}
          value={fields.takeover.min_severity}
          options={SEVERITY.map((one) => [one, t(SEVERITIES[one])] as const)}
          onValue={(one) => onFields({ takeover: { ...fields.takeover, min_severity: one as 'critical' } })}
        />
      )}
      <Field
        label={t('Groups of screens')}
        hint={t(
          'Names such as workshop, with a blank between them. A screen paired with a group shows the playlist of the group.',
        )}
        value={groups}
        maxLength={2_000}
        onValue={(text) => {
          setGroups(text);
          onFields({ display_group_ids: text.split(/[\s,]+/).filter((one) => one !== '') });
        }}
      />
    </section>
  );
}

/** The edits of a playlist, which the tab keeps, and how they are saved. */
function usePlaylistDraft(session: Session, stored: Playlist, onSaved: () => void) {
  const [kept, setKept] = useTabState<Kept>(`playlist ${stored.id}`);
  const latest = useRef(kept);
  const { busy, problem, send } = useSend();
  const [saved, setSaved] = useState(stored);
  /** What the person dropped, so that the person can take it back. */
  const [dropped, setDropped] = useState<Kept | null>(null);
  // A poll may have been answered before the own write.
  const newest = saved.revision > stored.revision ? saved : stored;
  const { revision, base, now } = kept ?? { revision: newest.revision, base: fieldsOf(newest), now: fieldsOf(newest) };
  const isMet = kept !== null && newest.revision > revision && !same(fieldsOf(newest), base) && !busy;
  const keep = (next: Kept | null) => {
    latest.current = next;
    setKept(next);
  };
  const set = (changes: Partial<PlaylistFields>) => {
    const next = { ...now, ...changes };
    setDropped(null);
    keep(same(next, base) ? null : { revision, base, now: next });
  };
  const write = (against: Playlist) => {
    const input = { id: stored.id, ...changedFields(now, fieldsOf(against)) } as Input<'playlists_update'>;
    return session.client.call('playlists_update', input, { if_match: against.revision });
  };
  /** Saves the edits. Returns undefined if another person has changed the fields since. */
  const saveOver = async (over: Playlist): Promise<Playlist | undefined> => {
    try {
      return await write(over);
    } catch (error) {
      if (!(error instanceof ClientError) || error.code !== 'revision_mismatch') throw error;
      const read = await session.client.call('playlists_get', { id: stored.id });
      setSaved(read);
      // If only the revision has changed, there is nothing to ask.
      return same(fieldsOf(read), fieldsOf(over)) ? write(read) : undefined;
    }
  };
  const save = () =>
    send(async () => {
      const answer = await saveOver(newest);
      if (answer === undefined) return;
      setSaved(answer);
      // The person may have made more edits while the answer was on its way.
      const after = latest.current?.now ?? base;
      keep(same(after, now) ? null : { revision: answer.revision, base: fieldsOf(answer), now: after });
      onSaved();
    });
  return {
    ...{ kept, now, newest, isMet, busy, problem, dropped, set, save },
    drop() {
      setDropped(kept);
      keep(null);
    },
    takeBack() {
      keep(dropped);
      setDropped(null);
    },
  };
}

function Editor({ session, stored, offers }: { session: Session; stored: Playlist; offers: Offers }) {
  const { said, say } = useSaid();
  const [isLinked, setLinked] = useState(false);
  const [round, setRound] = useState(0);
  const { kept, now, newest, isMet, busy, problem, dropped, set, save, ...draft } = usePlaylistDraft(
    session,
    stored,
    () => say(savedText(session)),
  );
  const refused =
    now.name.trim() === ''
      ? t('A playlist needs a name.')
      : hasWrongSeconds(now)
        ? t('The seconds need a number from {least} to {most}.', { least: LEAST_SECONDS, most: MOST_SECONDS })
        : null;
  const drop = () => {
    draft.drop();
    setRound(round + 1);
    say(t('Your changes were dropped.'));
  };
  const takeBack = () => {
    draft.takeBack();
    setRound(round + 1);
  };
  useEffect(() => {
    if (kept === null) setRound((n) => n + 1);
  }, [newest.revision]);
  return (
    <>
      <div class="head board-bar">
        <span class="aside save-state">
          {refused ??
            (kept === null ? t('All changes are saved') : t('Not saved yet. Screens show the playlist as it was.'))}
        </span>
        <div class="buttons">
          <button type="button" aria-expanded={isLinked} onClick={() => setLinked(!isLinked)}>
            {t('Open on a TV')}
          </button>
          {kept !== null && (
            <button type="button" disabled={busy} onClick={drop}>
              {t('Drop my changes')}
            </button>
          )}
          {kept === null && dropped !== null && (
            <button type="button" onClick={takeBack}>
              {t('Take my changes back')}
            </button>
          )}
          <button
            type="button"
            class="primary"
            disabled={kept === null || busy || isMet || refused !== null}
            onClick={save}
          >
            {t('Save')}
          </button>
        </div>
      </div>
      <Problem text={problem} />
      {isMet && (
        <section class="met" role="alert" aria-label={t('Changes by others')}>
          <p>
            <b>{t('Another person saved this playlist.')}</b> {t('Your changes are still here, and not saved yet.')}
          </p>
          <div class="buttons">
            <button type="button" disabled={refused !== null} onClick={save}>
              {t('Replace theirs with mine')}
            </button>
            <button type="button" onClick={drop}>
              {t('Use theirs')}
            </button>
          </div>
        </section>
      )}
      {isLinked && (
        <SharePanel
          session={session}
          one={{ kind: 'playlist', id: stored.id, name: stored.name }}
          onChanged={() => undefined}
        />
      )}
      <p class="edit-said" role="status">
        {said}
      </p>
      <div class="board-desk">
        <div key={round}>
          <h2>{t('Boards')}</h2>
          {now.items.length === 0 ? (
            <Empty title={t('No boards')}>{t('Add the first board below.')}</Empty>
          ) : (
            <p class="aside">
              {t('One round takes {time}. Drag an item by its handle, or select the handle and press the arrow keys.', {
                time: duration(roundSeconds(now) * 1_000),
              })}
            </p>
          )}
          <Items session={session} fields={now} offers={offers} onItems={(items) => set({ items })} onSaid={say} />
          {now.items.length < MOST_ITEMS && (
            <AddItem offers={offers} onAdd={(item) => set({ items: [...now.items, item] })} />
          )}
        </div>
        <Settings key={`settings ${round}`} fields={now} onFields={set} />
      </div>
    </>
  );
}

export function PlaylistEditor({ session, id }: { session: Session; id: string }) {
  const playlist = usePolled(() => session.client.call('playlists_get', { id }), 15_000, [session, id], ['playlist']);
  const offers = usePolled((signal) => readOffers(session, signal), 60_000, [session], ['dashboard']);
  return (
    <>
      <p>
        <a href="#screens">{t('Screens')}</a>
      </p>
      <h1>{playlist.data?.name ?? t('Playlist')}</h1>
      <Problem text={playlist.problem ?? offers.problem} />
      {playlist.data !== null && offers.data !== null && (
        <Editor key={id} session={session} stored={playlist.data} offers={offers.data} />
      )}
    </>
  );
}
