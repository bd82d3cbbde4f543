/**
 * The page of a screen that shows no boards yet. It shows a code and a QR code; a person enters the code on the office page and selects the
 * boards for this screen.
 */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { encode } from 'uqr';
import type { DisplayPairing } from '#contract/site/display.ts';
import { t, translated } from '#ui/languages/texts.ts';
import { geometry, scaleFrom } from './geometry.ts';

const RETRY_MS = 5_000;

async function post(path: string, body: object): Promise<DisplayPairing> {
  const answer = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${answer.status}`);
  return (await answer.json()) as DisplayPairing;
}

/**
 * Returns the path of a URL without its host name. So the screen stays at the address where it was opened, even if the office page used
 * another host name.
 */
function pathOf(url: string): string {
  return new URL(url, location.href).pathname;
}

function Qr({ text }: { text: string }) {
  const { data, size } = encode(text, { border: 4, ecc: 'M' });
  let path = '';
  data.forEach((row, y) => {
    row.forEach((dark, x) => {
      if (dark) path += `M${x} ${y}h1v1h-1z`;
    });
  });
  return (
    <svg
      class="qr"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={t('QR code of {text}', { text })}
      shape-rendering="crispEdges"
    >
      <rect width={size} height={size} fill="#f2f5f8" />
      <path d={path} fill="#0b0e12" />
    </svg>
  );
}

export function Pairing() {
  const [pairing, setPairing] = useState<DisplayPairing | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const root = useRef<HTMLElement>(null);

  useEffect(() => {
    let stopped = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const later = (act: () => Promise<void>, ms: number) => {
      if (!stopped) timer = setTimeout(() => void act(), ms);
    };
    const begin = async () => {
      try {
        const made = await post('/api/v1/display-pairings', {});
        if (stopped) return;
        setPairing(made);
        setTrouble(null);
        const code = made.device_code;
        if (code === undefined) throw new Error('no device code');
        later(() => poll(code, made.interval * 1000), made.interval * 1000);
      } catch {
        setTrouble(t('The gateway does not answer. Trying again.'));
        later(begin, RETRY_MS);
      }
    };
    const poll = async (code: string, every: number) => {
      try {
        const now = await post('/api/v1/display-pairings/poll', { device_code: code });
        setTrouble(null);
        if (now.status === 'approved' && now.share_url !== null) return location.assign(pathOf(now.share_url));
        // A code expires after ten minutes; request a new one.
        if (now.status === 'expired_token') return await begin();
        later(() => poll(code, every), every);
      } catch (error) {
        if (error instanceof Error && error.message === '404') return await begin();
        setTrouble(t('The gateway does not answer. Trying again.'));
        later(() => poll(code, every), Math.max(every, RETRY_MS));
      }
    };
    void begin();
    return () => {
      stopped = true;
      clearTimeout(timer);
    };
  }, []);

  useLayoutEffect(() => {
    const fit = () => {
      const { u } = geometry(innerWidth, innerHeight, scaleFrom(location.search));
      root.current?.style.setProperty('--u', `${u}px`);
    };
    fit();
    addEventListener('resize', fit);
    return () => removeEventListener('resize', fit);
  }, []);

  const [before = '', after = ''] = (pairing === null ? t('Open the gateway') : translated('Open {host}')).split(
    '{host}',
  );
  return (
    <main class="pairing" ref={root}>
      <div class="words">
        <p class="brand">Headframe</p>
        <h1>{t('Pair this screen')}</h1>
        <ol>
          <li>
            {before}
            {pairing !== null && <b>{new URL(pairing.verification_url, location.href).host}</b>}
            {after}
          </li>
          <li>{t('On the Screens page, enter this code')}</li>
        </ol>
        <p class="code">{pairing?.user_code ?? '···-···'}</p>
        <p class="wait" role="status">
          {trouble ?? t('Waiting. A new code appears when this one expires.')}
        </p>
      </div>
      {pairing !== null && (
        <figure>
          <Qr text={pairing.verification_url} />
          <figcaption>{t('or scan with a phone')}</figcaption>
        </figure>
      )}
    </main>
  );
}
