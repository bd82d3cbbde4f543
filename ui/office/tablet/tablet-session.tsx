/** Ends the session of a person on a shared tablet: by the button, after a time without a touch, and at the end of the shift. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { ClientError } from '#contract/client.ts';
import { t } from '#ui/languages/texts.ts';
import { type Session, signOut } from '#ui/office/base/session.ts';
import { usePolled } from '#ui/office/base/use.ts';

/** The page warns this many seconds before the session ends. */
const WARNED_S = 60;

const TOUCHES = ['pointerdown', 'keydown', 'wheel'] as const;

interface Ending {
  readonly why: 'idle' | 'shift';
  readonly left_s: number;
}

function endingOf({ me, now }: Session, touched_ms: number): Ending | null {
  const idle_s = me.tablet?.idle_s ?? 0;
  // Date.now and not performance.now, which stops while a tablet sleeps.
  const idle: Ending = { why: 'idle', left_s: Math.ceil(idle_s - (Date.now() - touched_ms) / 1_000) };
  const shift: Ending = { why: 'shift', left_s: Math.ceil((Date.parse(me.ends_at ?? '') - now()) / 1_000) };
  const first = shift.left_s < idle.left_s ? shift : idle;
  return first.left_s <= WARNED_S ? first : null;
}

/** The button in the header, and the warning before the session ends by itself. */
export function TabletSession({ session, onOut }: { session: Session; onOut(): void }) {
  const touched = useRef(Date.now());
  const [ending, setEnding] = useState<Ending | null>(null);
  const leave = () => {
    location.hash = '';
    void signOut(session).then(onOut, onOut);
  };
  const over = ending !== null && ending.left_s <= 0;
  useEffect(() => {
    if (over) leave();
  }, [over]);
  useEffect(() => {
    const touch = () => {
      touched.current = Date.now();
    };
    for (const name of TOUCHES) addEventListener(name, touch, { passive: true });
    const timer = setInterval(() => setEnding(endingOf(session, touched.current)), 1_000);
    return () => {
      clearInterval(timer);
      for (const name of TOUCHES) removeEventListener(name, touch);
    };
  }, [session]);
  usePolled(
    async () => {
      try {
        await session.client.call('session_get', {});
      } catch (error) {
        if (error instanceof ClientError && error.status === 401) leave();
        throw error;
      }
    },
    10_000,
    [session],
  );
  return (
    <>
      <span class="who">{session.me.name}</span>
      <button type="button" class="big switch" onClick={leave}>
        {t('Switch person')}
      </button>
      {ending !== null && (
        <p class="ending" role="alert">
          {ending.why === 'idle'
            ? t('Nobody touched the tablet. {name} is signed out in {seconds} s. Touch the screen to stay signed in.', {
                name: session.me.name,
                seconds: Math.max(0, ending.left_s),
              })
            : t('The shift ends. {name} is signed out in {seconds} s. Save your work.', {
                name: session.me.name,
                seconds: Math.max(0, ending.left_s),
              })}
        </p>
      )}
    </>
  );
}
