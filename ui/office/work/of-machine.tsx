/** A list of one machine, or of all: a machine that the gateway does not have gets a note in place of the list ([U363]). */
import type { ComponentChildren } from 'preact';
import { ClientError } from '#contract/client.ts';
import { t } from '#ui/languages/texts.ts';
import { Problem } from '#ui/office/base/parts.tsx';
import { errorText, type Session } from '#ui/office/base/session.ts';
import { usePolled } from '#ui/office/base/use.ts';

/** `id` is the machine of the address, or empty. `href` leads to the list of all machines. */
export function OfMachine(props: { session: Session; id: string; href: string; children: ComponentChildren }) {
  const { session, id, href } = props;
  const { data: missing } = usePolled(
    async (signal) => {
      if (id === '') return null;
      try {
        await session.client.call('equipment_get', { id }, { signal });
        return null;
      } catch (error) {
        if (error instanceof ClientError && error.status === 404) return errorText(error);
        throw error;
      }
    },
    60_000,
    [session, id],
    ['equipment'],
  );
  if (missing === null) return <>{props.children}</>;
  return (
    <>
      <Problem text={missing} />
      <p>
        <a href={href}>{t('All machines')}</a>
      </p>
    </>
  );
}
