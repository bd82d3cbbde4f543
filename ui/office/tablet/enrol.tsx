/** The pages before a tablet is in use: the link of an admin was opened, or the tablet is no longer enrolled. */

import { t } from '#ui/languages/texts.ts';
import { Problem } from '#ui/office/base/parts.tsx';
import { dropKey, markTablet, pageClient, unmarkTablet } from '#ui/office/base/session.ts';
import { useSend } from '#ui/office/base/use.ts';

/** The page that the QR code of an enrolment opens. */
export function EnrolPage({ token, onIn }: { token: string; onIn(): void }) {
  const { busy, problem, send } = useSend();
  return (
    <main class="card">
      <h1>{t('Use this device as a shared tablet')}</h1>
      <p>
        {t(
          'After this step the device shows the names of the people who may use it. Each person signs in with a PIN. Nobody stays signed in.',
        )}
      </p>
      <p>{t('Do this on the tablet only, not on your own phone or computer.')}</p>
      <Problem text={problem} />
      <button
        type="button"
        class="primary big"
        disabled={busy}
        onClick={() =>
          send(async () => {
            await pageClient.call('tablet_enrol', { token });
            dropKey();
            markTablet();
            history.replaceState(null, '', '/');
            onIn();
          })
        }
      >
        {busy ? t('Sending') : t('Enrol this tablet')}
      </button>
      <p class="aside">
        <a href="/">{t('Cancel')}</a>
      </p>
    </main>
  );
}

/** Says why the tablet no longer works. */
export function TabletGonePage({ why, onIn }: { why: string; onIn(): void }) {
  return (
    <main class="card">
      <h1>{t('This tablet is not enrolled')}</h1>
      <Problem text={why} />
      <p>
        {t(
          'An admin opens the page Tablets of the office, makes a new QR code, and you scan it with the camera of this tablet.',
        )}
      </p>
      <div class="buttons">
        <button type="button" class="primary big" onClick={onIn}>
          {t('Try again')}
        </button>
        <button
          type="button"
          class="big"
          onClick={() => {
            unmarkTablet();
            onIn();
          }}
        >
          {t('Use it as a normal browser')}
        </button>
      </div>
    </main>
  );
}
