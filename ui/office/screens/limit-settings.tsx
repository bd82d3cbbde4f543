/** The limits of a tile: from which value on it marks a value as a warning or as critical. */
import { useEffect, useState } from 'preact/hooks';
import { isSignal, signalRow } from '#contract/base/signals.ts';
import type { PlacedWidget } from '#contract/site/widget.ts';
import { t } from '#ui/languages/texts.ts';
import { parseNumber, typedNumber } from '#ui/office/base/numbers.ts';
import { Choice, Problem } from '#ui/office/base/parts.tsx';
import { NumberField } from '#ui/office/base/picks.tsx';
import { errorText } from '#ui/office/base/session.ts';
import { NO_NUMBER } from '#ui/office/screens/drafts/playlist-draft.ts';
import { countsMachines } from './tile-kinds.ts';
import type { SettingsProps } from './tile-query.ts';

type Limit = PlacedWidget['thresholds'][number];
const MOST_LIMITS = 8;

function LimitRow(props: { limit: Limit; unit: string; onLimit(limit: Limit): void; onRemove(): void }) {
  const { limit, onLimit } = props;
  const [text, setText] = useState(typedNumber(limit.at));
  const [problem, setProblem] = useState<string | null>(null);
  // The number changes from outside when a person undoes a step.
  useEffect(() => {
    if (read(text) === limit.at) return;
    setText(typedNumber(limit.at));
    setProblem(null);
  }, [limit.at]);
  return (
    <li>
      <Choice
        label={t('Mark values')}
        value={limit.below ? 'below' : 'above'}
        options={[
          ['above', t('from this number up')],
          ['below', t('from this number down')],
        ]}
        onValue={(side) => onLimit({ ...limit, below: side === 'below' })}
      />
      <NumberField
        label={t('Limit')}
        unit={props.unit}
        value={text}
        onValue={(typed) => {
          setText(typed);
          try {
            const at = parseNumber(typed, t('Limit'));
            setProblem(null);
            onLimit({ ...limit, at: at ?? NO_NUMBER });
          } catch (error) {
            setProblem(errorText(error));
            onLimit({ ...limit, at: NO_NUMBER });
          }
        }}
      />
      <Problem text={problem} />
      <Choice
        label={t('As')}
        value={limit.level}
        options={[
          ['warning', t('Warning')],
          ['critical', t('Critical')],
        ]}
        onValue={(level) => onLimit({ ...limit, level: level as Limit['level'] })}
      />
      <button type="button" class="quiet" onClick={props.onRemove}>
        {t('Remove the limit')}
      </button>
    </li>
  );
}

function read(typed: string): number | null {
  try {
    return parseNumber(typed, '');
  } catch {
    return null;
  }
}

export function LimitSettings({ tile, onTile }: SettingsProps) {
  const { thresholds } = tile;
  const { signal } = tile.query;
  // A tile that counts machines keeps its signal, but shows no value of it.
  const unit = !countsMachines(tile) && signal !== undefined && isSignal(signal) ? signalRow(signal).unit : '';
  const set = (next: readonly Limit[], group?: string) => onTile({ ...tile, thresholds: [...next] }, group);
  return (
    <fieldset class="limits">
      <legend>{t('Limits')}</legend>
      <ul>
        {thresholds.map((limit, i) => (
          <LimitRow
            key={i}
            limit={limit}
            unit={unit}
            onLimit={(next) => set(thresholds.with(i, next), `limit ${i}`)}
            onRemove={() => set(thresholds.toSpliced(i, 1))}
          />
        ))}
      </ul>
      {thresholds.length < MOST_LIMITS && (
        <button type="button" onClick={() => set([...thresholds, { at: 0, level: 'warning', below: false }])}>
          {t('Add a limit')}
        </button>
      )}
    </fieldset>
  );
}
