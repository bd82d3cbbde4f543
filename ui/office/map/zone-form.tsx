/** The form of a zone: its name and kind, and its corners, which a person can also type. */

import { useState } from 'preact/hooks';
import type { Output } from '#contract/operations.ts';
import { t, type Word } from '#ui/languages/texts.ts';
import { Choice, Field, Problem } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { useWrite } from '#ui/office/work/write.ts';
import { areaOf, areaText, offsetWords } from './map-view.ts';
import {
  at,
  type Corner,
  geofenceOf,
  MOST_CORNERS,
  moveCorner,
  problemOf,
  removeCorner,
  splitLine,
  undo,
  type ZoneDraft,
} from './zone-draft.ts';

type Location = Output<'locations_list'>['data'][number];

const KINDS = [
  ['zone', 'Zone'],
  ['pit', 'Pit'],
  ['stockpile', 'Stockpile'],
  ['crusher', 'Crusher'],
  ['workshop', 'Workshop'],
  ['fuel_bay', 'Fuel bay'],
  ['haul_road', 'Haul road'],
  ['site', 'Whole site'],
] as const satisfies readonly (readonly [Location['kind'], Word])[];
type Kind = (typeof KINDS)[number][0];

/** One corner, in degrees. The text becomes a corner when it is a number. */
function CornerRow(props: {
  index: number;
  corner: Corner;
  first: Corner;
  onMove(corner: Corner): void;
  onSplit(): void;
  onRemove(): void;
}) {
  const { index, corner, first } = props;
  const set = (part: 0 | 1, text: string) => {
    const degrees = Number(text);
    const limit = part === 0 ? 180 : 90;
    if (text.trim() === '' || !(Math.abs(degrees) <= limit)) return;
    props.onMove(part === 0 ? at(degrees, corner[1]) : at(corner[0], degrees));
  };
  return (
    <li>
      <b>{index + 1}</b>
      {([1, 0] as const).map((part) => (
        <input
          key={part}
          type="number"
          step="0.00001"
          aria-label={
            part === 1 ? t('Latitude of corner {n}', { n: index + 1 }) : t('Longitude of corner {n}', { n: index + 1 })
          }
          value={corner[part]}
          onChange={(event) => set(part, event.currentTarget.value)}
        />
      ))}
      <span class="actions">
        <button type="button" aria-label={t('Add a corner after corner {n}', { n: index + 1 })} onClick={props.onSplit}>
          +
        </button>
        <button type="button" aria-label={t('Remove corner {n}', { n: index + 1 })} onClick={props.onRemove}>
          ×
        </button>
      </span>
      {index > 0 && <small>{t('{distance} of corner 1', { distance: offsetWords(corner, first) })}</small>}
    </li>
  );
}

export function ZoneForm(props: {
  session: Session;
  /** The zone that a person changes; null for a new zone. */
  zone: Location | null;
  draft: ZoneDraft;
  onDraft(draft: ZoneDraft): void;
  onDone(id: string | null): void;
}) {
  const { session, zone, draft, onDraft } = props;
  const [name, setName] = useState(zone?.name ?? '');
  const [kind, setKind] = useState<Kind | 'unknown'>(zone?.kind ?? 'zone');
  const { busy, problem, write } = useWrite();
  const { corners } = draft;
  const wrong = problemOf(corners);
  const save = () =>
    write(async (once) => {
      // A kind that only a newer version knows is kept.
      const given = { name, ...(kind !== 'unknown' && { kind }), geofence: geofenceOf(corners) };
      const saved =
        zone === null
          ? await session.client.call('locations_create', given, once)
          : await session.client.call(
              'locations_update',
              { id: zone.id, ...given },
              { ...once, if_match: zone.revision },
            );
      props.onDone(saved.id);
    });
  const kinds = KINDS.map(([kind, word]) => [kind, t(word)] as const);
  return (
    <section
      class="zone-form panel-box"
      aria-label={zone === null ? t('New zone') : t('Change {name}', { name: zone.name })}
    >
      <h2>{zone === null ? t('New zone') : t('Change {name}', { name: zone.name })}</h2>
      <p class="aside">
        {t(
          'Click on the map to add a corner, and drag a corner to move it. With the keyboard: the arrow keys move the cross, Enter adds a corner there, Backspace takes back the last step.',
        )}
      </p>
      <Field label={t('Name')} value={name} onValue={setName} required />
      <Choice
        label={t('Kind')}
        value={kind}
        options={zone?.kind === 'unknown' ? [['unknown', t('Unknown')], ...kinds] : kinds}
        onValue={(value) => setKind(value as Kind | 'unknown')}
      />
      <p role="status">
        {corners.length === 0
          ? t('No corner yet.')
          : `${t('{n} corner|{n} corners', { n: corners.length })}${corners.length > 2 ? `, ${areaText(areaOf(corners))}` : ''}.`}
        {corners.length >= MOST_CORNERS && ` ${t('A zone has at most {n} corners here.', { n: MOST_CORNERS })}`}
      </p>
      <ol class="corners">
        {corners.map((corner, i) => (
          <CornerRow
            key={i}
            index={i}
            corner={corner}
            first={corners[0] as Corner}
            onMove={(next) => onDraft(moveCorner(draft, i, next))}
            onSplit={() => onDraft(splitLine(draft, i))}
            onRemove={() => onDraft(removeCorner(draft, i))}
          />
        ))}
      </ol>
      {corners.length > 0 && wrong !== null && <p class="waiting">{wrong}</p>}
      <Problem text={problem} />
      <div class="buttons">
        <button
          type="button"
          class="primary"
          disabled={busy || wrong !== null || name.trim() === ''}
          onClick={() => void save()}
        >
          {busy ? t('Sending') : t('Save the zone')}
        </button>
        <button type="button" disabled={draft.past.length === 0} onClick={() => onDraft(undo(draft))}>
          {t('Undo')}
        </button>
        <button type="button" class="quiet" onClick={() => props.onDone(zone?.id ?? null)}>
          {t('Cancel')}
        </button>
      </div>
    </section>
  );
}
