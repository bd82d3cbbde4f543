/** The settings of one tile. A person selects machines, places and cameras by name. */
import type { SignalName } from '#contract/base/signals.ts';
import { SIGNALS } from '#contract/base/signals.ts';
import { WHOLE_SITE } from '#contract/base/widget-kinds.ts';
import { SEVERITY } from '#contract/work/alert.ts';
import { t, translated, type Word } from '#ui/languages/texts.ts';
import { kindText, MACHINE_KINDS } from '#ui/office/base/machine-kinds.ts';
import { Choice, Field } from '#ui/office/base/parts.tsx';
import { TextArea } from '#ui/office/base/picks.tsx';
import { CodeSettings } from './code-settings.tsx';
import { LimitSettings } from './limit-settings.tsx';
import { countsMachines, howOf, kindOf, problemOf, type Setting } from './tile-kinds.ts';
import { goneIn, type Offers, type Query, type SettingsProps, withQuery } from './tile-query.ts';

const label = (name: string): string => translated(SIGNALS[name as SignalName]?.label ?? name);
const NAMES = Object.keys(SIGNALS) as SignalName[];

/** All values that a machine can send, by name. A value that only a newer version knows stays selected. */
function signalOptions(value: string): (readonly [string, string])[] {
  const all = NAMES.includes(value as SignalName) || value === '' ? NAMES : [...NAMES, value];
  return all.map((name) => [name, label(name)] as const).sort((a, b) => a[1].localeCompare(b[1]));
}

function SignalChoice(props: { label: string; value: string; none?: string; onValue(value: string): void }) {
  const none = props.none === undefined ? [] : [['', props.none] as const];
  return (
    <Choice
      label={props.label}
      value={props.value}
      options={[...none, ...signalOptions(props.value)]}
      onValue={props.onValue}
    />
  );
}

/** Up to four values. The first is `signal`, the others are `signals`. */
function SignalsSettings({ tile, onTile }: SettingsProps) {
  const { signal, signals = [] } = tile.query;
  const chosen = [signal, ...signals].filter((name): name is string => name !== undefined);
  const set = (next: readonly string[]) => {
    const [first, ...rest] = [...new Set(next.filter((name) => name !== ''))];
    onTile(withQuery(tile, { signal: first, signals: rest.length === 0 ? undefined : rest }));
  };
  const rows = chosen.length < 4 ? [...chosen, ''] : chosen;
  return (
    <>
      {rows.map((name, i) => (
        <SignalChoice
          key={i}
          label={t('Value {n}', { n: i + 1 })}
          value={name}
          none={chosen.length === 0 ? t('The usual values') : t('None')}
          onValue={(value) => set(rows.with(i, value))}
        />
      ))}
    </>
  );
}

function SignalSettings({ tile, onTile }: SettingsProps) {
  const { signal = '' } = tile.query;
  if (countsMachines(tile)) return null;
  return (
    <SignalChoice
      label={t('Value')}
      value={signal}
      {...(signal === '' && { none: t('Select a value') })}
      onValue={(value) => onTile(withQuery(tile, { signal: value }))}
    />
  );
}

const AGGREGATES = {
  sum: 'All machines together',
  avg: 'The average of the machines',
  min: 'The lowest machine',
  max: 'The highest machine',
  count_running: 'How many machines run',
  count_reporting: 'How many machines send data',
  utilization: 'Running now',
  working_in_shift: 'Work in known time',
  fuel_in_shift: 'Fuel this shift',
  longest_down: 'Longest down this shift',
  oldest_repair: 'Oldest open repair',
  worked_yesterday: 'Worked yesterday',
} as const satisfies Record<NonNullable<Query['aggregate']>, Word>;
const OF_TRENDS = ['sum', 'avg', 'min', 'max'] as const;

/** The value of a number before a person has chosen one. */
const USUAL_VALUE = 'fuel.level';

/** Returns the first machine by its unit number; undefined if the site has none. */
const firstMachine = ({ machines }: Offers): string | undefined =>
  machines
    .filter(({ status }) => status !== 'decommissioned')
    .sort((a, b) => a.unit_number.localeCompare(b.unit_number, undefined, { numeric: true }))[0]?.id;

function AggregateSettings({ tile, offers, onTile }: SettingsProps) {
  const { query } = tile;
  const isTrend = tile.type === 'timeseries';
  const how = howOf(tile);
  const names = isTrend ? OF_TRENDS : (Object.keys(AGGREGATES) as (keyof typeof AGGREGATES)[]);
  const machine = query.equipment_id ?? firstMachine(offers);
  const plain = { ...query, aggregate: undefined } as Query;
  // A trend with several values of several machines has no line for each machine, and a value of one machine needs a machine.
  const hasPlain = how === '' || (isTrend ? howOf({ type: tile.type, query: plain }) === '' : machine !== undefined);
  const set = (next: string) => {
    const aggregate = next === '' ? undefined : (next as 'sum');
    if (isTrend) return onTile(withQuery(tile, { aggregate }));
    // A person who leaves the value of one machine wants a number of all machines again.
    const machines =
      next === ''
        ? { equipment_id: machine, kind: undefined, location_id: undefined }
        : WHOLE_SITE.includes(next)
          ? { equipment_id: undefined, kind: undefined, location_id: undefined }
          : how === '' && { equipment_id: undefined };
    const changed = withQuery(tile, { aggregate, ...machines });
    onTile(howOf(changed) === next ? changed : withQuery(changed, { signal: USUAL_VALUE }));
  };
  return (
    <>
      <Choice
        label={isTrend ? t('Lines') : t('What the number is')}
        value={how}
        options={[
          ...(hasPlain ? [['', isTrend ? t('A line for each machine') : t('Value of one machine')] as const] : []),
          ...names.map((name) => [name, t(AGGREGATES[name])] as const),
        ]}
        onValue={set}
      />
      {isTrend && how === '' && query.equipment_id === undefined && (
        <p class="aside">{t('At most 4 machines have a line: the first ones by their unit numbers.')}</p>
      )}
    </>
  );
}

/** Which machines the tile shows. The three conditions count together. */
function MachineSettings({ tile, offers, onTile }: SettingsProps) {
  const { aggregate = '', equipment_id = '', kind = '', location_id = '' } = tile.query;
  if (tile.type === 'kpi' && WHOLE_SITE.includes(aggregate))
    return <p class="aside">{t('Of all machines of the site.')}</p>;
  const used = offers.machines.flatMap((one) => one.kind ?? []);
  const kinds = [...new Set([...MACHINE_KINDS, ...used, kind])].filter((one) => one !== '');
  const machines = offers.machines.filter(({ id, status }) => status !== 'decommissioned' || id === equipment_id);
  const set = (name: 'kind' | 'location_id') => (value: string) =>
    onTile(withQuery(tile, { [name]: value === '' ? undefined : value }));
  // The other conditions count too. For one machine the page does not show them, so they are removed. A map keeps its place.
  const setMachine = (id: string) =>
    onTile(
      id === ''
        ? withQuery(tile, { equipment_id: undefined })
        : withQuery(tile, {
            equipment_id: id,
            kind: undefined,
            ...(tile.type !== 'map' && { location_id: undefined }),
          }),
    );
  const sorted = (options: (readonly [string, string])[]) =>
    options.sort((a, b) => a[1].localeCompare(b[1], undefined, { numeric: true }));
  return (
    <>
      <Choice
        label={t('Machine')}
        value={equipment_id}
        options={[
          ['', t('All machines')],
          ...sorted(
            machines.map(({ id, unit_number, name }) => [id, name === unit_number ? name : `${unit_number} ${name}`]),
          ),
        ]}
        onValue={setMachine}
      />
      {equipment_id === '' && (
        <>
          <Choice
            label={t('Kind of machine')}
            value={kind}
            options={[['', t('All kinds')], ...sorted(kinds.map((one) => [one, kindText(one)]))]}
            onValue={set('kind')}
          />
          {tile.type !== 'map' && (
            <Choice
              label={t('Place')}
              value={location_id}
              options={[['', t('The whole site')], ...sorted(offers.locations.map(({ id, name }) => [id, name]))]}
              onValue={set('location_id')}
            />
          )}
        </>
      )}
    </>
  );
}

const WINDOWS = [900, 1_800, 3_600, 14_400, 28_800, 43_200, 86_400] as const;
const spanText = (s: number): string => (s < 3_600 ? `${s / 60} min` : `${Math.round(s / 360) / 10} h`);

function PlainSettings({ setting, tile, offers, onTile }: SettingsProps & { setting: Setting }) {
  const { query, params } = tile;
  if (setting === 'window') {
    const value = query.window_s ?? 1_800;
    const all = [...new Set([...WINDOWS, value])].sort((a, b) => a - b);
    return (
      <Choice
        label={t('Time that is shown')}
        value={String(value)}
        options={all.map((one) => [String(one), spanText(one)] as const)}
        onValue={(one) => onTile(withQuery(tile, { window_s: Number(one) }))}
      />
    );
  }
  if (setting === 'order')
    return (
      <Choice
        label={t('Order')}
        value={params.order === 'asc' || params.order === 'desc' ? params.order : ''}
        options={[
          ['', t('By the limits')],
          ['asc', t('Lowest first')],
          ['desc', t('Highest first')],
        ]}
        onValue={(order) => {
          const { order: _, ...rest } = params;
          onTile({ ...tile, params: order === '' ? rest : { ...rest, order } });
        }}
      />
    );
  if (setting === 'place')
    return (
      <Choice
        label={t('Place')}
        value={query.location_id ?? ''}
        options={[['', t('The whole site')], ...offers.locations.map(({ id, name }) => [id, name] as const)]}
        onValue={(id) => onTile(withQuery(tile, { location_id: id === '' ? undefined : id }))}
      />
    );
  if (setting === 'severity')
    return (
      <Choice
        label={t('Least severity')}
        value={query.min_severity ?? 'info'}
        options={SEVERITY.map((one) => [one, t(SEVERITIES[one])] as const)}
        onValue={(one) => onTile(withQuery(tile, { min_severity: one as 'info' }))}
      />
    );
  if (setting === 'day')
    return (
      <Choice
        label={t('Day')}
        value={params.day === 'yesterday' ? 'yesterday' : 'today'}
        options={[
          ['today', t('Today')],
          ['yesterday', t('Yesterday')],
        ]}
        onValue={(day) => onTile({ ...tile, params: { ...params, day } })}
      />
    );
  if (setting === 'camera')
    return (
      <Choice
        label={t('Camera')}
        value={query.device_id ?? ''}
        options={[
          ...(query.device_id === undefined ? [['', t('Select a camera')] as const] : []),
          ...offers.cameras.map(({ id, name }) => [id, name] as const),
        ]}
        onValue={(id) => onTile(withQuery(tile, { device_id: id }))}
      />
    );
  return (
    <TextArea
      label={t('Text')}
      value={typeof params.text === 'string' ? params.text : ''}
      rows={4}
      maxLength={2_000}
      onValue={(text) => onTile({ ...tile, params: { ...params, text } }, 'text')}
    />
  );
}

export const SEVERITIES = { info: 'Info', warning: 'Warning', critical: 'Critical' } as const satisfies Record<
  (typeof SEVERITY)[number],
  Word
>;

const AGES = [60, 300, 900, 3_600, 21_600, 86_400] as const;

function AgeSettings({ tile, onTile }: SettingsProps) {
  const { max_age_s, ...rest } = tile;
  const all = [...new Set([...AGES, ...(max_age_s === undefined ? [] : [max_age_s])])].sort((a, b) => a - b);
  return (
    <Choice
      label={t('A value is old after')}
      value={max_age_s === undefined ? '' : String(max_age_s)}
      options={[['', t('Its usual time')], ...all.map((one) => [String(one), spanText(one)] as const)]}
      onValue={(value) => onTile(value === '' ? rest : { ...rest, max_age_s: Number(value) })}
    />
  );
}

function One(props: SettingsProps & { setting: Setting }) {
  if (props.setting === 'machines') return <MachineSettings {...props} />;
  if (props.setting === 'signals') return <SignalsSettings {...props} />;
  if (props.setting === 'signal') return <SignalSettings {...props} />;
  if (props.setting === 'aggregate') return <AggregateSettings {...props} />;
  if (props.setting === 'limits') return <LimitSettings {...props} />;
  if (props.setting === 'age') return <AgeSettings {...props} />;
  if (props.setting === 'code') return <CodeSettings {...props} />;
  return <PlainSettings {...props} />;
}

/** The title of a tile and the settings of its kind. */
export function TileSettings(props: SettingsProps) {
  const { tile, codes, onTile } = props;
  const problem = problemOf(tile, goneIn(codes));
  return (
    <>
      <Field
        label={t('Title')}
        value={tile.title}
        maxLength={80}
        onValue={(title) => onTile({ ...tile, title }, 'title')}
      />
      {kindOf(tile.type).settings.map((setting) => (
        <One key={setting} {...props} setting={setting} />
      ))}
      {problem !== null && <p class="problem">{problem}</p>}
    </>
  );
}
