/** The screen of a shared tablet on which nobody is signed in: "Who are you?", and then the PIN. */
import { useEffect, useState } from 'preact/hooks';
import { ClientError } from '#contract/client.ts';
import { t } from '#ui/languages/texts.ts';
import { Field, Problem } from '#ui/office/base/parts.tsx';
import { errorText, pageClient, type TabletScreen } from '#ui/office/base/session.ts';
import { setTabStateAside } from '#ui/office/base/tab-state.ts';
import { usePolled } from '#ui/office/base/use.ts';
import { LanguageChoice } from '#ui/office/language/language-choice.tsx';
import { OutboxLine } from '#ui/office/outbox/later.ts';
import { PinPad } from './pin-pad.tsx';

type Person = TabletScreen['people'][number];

/** From this number of people on, the screen has a field to search a name. */
const SEARCHED_FROM = 13;
/** After this time without a touch, the pad goes back to the names, in milliseconds. */
const FORGOTTEN_MS = 45_000;

/** The steps of a person: the PIN, and after a one-time PIN the own new PIN, twice. */
type Step =
  | { readonly at: 'pin' }
  | { readonly at: 'new'; readonly once: string }
  | { readonly at: 'again'; readonly once: string; readonly chosen: string };

const WORDS = {
  pin: (name: string) => ({ title: name, text: t('Enter your PIN.') }),
  new: (name: string) => ({ title: name, text: t('This PIN was valid once. Choose your own PIN of 6 digits.') }),
  again: (name: string) => ({ title: name, text: t('Enter your new PIN again.') }),
} as const;

function EnterPin({ person, onIn, onBack }: { person: Person; onIn(): void; onBack(): void }) {
  const [step, setStep] = useState<Step>({ at: 'pin' });
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    let timer = setTimeout(onBack, FORGOTTEN_MS);
    const touched = () => {
      clearTimeout(timer);
      timer = setTimeout(onBack, FORGOTTEN_MS);
    };
    addEventListener('pointerdown', touched);
    addEventListener('keydown', touched);
    return () => {
      clearTimeout(timer);
      removeEventListener('pointerdown', touched);
      removeEventListener('keydown', touched);
    };
  }, []);

  async function send(pin: string, new_pin?: string): Promise<void> {
    setBusy(true);
    setProblem(null);
    try {
      await pageClient.call('tablet_sign_in', {
        user_id: person.id,
        pin,
        ...(new_pin === undefined ? {} : { new_pin }),
      });
      onIn();
    } catch (error) {
      setBusy(false);
      if (error instanceof ClientError && error.code === 'pin_change_required')
        return setStep({ at: 'new', once: pin });
      setProblem(errorText(error));
      setStep(
        new_pin !== undefined && error instanceof ClientError && error.error?.param === 'new_pin'
          ? { at: 'new', once: pin }
          : { at: 'pin' },
      );
      if (error instanceof ClientError && error.status === 401) onIn();
    }
  }

  function entered(pin: string): void {
    setProblem(null);
    if (step.at === 'pin') void send(pin);
    else if (step.at === 'new') setStep({ at: 'again', once: step.once, chosen: pin });
    else if (step.chosen === pin) void send(step.once, pin);
    else {
      setProblem(t('The two new PINs differ. Choose your own PIN again.'));
      setStep({ at: 'new', once: step.once });
    }
  }

  return <PinPad {...WORDS[step.at](person.name)} problem={problem} busy={busy} onPin={entered} onBack={onBack} />;
}

/** Shows the names of the people, and then the pad. `onIn` is called after a sign-in, and if the tablet is no longer enrolled. */
export function TabletScreenPage({ screen, onIn }: { screen: TabletScreen; onIn(): void }) {
  const [person, setPerson] = useState<Person | null>(null);
  const [search, setSearch] = useState('');
  const polled = usePolled(
    async () => {
      try {
        return await pageClient.call('tablet_get', {});
      } catch (error) {
        if (error instanceof ClientError && error.status === 401) onIn();
        throw error;
      }
    },
    10_000,
    [],
  );
  useEffect(setTabStateAside, []);
  const { name, people, has_more } = polled.data ?? screen;
  const back = () => {
    setPerson(null);
    setSearch('');
  };
  const wanted = search.trim().toLowerCase();
  const found = people.filter((one) => one.name.toLowerCase().includes(wanted));
  return (
    <main class="tablet">
      <p class="tablet-name">
        Headframe <b>{name}</b>
      </p>
      {person !== null ? (
        <EnterPin key={person.id} person={person} onIn={onIn} onBack={back} />
      ) : (
        <>
          <h1>{t('Who are you?')}</h1>
          <OutboxLine />
          <Problem text={polled.problem} />
          {people.length >= SEARCHED_FROM && (
            <Field label={t('Find your name')} value={search} onValue={setSearch} maxLength={60} />
          )}
          {people.length === 0 ? (
            <p class="tablet-hint">
              {t('Nobody may use this tablet yet. An admin chooses the people on the page Tablets of the office.')}
            </p>
          ) : (
            <ul class="names">
              {found.map((one) => (
                <li key={one.id}>
                  <button type="button" onClick={() => setPerson(one)}>
                    {one.name}
                  </button>
                </li>
              ))}
            </ul>
          )}
          {found.length === 0 && people.length > 0 && <p class="tablet-hint">{t('No name contains this text.')}</p>}
          <LanguageChoice session={null} />
          <p class="tablet-hint">
            {has_more && `${t('More people may use this tablet than the list can show.')} `}
            {t(
              'Your name is missing? Ask an admin. Owners and admins do not sign in here: a PIN is too short for their rights.',
            )}
          </p>
        </>
      )}
    </main>
  );
}
