/** Pairs a TV with a playlist or board, by the code that the TV shows. */
import { useState } from 'preact/hooks';
import { said, t } from '#ui/languages/texts.ts';
import { Choice, Field, Form, Problem } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { useSend } from '#ui/office/base/use.ts';
import { type SizeDraft, SizeFields, shownOptions, sizesOf } from '#ui/office/screens/paired/display-card.tsx';
import type { Shown } from '#ui/office/screens/previews/shown.ts';

const NO_SIZE: SizeDraft = { inches: '', metres: '' };

export function PairForm(props: { session: Session; shown: readonly Shown[]; code: string; onPaired(): void }) {
  const [code, setCode] = useState(props.code);
  const [target, setTarget] = useState('');
  const [name, setName] = useState('');
  const [size, setSize] = useState(NO_SIZE);
  const [paired, setPaired] = useState<string | null>(null);
  const { busy, problem, send } = useSend();
  const chosen = props.shown.find((one) => one.id === target) ?? props.shown[0];
  const pair = () =>
    send(async () => {
      if (chosen === undefined) return;
      const { inches, metres } = sizesOf(size);
      await props.session.client.call('display_pairings_approve', {
        ...{ user_code: code.trim(), kind: chosen.kind, object_id: chosen.id },
        ...(name.trim() !== '' && { name: name.trim() }),
        ...(inches !== null && { inches }),
        ...(metres !== null && { metres }),
      });
      setPaired(chosen.name);
      setCode('');
      setName('');
      setSize(NO_SIZE);
      props.onPaired();
    });
  return (
    <section class="panel-box">
      <h3>{t('Pair a TV')}</h3>
      <p>
        {said('Open {address} on the TV. Then enter the code that the TV shows.', {
          address: <b>{`${location.host}/tv`}</b>,
        })}
      </p>
      <Form action={t('Pair')} busy={busy} onSend={pair}>
        <Field
          label={t('Code on the TV')}
          value={code}
          onValue={setCode}
          required
          mono
          maxLength={12}
          autoFocus={props.code !== ''}
        />
        <Choice label={t('Show')} value={chosen?.id ?? ''} onValue={setTarget} options={shownOptions(props.shown)} />
        <Field label={t('Name of the screen')} value={name} onValue={setName} maxLength={120} />
        <SizeFields size={size} onSize={setSize} />
        <Problem text={problem} />
      </Form>
      <p role="status" class="arrived">
        {paired === null ? '' : t('Paired. The TV shows {name} within a few seconds.', { name: paired })}
      </p>
    </section>
  );
}
