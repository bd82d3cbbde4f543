/** At head office, in the place of controls that would reach a machine: why they are not there. */
import { t } from '#ui/languages/texts.ts';
import type { Session } from './session.ts';

/** Shows nothing at a site. `what` names the controls, such as "The key and the firmware of this device". */
export function OnlyAtSite({ session, what }: { session: Pick<Session, 'role'>; what: string }) {
  if (session.role !== 'cloud') return null;
  return (
    <p class="aside" role="note">
      {t(
        '{what} are only on the pages of the site. Head office shows what the site sends and has no way to a machine, so that nobody can move or change one from far away.',
        { what },
      )}
    </p>
  );
}
