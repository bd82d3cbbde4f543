/** One paired display: how it is, what it shows, and how a person finds, changes and unpairs it. */
import { useState } from 'preact/hooks';
import type { Display } from '#contract/site/display.ts';
import { moment } from '#ui/format.ts';
import { t } from '#ui/languages/texts.ts';
import { parseNumber, typedNumber } from '#ui/office/base/numbers.ts';
import { Choice, Field, Form, Problem } from '#ui/office/base/parts.tsx';
import { NumberField } from '#ui/office/base/picks.tsx';
import { may, type Session } from '#ui/office/base/session.ts';
import { useSend } from '#ui/office/base/use.ts';
import type { Shown } from '#ui/office/screens/previews/shown.ts';
import { AlertMark, Live, Unknown } from '#ui/tiles/marks.tsx';
import type { Pictures } from '#ui/tiles/tile-props.ts';
import { DisplayPicture } from './display-picture.tsx';
import { conditionOf, conditionText, remedyText, shownText, sizeText } from './displays.ts';
import type { ReadSnapshot } from './use-snapshots.ts';

/** The choices of what a screen shows. */
export const shownOptions = (all: readonly Shown[]) =>
  all.map(
    ({ id, kind, name }) =>
      [id, kind === 'playlist' ? t('{name} (playlist)', { name }) : t('{name} (board)', { name })] as const,
  );

/** What a person types about the size and the place of a screen. */
export interface SizeDraft {
  readonly inches: string;
  readonly metres: string;
}

/** Returns the numbers of the draft; throws an error with the name of the field for a text that is not a number. */
export const sizesOf = ({ inches, metres }: SizeDraft) => ({
  inches: parseNumber(inches, t('Size of the screen')),
  metres: parseNumber(metres, t('Distance of its readers')),
});

export function SizeFields({ size, onSize }: { size: SizeDraft; onSize(size: SizeDraft): void }) {
  return (
    <>
      <NumberField
        label={t('Size of the screen')}
        value={size.inches}
        unit={t('inches')}
        onValue={(inches) => onSize({ ...size, inches })}
      />
      <NumberField
        label={t('Distance of its readers')}
        value={size.metres}
        unit="m"
        onValue={(metres) => onSize({ ...size, metres })}
      />
    </>
  );
}

function Change(props: { session: Session; display: Display; all: readonly Shown[]; onDone(): void }) {
  const { session, display, all } = props;
  const [name, setName] = useState(display.name);
  const [target, setTarget] = useState(display.object_id);
  const [size, setSize] = useState({ inches: typedNumber(display.inches), metres: typedNumber(display.metres) });
  const { busy, problem, send } = useSend();
  const save = () =>
    send(async () => {
      const chosen = all.find(({ id }) => id === target);
      await session.client.call('displays_update', {
        id: display.id,
        name: name.trim(),
        ...sizesOf(size),
        ...(chosen !== undefined && { kind: chosen.kind, object_id: chosen.id }),
      });
      props.onDone();
    });
  return (
    <Form action={t('Save')} busy={busy} onSend={save}>
      <Field label={t('Name of the screen')} value={name} onValue={setName} required maxLength={120} autoFocus />
      <Choice label={t('Show')} value={target} onValue={setTarget} options={shownOptions(all)} />
      <SizeFields size={size} onSize={setSize} />
      <Problem text={problem} />
    </Form>
  );
}

function AskUnpair(props: { session: Session; display: Display; onDone(): void; onCancel(): void }) {
  const { busy, problem, send } = useSend();
  const unpair = () =>
    send(async () => {
      await props.session.client.call('displays_unpair', { id: props.display.id });
      props.onDone();
    });
  return (
    <div class="ask" role="alert">
      <p>{t('This screen goes dark at once and shows a pairing code. The other screens stay.')}</p>
      <Problem text={problem} />
      <div class="buttons">
        <button type="button" disabled={busy} onClick={unpair}>
          {t('Unpair {name}', { name: props.display.name })}
        </button>
        <button type="button" onClick={props.onCancel}>
          {t('Cancel')}
        </button>
      </div>
    </div>
  );
}

/** For this many milliseconds the card says what came of the last click on *Show its name*. */
const NAMED_MS = 30_000;

const MARKS = {
  live: <Live />,
  small: <AlertMark mark="warning" />,
  not_heard: <Unknown />,
  never_heard: <Unknown />,
} as const;

export function DisplayCard(props: {
  session: Session;
  display: Display;
  all: readonly Shown[];
  read: ReadSnapshot | undefined;
  now_ms: number;
  pictures: Pictures;
  onChanged(): void;
}) {
  const { session, display, all, now_ms } = props;
  const [open, setOpen] = useState<'change' | 'unpair' | null>(null);
  const [named, setNamed] = useState<boolean | null>(null);
  const { busy, problem, send } = useSend();
  const condition = conditionOf(display, now_ms);
  const remedy = remedyText(display, now_ms);
  const name = <span class="hidden">{display.name}</span>;
  const toggle = (next: 'change' | 'unpair') => setOpen(open === next ? null : next);
  const done = () => {
    setOpen(null);
    props.onChanged();
  };
  const identify = () =>
    send(async () => {
      setNamed(null);
      const { shown } = await session.client.call('displays_identify', { id: display.id });
      setNamed(shown);
      setTimeout(() => setNamed(null), NAMED_MS);
    });
  return (
    <li class={`display-card is-${condition}`}>
      <DisplayPicture {...{ display, condition, now_ms }} read={props.read} pictures={props.pictures} />
      <h3>{display.name}</h3>
      <p class="display-condition">
        {MARKS[condition]} <b>{conditionText(display, now_ms)}</b>
      </p>
      <p class="aside">{shownText(display, (id) => all.find((one) => one.id === id)?.name)}</p>
      {sizeText(display) !== null && <p class="aside">{sizeText(display)}</p>}
      {remedy !== null && <p class="aside">{remedy}</p>}
      <div class="buttons">
        {may(session, 'displays_identify') && (
          <button type="button" disabled={busy} onClick={identify}>
            {t('Show its name')} {name}
          </button>
        )}
        {may(session, 'displays_update') && (
          <button type="button" aria-expanded={open === 'change'} onClick={() => toggle('change')}>
            {t('Change')} {name}
          </button>
        )}
        {may(session, 'displays_unpair') && (
          <button type="button" aria-expanded={open === 'unpair'} onClick={() => toggle('unpair')}>
            {t('Unpair')} {name}
          </button>
        )}
      </div>
      <p role="status" class="aside">
        {named === null
          ? ''
          : named
            ? t('The screen shows its name for half a minute.')
            : t('The screen is not connected, so it shows nothing.')}
      </p>
      <Problem text={problem} />
      {open === 'change' && <Change session={session} display={display} all={all} onDone={done} />}
      {open === 'unpair' && (
        <AskUnpair session={session} display={display} onDone={done} onCancel={() => setOpen(null)} />
      )}
      <p class="aside">
        {t('Paired {at} by {by}, from {address}', {
          at: moment(Date.parse(display.paired_at), now_ms, session.project.timezone),
          by: display.paired_by,
          address: display.address,
        })}
      </p>
    </li>
  );
}
