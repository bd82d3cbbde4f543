/** In the place of a file whose content is not at this end: where it is, when it comes, and a button that asks for it. */
import { useEffect } from 'preact/hooks';
import { t } from '#ui/languages/texts.ts';
import { Problem } from '#ui/office/base/parts.tsx';
import { may, newIdempotencyKey, type Session } from '#ui/office/base/session.ts';
import { size } from '#ui/office/base/size.ts';
import { usePolled, useSend } from '#ui/office/base/use.ts';

const EVERY_MS = 3_000;

/** `name` tells the file from others on the page. */
export function FileAway(props: { session: Session; id: string; name: string; onHere(): void }) {
  const { session, id, name } = props;
  const read = usePolled((signal) => session.client.call('artifacts_transfer', { id }, { signal }), EVERY_MS, [id]);
  const { busy, problem, send } = useSend();
  const file = read.data;
  const isHere = file?.state === 'here';
  useEffect(() => {
    if (isHere) props.onHere();
  }, [isHere]);
  if (file === null) return <p class="aside">{read.problem ?? t('Loading')}</p>;
  const isAsked = file.wanted_at !== null;
  const canAsk = !isAsked && file.state !== 'here' && file.state !== 'missing' && may(session, 'artifacts_fetch');
  return (
    <div class="file-away">
      <p role="status">
        {file.sentence}
        {isAsked && file.state !== 'missing' && ` ${t('It was asked for, so it comes before all other files.')}`}
      </p>
      {file.received > 0 && !isHere && (
        <>
          <progress aria-label={t('{name} has arrived so far', { name })} max={file.bytes} value={file.received} />
          <small>{t('{done} of {all}', { done: size(file.received), all: size(file.bytes) })}</small>
        </>
      )}
      {canAsk && (
        <button
          type="button"
          disabled={busy}
          onClick={() =>
            send(async () => {
              await session.client.call('artifacts_fetch', { id }, { idempotency_key: newIdempotencyKey() });
              read.reload();
            })
          }
        >
          {t('Get this file first ({size})', { size: size(file.bytes) })}
          <span class="hidden">: {name}</span>
        </button>
      )}
      <Problem text={problem} />
    </div>
  );
}
