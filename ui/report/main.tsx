/**
 * Entry of report.html, the page behind the QR code of a machine. Anybody reports a fault there without an account. The URL is
 * `/report/{token}`; the token is valid for one machine.
 */
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { speakPhone } from '#ui/languages/phone.ts';
import { language, t, translated } from '#ui/languages/texts.ts';
import { FULL, fullness, type Item, NotKept } from '#ui/outbox/item.ts';
import type { View } from '#ui/outbox/outbox.ts';
import {
  dropReport,
  type FaultPage,
  type Report,
  readPage,
  type Shown,
  sendReport,
  useReport,
  useReports,
} from './report.ts';

function Choices(props: { page: FaultPage; chosen: string; disabled: boolean; onChoose(problem: string): void }) {
  return (
    <fieldset disabled={props.disabled}>
      <legend>{t('What is wrong?')}</legend>
      <div class="choices">
        {props.page.problems.map(({ id, label }) => (
          <button key={id} type="button" aria-pressed={props.chosen === id} onClick={() => props.onChoose(id)}>
            {translated(label)}
          </button>
        ))}
      </div>
    </fieldset>
  );
}

/** The three steps of a report: stored on the phone, sent, and on the list of repairs. */
function Step({ done, title, text }: { done: boolean; title: string; text: string }) {
  return (
    <li class={done ? 'done' : ''}>
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <circle cx="12" cy="12" r="9.5" />
        <path d={done ? 'M7.5 12.4l3 3 6-6.4' : 'M12 7v5l3 2'} />
      </svg>
      <span>
        <b>{title}</b>
        <small>{text}</small>
      </span>
    </li>
  );
}

/** Why the gateway did not take a report. */
const refusalText = ({ problem }: Item): string =>
  problem?.code === 'writing_pass_refused'
    ? t('This report is more than 45 days old. The gateway does not take it any more.')
    : translated(problem?.message ?? '');

/** Says it if the report says that the machine cannot work. */
function Stopped({ body }: Pick<Item['request'], 'body'>) {
  return body.stopped === true ? <p class="stop">{t('The machine cannot work')}</p> : null;
}

/** The reports that the gateway did not take, of every machine. Each stands above all until the person deletes it. */
function Refused({ items }: { items: readonly Item[] }) {
  return (
    <>
      {items
        .filter(({ state }) => state === 'refused')
        .map((item) => (
          <section key={item.seq}>
            <h2>{t('The gateway did not take this report')}</h2>
            <p class="problem" role="alert">
              {refusalText(item)}
            </p>
            <p>{[item.title, item.request.body.text].filter(Boolean).join(': ')}</p>
            <Stopped {...item.request} />
            <p>{t('Tell your supervisor about the fault.')}</p>
            <button type="button" class="send" onClick={() => void dropReport(item.seq)}>
              {t('Delete it here')}
            </button>
          </section>
        ))}
    </>
  );
}

function Kept({ item, line, onAgain }: { item: Shown; line: View['line']; onAgain(): void }) {
  const isSent = item.state === 'sent';
  const time = new Date(item.device_ms).toLocaleTimeString(language().tag, { hour: '2-digit', minute: '2-digit' });
  return (
    <section role="status">
      <h2>{t(isSent ? 'Thank you. The workshop has your report.' : 'Saved on this phone')}</h2>
      {!isSent && (
        <p>{t('It sends by itself when the gateway answers. You may close this page; open it again to send.')}</p>
      )}
      <div class="kept">
        <b>{item.title}</b>
        <Stopped {...item.request} />
        <small>
          {time}, {item.who}
        </small>
      </div>
      <ol class="steps">
        <Step done title={t('Saved')} text={t('{time}, on this phone', { time })} />
        <Step
          done={isSent}
          title={t('Sent to the gateway')}
          text={t(
            isSent ? 'it has the report' : line === 'unreachable' ? 'no Wi-Fi right now' : 'waiting for the answer',
          )}
        />
        <Step
          done={isSent}
          title={t('On the list of repairs')}
          text={isSent ? t('ticket {number}', { number: item.answer_id ?? '' }) : t('you will see the ticket here')}
        />
      </ol>
      <p>{t('If the machine is not safe, do not operate it, and tell your supervisor now.')}</p>
      <button type="button" class="send" onClick={onAgain}>
        {t('Report another fault')}
      </button>
    </section>
  );
}

/** The reports of this phone that are not sent, above the form of the next one. */
function Others({ items, line }: { items: readonly Item[]; line: View['line'] }) {
  const waiting = items.filter(({ state }) => state === 'queued').length;
  if (waiting === 0) return null;
  return (
    <p class="kept" role="status">
      {t('{n} report is saved on this phone.|{n} reports are saved on this phone.', { n: waiting })}{' '}
      {line === 'sending' ? t('Sending now.') : t('They send by themselves when the gateway answers.')}
    </p>
  );
}

function Form({ token, page, kept }: { token: string; page: FaultPage; kept: View }) {
  const { report, change, tried, rename, renew } = useReport(token);
  const { items, line } = kept;
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [shown, setShown] = useState<string | Shown | null>(null);
  const missing = missingPart(report);
  const full = fullness(items);
  const send = () => {
    setBusy(true);
    setProblem(null);
    sendReport(token, page, report, tried).then(
      (sent) => {
        setBusy(false);
        setShown(sent ?? report.key);
        renew();
      },
      (error: Error) => {
        setBusy(false);
        setProblem(error.message);
        if (error instanceof NotKept) rename();
      },
    );
  };
  const item = typeof shown === 'string' ? items.find(({ id, state }) => id === shown && state !== 'refused') : shown;
  if (item != null) return <Kept item={item} line={line} onAgain={() => setShown(null)} />;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy && missing === null) send();
      }}
    >
      <Others items={items} line={line} />
      {full !== null && (
        <p class="problem" role="alert">
          {t(FULL[full])}
        </p>
      )}
      <Choices page={page} chosen={report.problem} disabled={busy} onChoose={(id) => change({ problem: id })} />
      <button
        type="button"
        class="stopped"
        aria-pressed={report.stopped}
        disabled={busy}
        onClick={() => change({ stopped: !report.stopped })}
      >
        {t('The machine cannot work')}
      </button>
      <label for="text">{t(report.problem === 'other' ? 'Tell us more' : 'Tell us more (optional)')}</label>
      <textarea
        id="text"
        rows={3}
        maxLength={1_000}
        value={report.text}
        readOnly={busy}
        onInput={(event) => change({ text: event.currentTarget.value })}
      />
      <label for="reporter">{t('Your name')}</label>
      <input
        id="reporter"
        type="text"
        autocomplete="name"
        maxLength={120}
        value={report.reporter}
        readOnly={busy}
        onInput={(event) => change({ reporter: event.currentTarget.value })}
      />
      {problem !== null && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <button type="submit" class="send" disabled={busy || missing !== null || full !== null}>
        {busy ? t('Saving') : (missing ?? t('Send the report'))}
      </button>
    </form>
  );
}

/** Returns what the person still has to do before the report can be sent; null if nothing is missing. */
function missingPart({ problem, text, reporter }: Report): string | null {
  if (problem === '') return t('Choose what is wrong');
  if (problem === 'other' && text.trim() === '') return t('Say what is wrong');
  return reporter.trim() === '' ? t('Type your name') : null;
}

function ReportPage({ token }: { token: string }) {
  const [page, setPage] = useState<FaultPage | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [round, setRound] = useState(0);
  const kept = useReports();
  useEffect(() => {
    const read = async () => {
      const found = await readPage(token);
      await speakPhone([...preferred, found.language]);
      setPage(found);
    };
    read().catch((error: Error) => setProblem(error.message));
  }, [round]);
  if (page !== null)
    return (
      <main>
        <p class="what">{t('Report a fault')}</p>
        <h1>{page.unit_number}</h1>
        {page.name !== page.unit_number && <p class="what">{page.name}</p>}
        <Refused items={kept.items} />
        <Form token={token} page={page} kept={kept} />
      </main>
    );
  return (
    <main>
      <h1>{t('Report a fault')}</h1>
      <Refused items={kept.items} />
      <Others {...kept} />
      {problem === null ? (
        <p>{t('Loading')}</p>
      ) : (
        <>
          <p class="problem" role="alert">
            {problem}
          </p>
          <button
            type="button"
            class="send"
            onClick={() => {
              setProblem(null);
              setRound(round + 1);
            }}
          >
            {t('Try again')}
          </button>
        </>
      )}
    </main>
  );
}

const light = matchMedia('(prefers-color-scheme: light)');
const follow = () => {
  document.documentElement.dataset.theme = light.matches ? 'tv-light' : 'tv-dark';
};
light.addEventListener('change', follow);
follow();

const root = document.getElementById('report');
const token = /^\/report\/([\w-]+)/.exec(location.pathname)?.[1] ?? '';
/** The language of the address, or else those of the browser; the site knows one more. */
const asked = new URLSearchParams(location.search).get('lang');
const preferred = asked === null ? navigator.languages : [asked];
if (root !== null) void speakPhone(preferred).then(() => render(<ReportPage token={token} />, root));
