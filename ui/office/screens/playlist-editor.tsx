/** The editor of a playlist: its boards and pictures in their order, the seconds of each, and how screens show them. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ClientError } from '#contract/client.ts';
import { SEVERITY } from '#contract/work/alert.ts';
import { isShown } from '#contract/work/media.ts';
import { exactDuration } from '#ui/format.ts';
import { t } from '#ui/languages/texts.ts';
import { readAll, readPage } from '#ui/office/base/lists.ts';
import { Choice, Empty, Field, Problem } from '#ui/office/base/parts.tsx';
import { Toggle } from '#ui/office/base/picks.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { usePolled } from '#ui/office/base/use.ts';
import {
  hasWrongSeconds,
  isOutdated,
  LEAST_SECONDS,
  MOST_ITEMS,
  MOST_SECONDS,
  moveItem,
  NO_NUMBER,
  type PlaylistFields,
  type PlaylistItem,
  placeAt,
  roundSeconds,
} from '#ui/office/screens/drafts/playlist-draft.ts';
import { useDrag, useSaid } from './editor-hooks.tsx';
import { PlaylistItemRow, SecondsField } from './playlist-item.tsx';
import { LeftOut, SavePlaylistAs } from './save-as.tsx';
import { SharePanel } from './share-panel.tsx';
import { SEVERITIES } from './tile-settings.tsx';
import { keptPlaylist, usePlaylistDraft } from './use-playlist-draft.ts';
import { type Playlist, savedText } from './uses.ts';

/** What an item can show: boards, and pictures that devices have sent. */
interface Offers {
  readonly all: readonly { readonly id: string; readonly name: string; readonly isPicture: boolean }[];
  /** True if the project has more boards, or older pictures, than the lists show. */
  readonly more: boolean;
}

/** The kinds of files that may be pictures. Each kind is read on its own, because the frames of a camera would hide all others. */
const PICTURES = ['image', 'clip', 'file', 'frame'] as const;

/** Reads what items can show. `used` has the ids of the pictures that the playlist shows, which may be old. */
async function readOffers(session: Session, used: readonly string[], signal: AbortSignal): Promise<Offers> {
  const boards = await readAll(session, 'dashboards_list', { order: 'asc' }, signal);
  const files = await Promise.all(
    PICTURES.map((kind) => readPage(session, 'artifacts_list', { order: 'desc', kind }, signal)),
  );
  const known = files.flatMap(({ data }) => data);
  const missing = used.filter((id) => known.every((one) => one.id !== id));
  const others = await Promise.all(missing.map((id) => readPicture(session, id, signal)));
  const pictures = [...known, ...others.flat()].filter(
    ({ content_type, name }) => isShown(content_type) && name !== null,
  );
  return {
    all: [
      ...boards.items.map(({ id, name }) => ({ id, name, isPicture: false })),
      ...pictures.map(({ id, name }) => ({ id, name: name ?? id, isPicture: true })),
    ],
    more: boards.more || files.some(({ has_more }) => has_more),
  };
}

/** Reads one file; nothing if it was deleted. */
async function readPicture({ client }: Session, id: string, signal: AbortSignal) {
  try {
    return [await client.call('artifacts_get', { id }, { signal })];
  } catch (error) {
    if (error instanceof ClientError && error.code === 'not_found') return [];
    throw error;
  }
}

const newItemId = (): string =>
  `item-${[...crypto.getRandomValues(new Uint8Array(6))].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;

interface Dragged {
  readonly id: string;
  readonly pointer: number;
  /** The middles of the rows when the drag began, in pixels from the top of the window. */
  readonly middles: readonly number[];
}

function Items(props: {
  session: Session;
  fields: PlaylistFields;
  offers: Offers | null;
  onItems(items: PlaylistItem[]): void;
  onSaid(text: string): void;
}) {
  const { fields, offers, onItems } = props;
  const { items } = fields;
  const list = useRef<HTMLUListElement>(null);
  const [dragged, setDragged] = useState<Dragged | null>(null);
  const nameOf = ({ dashboard_id, artifact_id }: PlaylistItem): string =>
    offers === null
      ? t('Loading')
      : (offers.all.find(({ id }) => id === dashboard_id || id === artifact_id)?.name ??
        t('a picture or a deleted board'));
  const move = (from: number, to: number) => {
    const next = moveItem(items, from, to);
    const item = items[from];
    if (item === undefined) return;
    const at = next.findIndex(({ id }) => id === item.id);
    props.onSaid(t('{name}, place {n} of {all}', { name: nameOf(item), n: at + 1, all: next.length }));
    onItems(next);
    // The row may have moved in the page, which takes the focus from its button.
    setTimeout(() =>
      list.current?.querySelector<HTMLElement>(`[data-item="${CSS.escape(item.id ?? '')}"] .item-grip`)?.focus(),
    );
  };
  useDrag(
    dragged?.pointer ?? null,
    ({ clientY }) => {
      if (dragged === null) return;
      const from = items.findIndex(({ id }) => id === dragged.id);
      const to = placeAt(dragged.middles, clientY);
      if (from >= 0 && to !== from) onItems(moveItem(items, from, to));
    },
    () => setDragged(null),
  );
  const rows = () => [...(list.current?.children ?? [])].map((one) => one.getBoundingClientRect());
  return (
    <ul class="rows" ref={list}>
      {items.map((item, index) => (
        <PlaylistItemRow
          key={item.id}
          session={props.session}
          item={item}
          name={nameOf(item)}
          seconds={props.fields.default_duration_s}
          index={index}
          of={items.length}
          isDragged={dragged?.id === item.id}
          onItem={(next) => onItems(items.with(index, next))}
          onMove={(to) => move(index, to)}
          onRemove={() => {
            props.onSaid(t('{name} was removed.', { name: nameOf(item) }));
            onItems(items.toSpliced(index, 1));
          }}
          onGrab={({ pointerId }) => {
            const middles = rows().map(({ top, height }) => top + height / 2);
            setDragged({ id: item.id ?? '', pointer: pointerId, middles });
          }}
        />
      ))}
    </ul>
  );
}

function AddItem({ offers, onAdd }: { offers: Offers; onAdd(item: PlaylistItem): void }) {
  const [chosen, setChosen] = useState('');
  const { all, more } = offers;
  const one = all.find(({ id }) => id === chosen) ?? all[0];
  return (
    <div class="add-item">
      <Choice
        label={t('Board or picture')}
        value={one?.id ?? ''}
        options={all.map(
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
      {more && <p class="aside">{t('Of pictures, the list has only the newest ones.')}</p>}
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

function Editor(props: { session: Session; stored: Playlist; offers: Offers | null; isGone: boolean }) {
  const { session, stored, offers } = props;
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
  // Fields that hold what a person typed are drawn anew when another person saved other values, and not after the own save.
  const current = { revision: kept?.revision ?? newest.revision, fields: now };
  const shown = useRef(current);
  useEffect(() => {
    if (kept === null && isOutdated(shown.current, current)) setRound((n) => n + 1);
    shown.current = current;
  }, [newest.revision, kept]);
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
      {kept !== null && (isMet || problem !== null || props.isGone) && (
        <SavePlaylistAs session={session} fields={now} onSaved={draft.forget} />
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
                time: exactDuration(roundSeconds(now) * 1_000),
              })}
            </p>
          )}
          <Items session={session} fields={now} offers={offers} onItems={(items) => set({ items })} onSaid={say} />
          {now.items.length < MOST_ITEMS && offers !== null && (
            <AddItem offers={offers} onAdd={(item) => set({ items: [...now.items, item] })} />
          )}
        </div>
        <Settings key={`settings ${round}`} fields={now} onFields={set} />
      </div>
    </>
  );
}

/** Returns the playlist on which the kept changes of a deleted playlist are based, so that the editor shows them; null if there are none. */
function lostPlaylist(id: string): Playlist | null {
  const left = keptPlaylist(id);
  return left === null ? null : ({ ...left.base, id, revision: left.revision } as Playlist);
}

export function PlaylistEditor({ session, id }: { session: Session; id: string }) {
  const playlist = usePolled(() => session.client.call('playlists_get', { id }), 15_000, [session, id], ['playlist']);
  const items = [...(playlist.data?.items ?? []), ...(keptPlaylist(id)?.now.items ?? [])];
  const used = [...new Set(items.flatMap(({ artifact_id }) => artifact_id ?? []))].sort();
  const offers = usePolled(
    (signal) => readOffers(session, used, signal),
    60_000,
    [session, used.join()],
    ['dashboard'],
  );
  const isLost = playlist.data === null && playlist.problem !== null;
  // The editor stays when the person drops the changes, so that the person can take them back.
  const lost = useMemo(() => (isLost ? lostPlaylist(id) : null), [isLost, id]);
  const stored = playlist.data ?? lost;
  return (
    <>
      <p>
        <a href="#screens">{t('Screens')}</a>
      </p>
      <h1>{stored?.name ?? t('Playlist')}</h1>
      <Problem text={playlist.problem ?? offers.problem} />
      <LeftOut id={id} />
      {lost !== null && <p class="waiting">{t('This tab has changes of this playlist that are not saved.')}</p>}
      {stored !== null && (
        <Editor key={id} session={session} stored={stored} offers={offers.data} isGone={playlist.problem !== null} />
      )}
    </>
  );
}
