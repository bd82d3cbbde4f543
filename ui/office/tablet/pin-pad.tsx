/** The pad on which a person types a PIN. The page never shows the digits. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { t } from '#ui/languages/texts.ts';
import { Problem } from '#ui/office/base/parts.tsx';

const LENGTH = 6;
const DIGITS = ['1', '2', '3', '4', '5', '6', '7', '8', '9'] as const;

/** Calls `onPin` with each complete PIN, and then begins again. `problem` is the answer to the PIN before. */
export function PinPad(props: {
  title: string;
  text: string;
  problem: string | null;
  busy: boolean;
  onPin(pin: string): void;
  onBack(): void;
}) {
  const { title, text, problem, busy, onPin, onBack } = props;
  const [typed, setTyped] = useState('');
  // Two keys can be pressed before the page renders again.
  const latest = useRef('');
  const set = (digits: string) => {
    latest.current = digits;
    setTyped(digits);
  };

  const press = (digit: string) => {
    if (busy) return;
    const next = latest.current + digit;
    set(next.length === LENGTH ? '' : next);
    if (next.length === LENGTH) onPin(next);
  };
  const remove = () => set(latest.current.slice(0, -1));
  // A layout effect, so that no key reaches the handler of the render before.
  useLayoutEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (/^[0-9]$/.test(event.key)) press(event.key);
      else if (event.key === 'Backspace') remove();
      else if (event.key === 'Escape') onBack();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  });
  const shown = busy ? LENGTH : typed.length;
  return (
    <section class="pin" aria-labelledby="pin-title">
      <div class="pin-words">
        <h1 id="pin-title">{title}</h1>
        <p>{text}</p>
        <p class="pin-dots" role="status" aria-label={t('{n} of {all} digits', { n: typed.length, all: LENGTH })}>
          {Array.from({ length: LENGTH }, (_, i) => (
            <span key={i} class={i < shown ? 'filled' : ''} />
          ))}
        </p>
        <div class="pin-problem">
          {busy ? <p>{t('Checking')}</p> : <Problem text={typed === '' ? problem : null} />}
        </div>
        <button type="button" class="big" onClick={onBack}>
          {t('Back to the names')}
        </button>
      </div>
      <div class="pin-keys">
        {DIGITS.map((digit) => (
          <button type="button" key={digit} disabled={busy} onClick={() => press(digit)}>
            {digit}
          </button>
        ))}
        <span />
        <button type="button" disabled={busy} onClick={() => press('0')}>
          0
        </button>
        <button type="button" disabled={busy} aria-label={t('Delete a digit')} onClick={remove}>
          <svg viewBox="0 0 24 24" aria-hidden="true">
            <path d="M9 5h12v14H9l-6-7zM12 9l6 6M18 9l-6 6" />
          </svg>
        </button>
      </div>
    </section>
  );
}
