/** The second step: what is wrong, whether the machine can keep working, photos and words. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { inside, t, translated } from '#ui/languages/texts.ts';
import { newId } from '#ui/outbox/drafts.ts';
import { FULL, fullness, NotKept } from '#ui/outbox/item.ts';
import { smallJpeg } from '#ui/outbox/small-photo.ts';
import {
  type FaultPage,
  type Kept,
  MOST_PHOTOS,
  type Photo,
  type Report,
  type Shown,
  sendReport,
  type useReport,
} from './report.ts';
import { Camera, Cross, Tick } from './signs.tsx';

/** The photos of the report that a person fills in. They exist in this page only, until the report is sent. */
export function usePhotos() {
  const [photos, setPhotos] = useState<readonly Photo[]>([]);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const drop = (gone: readonly Photo[]) => {
    for (const { url } of gone) URL.revokeObjectURL(url);
    setPhotos((all) => all.filter((one) => !gone.includes(one)));
  };
  const add = async (file: File) => {
    setBusy(true);
    setProblem(null);
    try {
      const small = await smallJpeg(file);
      const photo = { id: newId(), bytes: await small.arrayBuffer(), url: URL.createObjectURL(small) };
      setPhotos((all) => [...all, photo].slice(0, MOST_PHOTOS));
    } catch (error) {
      setProblem(translated((error as Error).message));
    } finally {
      setBusy(false);
    }
  };
  return { photos, busy, problem, add, drop };
}

function Choices(props: { page: FaultPage; chosen: string; disabled: boolean; onChoose(problem: string): void }) {
  return (
    <fieldset disabled={props.disabled}>
      <legend>
        <h1>{t('What is wrong?')}</h1>
      </legend>
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

function CanWork(props: { stopped: boolean | null; disabled: boolean; onChoose(stopped: boolean): void }) {
  return (
    <fieldset disabled={props.disabled}>
      <legend>{t('Can it keep working?')}</legend>
      <div class="picks">
        <button type="button" class="no" aria-pressed={props.stopped === true} onClick={() => props.onChoose(true)}>
          <Cross />
          <span>
            {t('No, stop it')}
            <small>{t('Every screen shows it at once')}</small>
          </span>
        </button>
        <button type="button" aria-pressed={props.stopped === false} onClick={() => props.onChoose(false)}>
          <Tick />
          <span>{t('Yes, look at it soon')}</span>
        </button>
      </div>
    </fieldset>
  );
}

function Photos({ camera, disabled }: { camera: ReturnType<typeof usePhotos>; disabled: boolean }) {
  const input = useRef<HTMLInputElement>(null);
  const { photos, busy, add } = camera;
  const text = photos.length === 0 ? t('Photo') : t('Photo, {n}', { n: photos.length });
  return (
    <>
      <button
        type="button"
        disabled={disabled || busy || photos.length >= MOST_PHOTOS}
        onClick={() => input.current?.click()}
      >
        <Camera />
        {busy ? t('Making the photo smaller') : text}
      </button>
      <input
        ref={input}
        type="file"
        accept="image/*"
        capture="environment"
        hidden
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? [];
          event.currentTarget.value = '';
          if (file !== undefined) void add(file);
        }}
      />
    </>
  );
}

function Thumbnails({ camera, disabled }: { camera: ReturnType<typeof usePhotos>; disabled: boolean }) {
  const { photos, drop } = camera;
  if (photos.length === 0) return null;
  return (
    <ul class="photos">
      {photos.map((photo, i) => (
        <li key={photo.id}>
          <img src={photo.url} alt={t('Photo, {n}', { n: i + 1 })} />
          <button
            type="button"
            disabled={disabled}
            aria-label={t('Remove photo {n}', { n: i + 1 })}
            onClick={() => drop([photo])}
          >
            ✕
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Returns what the person still has to do before the report can be sent; null if nothing is missing. */
function missingPart({ problem, text, stopped }: Report): string | null {
  if (problem === '') return t('Choose what is wrong');
  if (stopped === null) return t('Say if it can keep working');
  return problem === 'other' && text.trim() === '' ? t('Say what is wrong') : null;
}

function sendText({ unit_number: machine, problems }: FaultPage, { problem, stopped }: Report): string {
  const params = { machine, problem: inside(translated(problems.find(({ id }) => id === problem)?.label ?? problem)) };
  return stopped === true ? t('Send: {machine} {problem}, stop', params) : t('Send: {machine} {problem}', params);
}

export function Form(props: {
  token: string;
  page: FaultPage;
  kept: Kept;
  who: string;
  draft: ReturnType<typeof useReport>;
  camera: ReturnType<typeof usePhotos>;
  onBack(): void;
  onSent(shown: Shown): void;
}) {
  const { token, page, who, camera } = props;
  const { report, change, tried, rename, renew } = props.draft;
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [writes, setWrites] = useState(report.text !== '');
  const words = useRef<HTMLTextAreaElement>(null);
  const missing = missingPart(report);
  const full = fullness(props.kept.items);
  const shows = writes || report.problem === 'other';
  useEffect(() => {
    if (writes && report.text === '') words.current?.focus();
  }, [writes]);
  const send = () => {
    setBusy(true);
    setProblem(null);
    sendReport(token, page, who, report, camera.photos, tried).then(
      (shown) => {
        camera.drop(camera.photos);
        renew();
        props.onSent(shown);
      },
      (error: Error) => {
        setBusy(false);
        setProblem(error.message);
        if (error instanceof NotKept) rename();
      },
    );
  };
  const problems = [full === null ? null : t(FULL[full]), camera.problem, problem].filter((one) => one !== null);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy && !camera.busy && missing === null) send();
      }}
    >
      <div class="top">
        <button type="button" class="back" disabled={busy} onClick={props.onBack}>
          {t('Back')}
        </button>
        <span>
          {page.unit_number}, {who}
        </span>
      </div>
      <Choices page={page} chosen={report.problem} disabled={busy} onChoose={(id) => change({ problem: id })} />
      <CanWork stopped={report.stopped} disabled={busy} onChoose={(stopped) => change({ stopped })} />
      <div class="more">
        <Photos camera={camera} disabled={busy} />
        {!shows && (
          <button type="button" class="dashed" disabled={busy} onClick={() => setWrites(true)}>
            {t('Add words')}
          </button>
        )}
      </div>
      <Thumbnails camera={camera} disabled={busy} />
      {shows && (
        <>
          <label for="text">{t('Your words')}</label>
          <textarea
            id="text"
            ref={words}
            rows={3}
            maxLength={1_000}
            value={report.text}
            readOnly={busy}
            onInput={(event) => change({ text: event.currentTarget.value })}
          />
        </>
      )}
      {problems.map((text) => (
        <p key={text} class="problem" role="alert">
          {text}
        </p>
      ))}
      <button type="submit" class="send" disabled={busy || camera.busy || missing !== null || full === 'items'}>
        {busy ? t('Saving') : (missing ?? sendText(page, report))}
      </button>
    </form>
  );
}
