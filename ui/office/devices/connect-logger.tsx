/** Provisions a device: form, key (shown once), example commands, and the diagnosis until its first value. */
import { useState } from 'preact/hooks';
import type { Output } from '#contract/operations.ts';
import { t, type Word } from '#ui/languages/texts.ts';
import { Choice, Copy, Field, Form, isLoopback, LoopbackHint, Problem } from '#ui/office/base/parts.tsx';
import { newIdempotencyKey, type Session } from '#ui/office/base/session.ts';
import { useSend } from '#ui/office/base/use.ts';
import { DeviceChain } from './device-chain.tsx';

/** A provisioned device with its one-time credential. */
export type Provision = Output<'devices_provision'>;
type Machine = { readonly id: string; readonly unit_number: string };

const KINDS = [
  ['can_logger', 'CAN logger'],
  ['camera', 'Camera'],
  ['gateway', 'Gateway with several buses'],
  ['generic', 'Other device that sends values'],
] as const satisfies readonly (readonly [string, Word])[];
type Kind = (typeof KINDS)[number][0];

/** Returns the options of a select field for machines. The first option means "no machine". */
export function machineOptions(machines: readonly Machine[], none: string) {
  return [['', none] as const, ...machines.map((one) => [one.id, one.unit_number] as const)];
}

/** The beginning of the topics of a device, with a slash at its end. */
const topicOf = ({ mqtt }: Pick<Provision, 'mqtt'>): string => mqtt.topic_prefix.replace(/\/?$/, '/');

/**
 * Returns example commands with all values filled in. A key never contains a single quote, so a key in single quotes is safe in a shell
 * command.
 */
function snippets({
  mqtt,
  http,
  credential,
  device,
}: Provision): (readonly [label: string, text: string, lines: number])[] {
  const key = credential.key ?? t('YOUR-KEY');
  const bearer = `-H 'Authorization: Bearer ${key}'`;
  if (device.kind === 'camera')
    return [
      [
        t('Send one test picture'),
        `curl ${http.stream_url} ${bearer} -H "Idempotency-Key: $(date +%s%N)" -H 'Content-Type: image/jpeg' --data-binary @picture.jpg`,
        3,
      ],
    ];
  const to = `-h ${mqtt.host} ${mqtt.encrypted_only ? `-p ${mqtt.tls_port} --cafile ca.pem` : `-p ${mqtt.port}`} -i ${mqtt.client_id} -u ${mqtt.username} -P '${key}' -q 1`;
  const topic = topicOf({ mqtt });
  if (device.kind === 'generic')
    return [
      [
        t('Send one test value over MQTT'),
        `mosquitto_pub ${to} -t ${topic}telemetry -m '{"values":{"engine.hours":1200}}'`,
        3,
      ],
      [
        t('Send one test value over HTTP'),
        `curl ${http.telemetry_url} ${bearer} -H 'Content-Type: application/json' -d '{"points":[{"values":{"engine.hours":1200}}]}'`,
        3,
      ],
    ];
  const frame = `(${(Date.now() / 1000).toFixed(6)}) can0 0CF00400#F07D84B01300F084`;
  return [
    [t('Send one test frame'), `mosquitto_pub ${to} -t ${topic}can -m '${frame}'`, 3],
    [t('Send all frames of {bus}', { bus: 'can0' }), `candump -L can0 | mosquitto_pub -l ${to} -t ${topic}can`, 3],
  ];
}

/** The address of the broker: the port with TLS, if the broker is encrypted only. */
const brokerText = ({ host, port, tls_port, encrypted_only }: Provision['mqtt']): string =>
  encrypted_only ? `${host}:${tls_port} (TLS)` : `${host}:${port}`;

/** The credential and commands of a new device, with its diagnosis. */
export function NewDevice({ made, session, onDone }: { made: Provision; session: Session; onDone(): void }) {
  const commands = snippets(made);
  // The gateway gives its own address for the broker, also if the page has that of this computer.
  const sends = ['camera', 'generic'].includes(made.device.kind) ? [new URL(made.http.telemetry_url).hostname] : [];
  const isLocal = [made.mqtt.host, ...sends].some(isLoopback);
  return (
    <div class="made">
      <section class="panel-box" aria-label={t('Device {device}', { device: made.device.device_id })}>
        <h2>{t('Device {device}', { device: made.device.device_id })}</h2>
        <p>{t('The gateway shows this key only once. Put it into the device, or store it in a safe place.')}</p>
        {isLocal && <LoopbackHint />}
        {made.credential.key === null ? (
          <Problem text={t('The gateway already showed this key. Provision the device again to get a new key.')} />
        ) : (
          <Copy label={t('Device key')} text={made.credential.key} lines={2} />
        )}
        <div class="pair">
          <Copy label={t('Broker')} text={brokerText(made.mqtt)} />
          <Copy label={t('User name and client ID')} text={made.mqtt.username} />
          {made.device.kind !== 'camera' && (
            <Copy
              label={t('MQTT topic')}
              text={`${topicOf(made)}${made.device.kind === 'generic' ? 'telemetry' : 'can'}`}
            />
          )}
        </div>
        {commands.map(([label, text, lines]) => (
          <Copy key={label} label={label} text={text} lines={lines} />
        ))}
        <button type="button" class="primary" onClick={onDone}>
          {t('I saved it')}
        </button>
      </section>
      <DeviceChain session={session} id={made.device.id} />
    </div>
  );
}

/** The form that provisions a device. With `machine` the form links the device to that machine; otherwise it asks for a machine. */
export function ProvisionForm(props: {
  session: Session;
  machines: readonly Machine[];
  machine?: Machine;
  onMade(made: Provision): void;
}) {
  const [serial, setSerial] = useState('');
  const [name, setName] = useState('');
  const [kind, setKind] = useState<Kind>('can_logger');
  const [chosen, setChosen] = useState('');
  const { busy, problem, send } = useSend();
  const equipment_id = props.machine?.id ?? chosen;
  return (
    <Form
      action={t('Provision')}
      busy={busy}
      onSend={() =>
        send(async () => {
          const input = {
            serial: serial.trim(),
            kind,
            ...(name.trim() && { name: name.trim() }),
            ...(equipment_id !== '' && { equipment_id }),
          };
          props.onMade(
            await props.session.client.call('devices_provision', input, { idempotency_key: newIdempotencyKey() }),
          );
        })
      }
    >
      <Field
        label={t('Serial number')}
        value={serial}
        onValue={setSerial}
        required
        autoFocus
        hint={t('Printed on the device')}
      />
      <Choice
        label={t('Type')}
        value={kind}
        onValue={(value) => setKind(KINDS.find(([one]) => one === value)?.[0] ?? 'can_logger')}
        options={KINDS.map(([one, text]) => [one, t(text)] as const)}
      />
      <Field label={t('Device name')} value={name} onValue={setName} />
      {props.machine === undefined && (
        <Choice
          label={t('Machine')}
          value={chosen}
          onValue={setChosen}
          options={machineOptions(props.machines, t('Link later'))}
        />
      )}
      <Problem text={problem} />
    </Form>
  );
}

/** The box on the page of a machine that provisions a logger for it. `open` shows the form at once. */
export function ConnectLogger(props: {
  session: Session;
  machine: Machine;
  open: boolean;
  onOpen(): void;
  onDone(): void;
}) {
  const { session, machine } = props;
  const title = t('Connect a logger to {unit}', { unit: machine.unit_number });
  const [made, setMade] = useState<Provision | null>(null);
  if (made !== null)
    return (
      <NewDevice
        made={made}
        session={session}
        onDone={() => {
          setMade(null);
          props.onDone();
        }}
      />
    );
  if (!props.open)
    return (
      <div class="actions">
        <button type="button" class="primary" onClick={props.onOpen}>
          {title}
        </button>
      </div>
    );
  return (
    <section class="nested" aria-label={title}>
      <h3>{title}</h3>
      <ProvisionForm session={session} machines={[]} machine={machine} onMade={setMade} />
    </section>
  );
}
