/** Devices: what reports, how far each has come, and how a new one gets its credential. */
import { useState } from 'preact/hooks';
import type { Output } from '#contract/operations.ts';
import { duration } from '#ui/format.ts';
import { Choice, Copy, DeviceBadge, Empty, Field, Form, Problem, Steps } from './parts.tsx';
import { onceKey, type Session } from './session.ts';
import { useNow, usePolled, useSend } from './use.ts';

type Device = Output<'devices_get'>;
type Provision = Output<'devices_provision'>;
type Machine = { readonly id: string; readonly unit_number: string };

function machineOptions(machines: readonly Machine[], none: string) {
  return [['', none] as const, ...machines.map((one) => [one.id, one.unit_number] as const)];
}

/** Commands with everything filled in; single quotes, because a key holds nothing a shell would change in them. */
function snippets(made: Provision) {
  const { mqtt, credential } = made;
  const key = credential.key ?? 'THE-KEY';
  const to = `-h ${mqtt.host} -p ${mqtt.port} -i ${mqtt.client_id} -u ${mqtt.username} -P '${key}' -q 1`;
  const topic = mqtt.topic_prefix.replace(/\/?$/, '/');
  return {
    once: `mosquitto_pub ${to} -t ${topic}can -m '(${(Date.now() / 1000).toFixed(6)}) can0 0CF00400#F07D84B01300F084'`,
    stream: `candump -L can0 | mosquitto_pub -l ${to} -t ${topic}can`,
  };
}

function Made({ made, session, onDone }: { made: Provision; session: Session; onDone(): void }) {
  const { client } = session;
  const id = made.device.id;
  const { data } = usePolled(() => client.call('devices_get', { id }), 2_000, [id]);
  const seen = data?.last_seen_at ?? null;
  const lines = snippets(made);
  return (
    <section class="panel-box">
      <h2>Device {made.device.device_id}</h2>
      <p>The key is shown this once. Put it into the device, or keep it where you keep passwords.</p>
      {made.credential.key === null ? (
        <Problem text="The key was shown before. Provision the device again for a new one." />
      ) : (
        <Copy label="Device key" text={made.credential.key} />
      )}
      <div class="pair">
        <Copy label="Broker" text={`${made.mqtt.host}:${made.mqtt.port}`} />
        <Copy label="User name and client id" text={made.mqtt.username} />
      </div>
      <Copy label="One frame, to try" text={lines.once} lines={3} />
      <Copy label="All frames of can0" text={lines.stream} lines={2} />
      <p class={seen === null ? 'waiting' : 'arrived'} role="status">
        {seen === null
          ? 'Waiting for the first message'
          : `The first message is here. ${data?.metrics.messages_total ?? 0} so far.`}
      </p>
      <button type="button" class="primary" onClick={onDone}>
        I saved it
      </button>
    </section>
  );
}

function ProvisionForm(props: { session: Session; machines: readonly Machine[]; onMade(made: Provision): void }) {
  const [serial, setSerial] = useState('');
  const [name, setName] = useState('');
  const [machine, setMachine] = useState('');
  const { busy, problem, send } = useSend();
  return (
    <Form
      action="Provision"
      busy={busy}
      onSend={() =>
        send(async () => {
          const input = {
            serial: serial.trim(),
            kind: 'can_logger' as const,
            ...(name.trim() && { name: name.trim() }),
            ...(machine !== '' && { equipment_id: machine }),
          };
          props.onMade(await props.session.client.call('devices_provision', input, { idempotency_key: onceKey() }));
        })
      }
    >
      <Field
        label="Serial number"
        value={serial}
        onValue={setSerial}
        required
        autoFocus
        hint="As printed on the hardware"
      />
      <Field label="Name" value={name} onValue={setName} />
      <Choice
        label="Machine"
        value={machine}
        onValue={setMachine}
        options={machineOptions(props.machines, 'Link later')}
      />
      <Problem text={problem} />
    </Form>
  );
}

function Link(props: { device: Device; machines: readonly Machine[]; session: Session; onDone(): void }) {
  const { device } = props;
  const { busy, problem, send } = useSend();
  return (
    <>
      <Choice
        label={`Machine of ${device.device_id}`}
        value={device.equipment_id ?? ''}
        disabled={busy}
        options={machineOptions(props.machines, 'Not linked')}
        onValue={(equipment_id) => {
          if (equipment_id === '' || equipment_id === device.equipment_id) return;
          send(async () => {
            const links = [{ serial: device.device_id, equipment_id, source: 'ui' as const }];
            const { data } = await props.session.client.call('telemetry_devices_link', { links });
            const failed = data.find((one) => one.error !== null);
            if (failed?.error) throw new Error(failed.error.message);
            props.onDone();
          });
        }}
      />
      <Problem text={problem} />
    </>
  );
}

export function Devices({ session }: { session: Session }) {
  const { client } = session;
  const list = usePolled(() => client.call('devices_list', { limit: 200, order: 'asc' }), 2_000, [session]);
  const equipment = usePolled(() => client.call('equipment_list', { limit: 200, order: 'asc' }), 30_000, [session]);
  const [adding, setAdding] = useState(false);
  const [made, setMade] = useState<Provision | null>(null);
  const now = useNow(session.now);
  const devices = list.data?.data ?? [];
  const machines = equipment.data?.data ?? [];
  return (
    <>
      <div class="head">
        <h1>Devices</h1>
        {made === null && (
          <button type="button" onClick={() => setAdding(!adding)} aria-expanded={adding}>
            {adding ? 'Close' : 'Provision a device'}
          </button>
        )}
      </div>
      <Problem text={list.problem} />
      {made !== null && (
        <Made
          made={made}
          session={session}
          onDone={() => {
            setMade(null);
            list.reload();
          }}
        />
      )}
      {adding && made === null && (
        <div class="panel-box">
          <ProvisionForm
            session={session}
            machines={machines}
            onMade={(result) => {
              setMade(result);
              setAdding(false);
              list.reload();
            }}
          />
        </div>
      )}
      {list.data !== null && devices.length === 0 && !adding && made === null && (
        <Empty title="No devices yet">Provision the logger of a machine; its credential is shown once.</Empty>
      )}
      {devices.length > 0 && (
        <div class="table stacks">
          <table>
            <thead>
              <tr>
                <th scope="col">Device</th>
                <th scope="col">Status</th>
                <th scope="col">How far</th>
                <th scope="col">Last seen</th>
                <th scope="col" class="figure">
                  Messages
                </th>
                <th scope="col" class="figure">
                  Unusable
                </th>
                <th scope="col">Machine</th>
              </tr>
            </thead>
            <tbody>
              {devices.map((one) => (
                <tr key={one.id}>
                  <th scope="row">
                    <a href={`#devices/${one.id}`}>{one.device_id}</a>
                    {one.name !== one.device_id && <small>{one.name}</small>}
                  </th>
                  <td data-label="Status">
                    <DeviceBadge status={one.status} color={one.status_color} />
                  </td>
                  <td data-label="How far">
                    <Steps
                      linked={one.equipment_id !== null}
                      seen={one.last_seen_at !== null}
                      transmitting={one.status === 'transmitting'}
                    />
                  </td>
                  <td data-label="Last seen">
                    {one.last_seen_at === null ? 'never' : `${duration(now - Date.parse(one.last_seen_at))} ago`}
                  </td>
                  <td class="figure" data-label="Messages">
                    {one.metrics.messages_total}
                  </td>
                  <td class="figure" data-label="Unusable">
                    {one.metrics.decode_errors_total}
                  </td>
                  <td class="control" data-label="Machine">
                    <Link device={one} machines={machines} session={session} onDone={list.reload} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}
