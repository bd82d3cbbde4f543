/** Pairs a TV with a playlist or board, by the code that the TV shows. */
import { useState } from 'preact/hooks';
import { said, t } from '#ui/languages/texts.ts';
import { Choice, Field, Form, Problem } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { useSend } from '#ui/office/base/use.ts';
import type { Shown } from './uses.ts';

export function PairForm(props: { session: Session; shown: readonly Shown[]; code: string; onPaired(): void }) {
  const [code, setCode] = useState(props.code);
  const [target, setTarget] = useState('');
  const [paired, setPaired] = useState<string | null>(null);
  const { busy, problem, send } = useSend();
  const chosen = props.shown.find((one) => one.id === target) ?? props.shown[0];
  return (
    <section class="panel-box">
      <h2>{t('Pair a TV')}</h2>
      <p>
        {said('Open {address} on the TV. Then enter the code that the TV shows.', {
          address: <b>{`${location.host}/tv`}</b>,
        })}
      </p>
      <Form
        action={t('Pair')}
        busy={busy}
        onSend={() =>
          send(async () => {
            if (chosen === undefined) return;
            const input = { user_code: code.trim(), kind: chosen.kind, object_id: chosen.id };
            await props.session.client.call('display_pairings_approve', input);
            setPaired(chosen.name);
            setCode('');
            props.onPaired();
          })
        }
      >
        <Field
          label={t('Code on the TV')}
          value={code}
          onValue={setCode}
          required
          mono
          maxLength={12}
          autoFocus={props.code !== ''}
        />
        <Choice
          label={t('Show')}
          value={chosen?.id ?? ''}
          onValue={setTarget}
          options={props.shown.map(
            ({ id, kind, name }) =>
              [id, kind === 'playlist' ? t('{name} (playlist)', { name }) : t('{name} (board)', { name })] as const,
          )}
        />
        <Problem text={problem} />
      </Form>
      <p role="status" class="arrived">
        {paired === null ? '' : t('Paired. The TV shows {name} within a few seconds.', { name: paired })}
      </p>
    </section>
  );
}
