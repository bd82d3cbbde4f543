/** The last step: what this phone has saved and sent, and what the gateway did not take. */
import { language, t, translated } from '#ui/languages/texts.ts';
import type { Item } from '#ui/outbox/item.ts';
import { dropItem, type FaultPage, type Kept, type Kind, kindOf, type Shown } from './report.ts';
import { Clock, Tick } from './signs.tsx';

function Step({ done, title, text }: { done: boolean; title: string; text: string }) {
  return (
    <li>
      {done ? <Tick /> : <Clock />}
      <span>
        <b>{title}</b>
        <small>{text}</small>
      </span>
    </li>
  );
}

const REFUSED = {
  report: 'The gateway did not take this report',
  check: 'The gateway did not take this check',
  photo: 'The gateway did not take this photo',
} as const satisfies Record<Kind, string>;

/** Why the gateway did not take it. */
function refusalText(item: Item): string {
  const { code, message = '' } = item.problem ?? {};
  if (code === 'writing_pass_refused')
    return t('This report is more than 45 days old. The gateway does not take it any more.');
  return code === 'limit_reached'
    ? t('This report or its repair has all the photos that it can have.')
    : translated(message);
}

/** Says it if the report says that the machine cannot work. */
function Stopped({ body }: Pick<Item['request'], 'body'>) {
  return body.stopped === true ? <p class="stop">{t('The machine cannot work')}</p> : null;
}

/** What the gateway did not take, of every machine. Each stands above all until the person deletes it. */
export function Refused({ items }: Pick<Kept, 'items'>) {
  return (
    <>
      {items
        .filter(({ state }) => state === 'refused')
        .map((item) => (
          <section key={item.seq} class="box">
            <h2>{t(REFUSED[kindOf(item)])}</h2>
            <p class="problem" role="alert">
              {refusalText(item)}
            </p>
            <p>{[item.title, item.request.body.text].filter(Boolean).join(': ')}</p>
            <Stopped {...item.request} />
            {kindOf(item) === 'report' && <p>{t('Tell your supervisor about the fault.')}</p>}
            {kindOf(item) === 'photo' && <p>{t('The gateway has the report of this photo.')}</p>}
            <button type="button" class="send" onClick={() => void dropItem(item, items)}>
              {t('Delete it here')}
            </button>
          </section>
        ))}
    </>
  );
}

const WAITING = {
  report: '{n} report is saved on this phone.|{n} reports are saved on this phone.',
  check: '{n} check is saved on this phone.|{n} checks are saved on this phone.',
  photo: '{n} photo is saved on this phone.|{n} photos are saved on this phone.',
} as const satisfies Record<Kind, string>;
const KINDS = Object.keys(WAITING) as Kind[];

/** What this phone has not sent yet. */
export function Others({ items, line }: Kept) {
  const waiting = items.filter(({ state }) => state === 'queued');
  if (waiting.length === 0) return null;
  const count = (kind: Kind) => waiting.filter((item) => kindOf(item) === kind).length;
  return (
    <p class="waiting" role="status">
      {KINDS.filter((kind) => count(kind) > 0).map((kind) => `${t(WAITING[kind], { n: count(kind) })} `)}
      {line === 'sending' ? t('Sending now.') : t('They send by themselves when the gateway answers.')}
    </p>
  );
}

/** Which part of the photos of a report is sent; null if it has none. */
function photoStep(photos: readonly Item[], { direct }: Shown) {
  const all = photos.length + direct;
  if (all === 0) return null;
  const sent = photos.filter(({ state }) => state === 'sent').length + direct;
  const why = photos.find(({ state, problem }) => state === 'queued' && problem !== null)?.problem?.message;
  const text = t('{n} of {all} sent', { n: sent, all });
  return (
    <Step done={sent === all} title={t('Photos')} text={why === undefined ? text : `${text}. ${translated(why)}`} />
  );
}

/** The state of a line to the gateway in words. */
const lineText = (isSent: boolean, line: Kept['line']): string => {
  if (isSent) return t('it has it');
  return line === 'unreachable' ? t('no Wi-Fi right now') : t('waiting for the answer');
};

export function Sent(props: { page: FaultPage; item: Shown; kept: Kept; onDone(): void }) {
  const { page, item, kept } = props;
  const isSent = item.state === 'sent';
  const isCheck = kindOf(item) === 'check';
  const time = new Date(item.device_ms).toLocaleTimeString(language().tag, { hour: '2-digit', minute: '2-digit' });
  const photos = kept.items.filter(({ follows }) => follows === item.id);
  const count = photos.length + item.direct;
  const heading = isCheck
    ? t('{machine} is OK', { machine: page.unit_number })
    : t('Thank you. The workshop has your report.');
  return (
    <section class="sent" role="status">
      <div class="top">
        <span>{page.site}</span>
        {!isSent && kept.line === 'unreachable' && <span>{t('No Wi-Fi right now')}</span>}
      </div>
      <div class="box">
        <h1>{isSent || isCheck ? heading : t('Saved on this phone')}</h1>
        {isCheck && <p>{t('Checked at {time} by {name}. Have a safe shift.', { time, name: item.who })}</p>}
        {!isSent && (
          <p>{t('It sends by itself when the gateway answers. You may close this page; open it again to send.')}</p>
        )}
      </div>
      {!isCheck && (
        <div class="box kept">
          <b>{item.title}</b>
          <Stopped {...item.request} />
          <small>
            {[time, item.who, ...(count === 0 ? [] : [t('{n} photo|{n} photos', { n: count })])].join(', ')}
          </small>
        </div>
      )}
      {item.lost > 0 && (
        <p class="problem" role="alert">
          {t('The report is saved without {n} photo.|The report is saved without {n} photos.', { n: item.lost })}
        </p>
      )}
      <ol class="steps box">
        <Step done title={t('Saved')} text={t('{time}, on this phone', { time })} />
        <Step done={isSent} title={t('Sent to the gateway')} text={lineText(isSent, kept.line)} />
        {photoStep(photos, item)}
        {!isCheck && (
          <Step
            done={isSent}
            title={t('On the list of repairs')}
            text={isSent ? t('ticket {number}', { number: item.answer_id ?? '' }) : t('you will see the ticket here')}
          />
        )}
      </ol>
      <div class="foot">
        {!isCheck && (
          <p class="danger">{t('If the machine is not safe, do not operate it, and tell your supervisor now.')}</p>
        )}
        <button type="button" class="done" onClick={props.onDone}>
          {t('Done')}
        </button>
      </div>
    </section>
  );
}
