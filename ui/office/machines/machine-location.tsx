/** The location of a machine. A person selects another one; shift reports and rules of a location then include the machine. */
import type { Output } from '#contract/operations.ts';
import { t } from '#ui/languages/texts.ts';
import { useList } from '#ui/office/base/lists.ts';
import { Choice, Problem } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { useSend } from '#ui/office/base/use.ts';

/** Shows the location of a machine. It shows nothing if the project has no locations. */
export function MachineLocation(props: {
  session: Session;
  machine: Output<'equipment_list'>['data'][number];
  onDone(): void;
}) {
  const { session, machine, onDone } = props;
  const locations = useList(session, 'locations_list');
  const { busy, problem, send } = useSend();
  if (locations === null || locations.length === 0) return null;
  return (
    <>
      <Choice
        label={t('Location')}
        value={machine.location_id ?? ''}
        disabled={busy}
        options={[['', t('None')], ...locations.map((one) => [one.id, one.name] as const)]}
        onValue={(id) =>
          send(async () => {
            const location_id = id === '' ? null : id;
            await session.client.call(
              'equipment_update',
              { id: machine.id, location_id },
              { if_match: machine.revision },
            );
            onDone();
          })
        }
      />
      <Problem text={problem} />
    </>
  );
}
