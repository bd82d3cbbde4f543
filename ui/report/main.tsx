/**
 * Entry of report.html, the page behind the QR code of a machine. Anybody reports a fault there without an account. The URL is
 * `/report/{token}`; the token is valid for one machine.
 */
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { speakPhone } from '#ui/languages/phone.ts';
import { t, translated } from '#ui/languages/texts.ts';
import { type FaultPage, type Report, readPage, type Sent, sendReport, useReport } from './report.ts';

function Choices(props: { page: FaultPage; chosen: string; onChoose(problem: string): void }) {
  return (
    <fieldset>
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

function Thanks({ sent, onAgain }: { sent: Sent; onAgain(): void }) {
  const [before = '', after = ''] = translated(
    sent.joined
      ? 'This fault was reported before. Your report was added to ticket {number}.'
      : 'It is ticket {number}.',
  ).split('{number}');
  return (
    <section role="status">
      <h2>{t('Thank you. The workshop has your report.')}</h2>
      <p>
        {before}
        <b>{sent.ticket_number}</b>
        {after}
      </p>
      <p>{t('If the machine is not safe, do not operate it, and tell your supervisor now.')}</p>
      <button type="button" class="send" onClick={onAgain}>
        {t('Report another fault')}
      </button>
    </section>
  );
}

function Form({ token, page }: { token: string; page: FaultPage }) {
  const { report, change, renew } = useReport(token);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [sent, setSent] = useState<Sent | null>(null);
  const missing = missingPart(report);
  const send = () => {
    setBusy(true);
    setProblem(null);
    sendReport(token, report).then(
      (answer) => {
        setBusy(false);
        setSent(answer);
        renew();
      },
      (error: Error) => {
        setBusy(false);
        setProblem(error.message);
      },
    );
  };
  if (sent !== null) return <Thanks sent={sent} onAgain={() => setSent(null)} />;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy && missing === null) send();
      }}
    >
      <Choices page={page} chosen={report.problem} onChoose={(id) => change({ problem: id })} />
      <label for="text">{t(report.problem === 'other' ? 'Tell us more' : 'Tell us more (optional)')}</label>
      <textarea
        id="text"
        rows={3}
        maxLength={1_000}
        value={report.text}
        onInput={(event) => change({ text: event.currentTarget.value })}
      />
      <label for="reporter">{t('Your name')}</label>
      <input
        id="reporter"
        type="text"
        autocomplete="name"
        maxLength={120}
        value={report.reporter}
        onInput={(event) => change({ reporter: event.currentTarget.value })}
      />
      {problem !== null && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <button type="submit" class="send" disabled={busy || missing !== null}>
        {busy ? t('Sending') : (missing ?? t('Send the report'))}
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
        <Form token={token} page={page} />
      </main>
    );
  return (
    <main>
      <h1>{t('Report a fault')}</h1>
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
