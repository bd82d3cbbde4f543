/** The two select fields of a mapped signal: the site signal that it maps to, and its unit. */
import { useId } from 'preact/hooks';
import { SIGNAL_NAMES, type SignalName, signalRow } from '#contract/base/signals.ts';
import { conversionOf, unitsOf } from '#contract/base/units.ts';
import type { MappedSignal } from '#contract/fleet/dbc.ts';
import { t, translated } from '#ui/languages/texts.ts';
import { signalKey } from './dbc-text.ts';

/** A field to select a site signal. The first options are the signals with a unit to which the gateway can convert the unit of the file. */
export function SignalSelect(props: { label: string; unit: string; value: string; onValue(to: SignalName): void }) {
  const id = useId();
  const fits = (name: SignalName) => conversionOf(props.unit, name) !== undefined;
  const group = (label: string, names: readonly SignalName[]) =>
    names.length > 0 && (
      <optgroup label={label}>
        {names.map((name) => (
          <option key={name} value={name}>
            {translated(signalRow(name).label)}, {signalRow(name).unit}
          </option>
        ))}
      </optgroup>
    );
  return (
    <div class="field bare">
      <label for={id}>{props.label}</label>
      <select id={id} value={props.value} onChange={(event) => props.onValue(event.currentTarget.value as SignalName)}>
        {props.value === '' && <option value="">{t('Not mapped')}</option>}
        {group(t('Units that fit'), SIGNAL_NAMES.filter(fits))}
        {group(
          t('Other signals: select the unit too'),
          SIGNAL_NAMES.filter((name) => !fits(name)),
        )}
      </select>
    </div>
  );
}

/** A field to select the unit of a mapped signal: the unit that the file states, or another unit if the file is wrong. */
export function UnitSelect(props: {
  entry: MappedSignal;
  written: string | undefined;
  onValue(unit: string | null): void;
}) {
  const id = useId();
  const { entry, written } = props;
  const to = entry.to as SignalName;
  const fits = written !== undefined && conversionOf(written, to) !== undefined;
  return (
    <div class="field bare">
      <label for={id}>{t('Unit of {signal}', { signal: signalKey(entry) })}</label>
      <select
        id={id}
        value={entry.unit ?? ''}
        onChange={(event) => props.onValue(event.currentTarget.value === '' ? null : event.currentTarget.value)}
      >
        <option value="">
          {written === undefined
            ? t('As in the file')
            : fits
              ? t('{unit}, as in the file', { unit: written })
              : t('Select the unit')}
        </option>
        {unitsOf(to).map((unit) => (
          <option key={unit} value={unit}>
            {unit}
          </option>
        ))}
      </select>
    </div>
  );
}
