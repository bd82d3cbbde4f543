/** The page that prints the label of a device. */
import type { Output } from '#contract/operations.ts';
import { Problem } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { usePolled } from '#ui/office/base/use.ts';

export function DeviceLabel({ session, device }: { session: Session; device: Output<'devices_get'> }) {
  const { data, problem } = usePolled(() => session.client.call('devices_label', { id: device.id }), 60_000, [
    device.id,
    device.revision,
  ]);
  if (data === null) return <Problem text={problem} />;
  return (
    <section class="panel-box">
      <div class="head">
        <h2>Label</h2>
        <button type="button" onClick={() => print()}>
          Print label
        </button>
      </div>
      <div class="device-label">
        {/* The gateway makes this SVG itself, so it cannot contain foreign content. */}
        {data.qr !== null && (
          <img alt={`QR code of ${data.url}`} src={`data:image/svg+xml,${encodeURIComponent(data.qr)}`} />
        )}
        <div>
          <span class="name">{data.name}</span>
          <code>{data.device_id}</code>
          {data.lines.map((line) => (
            <span key={line}>{line}</span>
          ))}
        </div>
      </div>
    </section>
  );
}
