/** The panel beside the board: the selected tile with its place and settings, or the board itself. */
import type { PlacedWidget } from '#contract/site/widget.ts';
import { t } from '#ui/languages/texts.ts';
import { Choice, Field } from '#ui/office/base/parts.tsx';
import { TextArea } from '#ui/office/base/picks.tsx';
import type { Session } from '#ui/office/base/session.ts';
import type { Board } from '#ui/office/screens/drafts/board-draft.ts';
import { COLUMNS, type Place, ROWS } from '#ui/office/screens/drafts/layout.ts';
import { isSmall, kindOf, TILE_TYPES, type TileType, tileName } from './tile-kinds.ts';
import type { CodeLists, Offers } from './tile-query.ts';
import { TileSettings } from './tile-settings.tsx';

const numbers = (least: number, most: number) =>
  Array.from({ length: most - least + 1 }, (_, i) => [String(least + i), String(least + i)] as const);

/** The place and size of a tile as numbers, for people who do not drag. */
function PlaceFields({ place, onPlace }: { place: Place; onPlace(place: Place): void }) {
  const { x, y, w, h } = place;
  const field = (label: string, value: number, most: number, to: (value: number) => Place) => (
    <Choice
      label={label}
      value={String(value)}
      options={numbers(1, most)}
      onValue={(next) => onPlace(to(Number(next)))}
    />
  );
  return (
    <div class="place-fields">
      {field(t('Column'), x + 1, COLUMNS - w + 1, (next) => ({ x: next - 1, y, w, h }))}
      {field(t('Row'), y + 1, ROWS - h + 1, (next) => ({ x, y: next - 1, w, h }))}
      {field(t('Width'), w, COLUMNS - x, (next) => ({ x, y, w: next, h }))}
      {field(t('Height'), h, ROWS - y, (next) => ({ x, y, w, h: next }))}
    </div>
  );
}

function TilePanel(props: {
  session: Session;
  tile: PlacedWidget;
  offers: Offers | null;
  codes: CodeLists | null;
  onTile(tile: PlacedWidget, group?: string): void;
  onPlace(place: Place): void;
  onRemove(): void;
  onBack(): void;
  onClose(): void;
}) {
  const { tile, offers } = props;
  const { name, says, least } = kindOf(tile.type);
  return (
    <section
      class="panel-box tile-panel"
      aria-label={tileName(tile)}
      onKeyDown={(event) => event.key === 'Escape' && props.onBack()}
    >
      <div class="row">
        <h2>{t(name)}</h2>
        <button type="button" class="quiet" onClick={props.onClose}>
          {t('Settings of the board')}
        </button>
      </div>
      <p class="aside">{t(says)}</p>
      {isSmall(tile) && (
        <p class="waiting">
          {t('This tile is small: it may leave texts out. It needs {w} by {h} cells.', { w: least.w, h: least.h })}
        </p>
      )}
      <PlaceFields place={tile.position} onPlace={props.onPlace} />
      {offers === null ? (
        <p class="aside">{t('Loading')}</p>
      ) : (
        <TileSettings
          key={tile.id}
          session={props.session}
          tile={tile}
          offers={offers}
          codes={props.codes}
          onTile={props.onTile}
        />
      )}
      <button type="button" onClick={props.onRemove}>
        {t('Remove the tile')}
      </button>
    </section>
  );
}

function BoardPanel(props: { board: Board; onBoard(board: Board, group?: string): void }) {
  const { board, onBoard } = props;
  return (
    <section class="panel-box tile-panel" aria-label={t('Settings of the board')}>
      <h2>{t('Settings of the board')}</h2>
      <Field label={t('Name')} value={board.name} required onValue={(name) => onBoard({ ...board, name }, 'name')} />
      <TextArea
        label={t('Purpose')}
        hint={t('For people who choose a board. Screens do not show it.')}
        value={board.description}
        maxLength={2_000}
        onValue={(description) => onBoard({ ...board, description }, 'description')}
      />
      <Choice
        label={t('Look')}
        value={board.theme}
        options={[
          ['tv-dark', t('Dark, for most rooms')],
          ['tv-light', t('Light, for bright rooms')],
        ]}
        onValue={(theme) => onBoard({ ...board, theme: theme as Board['theme'] })}
      />
      <p class="aside">{t('Select a tile to change it.')}</p>
    </section>
  );
}

/** The selected tile, or the board if no tile is selected. */
export function SidePanel(props: {
  session: Session;
  board: Board;
  tile: PlacedWidget | undefined;
  offers: Offers | null;
  codes: CodeLists | null;
  onBoard(board: Board, group?: string): void;
  onPlace(place: Place, id: string): void;
  onRemove(id: string): void;
  /** A person pressed Escape in the settings of a tile, to go back to the tile. */
  onBack(): void;
  onClose(): void;
}) {
  const { board, tile, onBoard } = props;
  if (tile === undefined) return <BoardPanel board={board} onBoard={onBoard} />;
  const { id } = tile;
  return (
    <TilePanel
      session={props.session}
      tile={tile}
      offers={props.offers}
      codes={props.codes}
      onTile={(next, group) =>
        onBoard(
          { ...board, widgets: board.widgets.map((one) => (one.id === id ? next : one)) },
          group && `${id} ${group}`,
        )
      }
      onPlace={(position) => props.onPlace(position, id)}
      onRemove={() => props.onRemove(id)}
      onBack={props.onBack}
      onClose={props.onClose}
    />
  );
}

/** The kinds of tiles that a person can add. */
export function AddPanel(props: { hasCamera: boolean; onAdd(type: TileType): void; onClose(): void }) {
  return (
    <section
      class="panel-box tile-panel"
      aria-label={t('Add a tile')}
      onKeyDown={(event) => event.key === 'Escape' && props.onClose()}
    >
      <div class="row">
        <h2>{t('Add a tile')}</h2>
        <button type="button" class="quiet" onClick={props.onClose}>
          {t('Close')}
        </button>
      </div>
      <ul class="tile-kinds">
        {TILE_TYPES.map((type) => {
          const { name, says } = kindOf(type);
          const isMissing = type === 'camera' && !props.hasCamera;
          return (
            <li key={type}>
              <button type="button" disabled={isMissing} onClick={() => props.onAdd(type)}>
                <b>{t(name)}</b>
                <span>{isMissing ? t('There is no camera yet. Add one on the page Devices.') : t(says)}</span>
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
