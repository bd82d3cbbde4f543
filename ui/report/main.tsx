/**
 * Entry of report.html, the page behind the QR code of a machine. Anybody says there that the machine is OK, or reports a fault, without an
 * account. The URL is `/report/{token}`; the token is valid for one machine. Each step is one decision, and the steps are in the history of
 * the browser, so that "back" of the phone goes one step back.
 */
import { render } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { speakPhone } from '#ui/languages/phone.ts';
import { t } from '#ui/languages/texts.ts';
import { newId } from '#ui/outbox/drafts.ts';
import { Form, usePhotos } from './form.tsx';
import { Others, Refused, Sent } from './kept.tsx';
import {
  type FaultPage,
  type Kept,
  readPage,
  type Shown,
  sendCheck,
  useKept,
  useReport,
  useReporter,
} from './report.ts';
import { Cross, Person, Tick } from './signs.tsx';

/** The steps, as they stand behind the `#` of the address. */
type Step = '' | 'name' | 'notok' | 'sent';
const stepNow = (): Step => {
  const step = location.hash.slice(1);
  return step === 'name' || step === 'notok' || step === 'sent' ? step : '';
};

/** Returns the step, and a function that goes to another one. With `replaces`, "back" of the phone does not return to this step. */
function useStep(): readonly [Step, (next: Step, replaces?: boolean) => void] {
  const [step, setStep] = useState(stepNow);
  useEffect(() => {
    const follow = () => {
      setStep(stepNow());
      scrollTo(0, 0);
    };
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return [
    step,
    (next, replaces = false) => {
      if (replaces) location.replace(`#${next}`);
      else location.hash = next;
    },
  ];
}

function Choose(props: {
  page: FaultPage;
  kept: Kept;
  who: string;
  busy: boolean;
  problem: string | null;
  onOk(): void;
  onNotOk(): void;
  onName(): void;
}) {
  const { page, kept, who, busy } = props;
  const { unit_number } = page;
  const wifi = kept.line === 'unreachable' ? t('No Wi-Fi right now') : kept.stores ? t('Works without Wi-Fi') : '';
  return (
    <section class="choose">
      <div class="top">
        <span>{page.site}</span>
        <span>{wifi}</span>
      </div>
      <div>
        <h1 style={{ '--letters': Math.max(5, unit_number.length) }}>
          <span class="this-is">{t('This is')}</span> {unit_number}
        </h1>
        {page.name !== unit_number && <p class="what">{page.name}</p>}
      </div>
      <Refused items={kept.items} />
      <Others {...kept} />
      {props.problem !== null && (
        <p class="problem" role="alert">
          {props.problem}
        </p>
      )}
      <div class="big">
        <button type="button" class="not-ok" disabled={busy} onClick={props.onNotOk}>
          <Cross />
          <span>
            {t('Not OK')}
            <small>{t('Something is wrong')}</small>
          </span>
        </button>
        <button type="button" class="ok" disabled={busy} onClick={props.onOk}>
          <Tick />
          <span>
            {t('OK')}
            <small>{t('I checked it, all fine')}</small>
          </span>
        </button>
      </div>
      <button type="button" class="who" disabled={busy} onClick={props.onName}>
        <Person />
        <span>{who === '' ? t('Your name') : who}</span>
        <u>{who === '' ? t('Type your name') : t('Not you?')}</u>
      </button>
    </section>
  );
}

function NameForm({ who, onName }: { who: string; onName(name: string): void }) {
  const [name, setName] = useState(who);
  const input = useRef<HTMLInputElement>(null);
  const missing = name.trim() === '';
  useEffect(() => input.current?.select(), []);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!missing) onName(name.trim());
      }}
    >
      <h1>
        <label for="reporter">{t('Your name')}</label>
      </h1>
      <input
        id="reporter"
        type="text"
        autocomplete="name"
        maxLength={120}
        value={name}
        ref={input}
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <button type="submit" class="send" disabled={missing}>
        {missing ? t('Type your name') : t('Go on')}
      </button>
    </form>
  );
}

/** Returns what the last step shows: a write of this page, as the outbox has it now. */
function shownNow(sent: Shown | null, { items }: Kept): Shown | null {
  const now = items.find(({ id }) => id === sent?.id);
  return sent === null || now === undefined ? sent : { ...sent, state: now.state, answer_id: now.answer_id };
}

function Steps({ token, page, kept }: { token: string; page: FaultPage; kept: Kept }) {
  const [step, go] = useStep();
  const [who, setWho] = useReporter();
  const draft = useReport(token);
  const camera = usePhotos();
  /** What the person chose before the page asked for the name. */
  const [next, setNext] = useState<'ok' | 'notok' | null>(null);
  const [sent, setSent] = useState<Shown | null>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [key, setKey] = useState(newId);
  const show = (shown: Shown) => {
    setSent(shown);
    go('sent', step !== '');
  };
  const check = (name: string) => {
    setBusy(true);
    setProblem(null);
    sendCheck(token, page, key, name)
      .then(
        (shown) => {
          setKey(newId());
          show(shown);
        },
        (error: Error) => {
          setProblem(error.message);
          go('', step !== '');
        },
      )
      .finally(() => setBusy(false));
  };
  const named = (choice: 'ok' | 'notok') => {
    if (who === '') {
      setNext(choice);
      go('name');
    } else if (choice === 'ok') check(who);
    else go('notok');
  };
  const item = shownNow(sent, kept);
  if (step === 'sent' && item !== null && item.state !== 'refused')
    return <Sent page={page} item={item} kept={kept} onDone={() => go('')} />;
  if (step === 'name')
    return (
      <NameForm
        who={who}
        onName={(name) => {
          setWho(name);
          setNext(null);
          if (next === 'ok') check(name);
          else go(next ?? '', true);
        }}
      />
    );
  if (step === 'notok' && who !== '')
    return <Form {...{ token, page, kept, who, draft, camera }} onBack={() => go('')} onSent={show} />;
  return (
    <Choose
      {...{ page, kept, who, busy, problem }}
      onOk={() => named('ok')}
      onNotOk={() => named('notok')}
      onName={() => {
        setNext(null);
        go('name');
      }}
    />
  );
}

function ReportPage({ token }: { token: string }) {
  const [page, setPage] = useState<FaultPage | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [round, setRound] = useState(0);
  const kept = useKept();
  useEffect(() => {
    const read = async () => {
      const found = await readPage(token);
      await speakPhone([...preferred, found.language]);
      document.title = found.unit_number;
      setPage(found);
    };
    read().catch((error: Error) => setProblem(error.message));
  }, [round]);
  if (page !== null)
    return (
      <main>
        <Steps token={token} page={page} kept={kept} />
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

// A phone beside a machine is in the sun, so the page is always light.
document.documentElement.dataset.theme = 'tv-light';

const root = document.getElementById('report');
const token = /^\/report\/([\w-]+)/.exec(location.pathname)?.[1] ?? '';
/** The language of the address, or else those of the browser; the site knows one more. */
const asked = new URLSearchParams(location.search).get('lang');
const preferred = asked === null ? navigator.languages : [asked];
if (root !== null) void speakPhone(preferred).then(() => render(<ReportPage token={token} />, root));
