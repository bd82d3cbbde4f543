/** The label of a device, which a person prints. */
import type { Output } from '#contract/operations.ts';
import { t } from '#ui/languages/texts.ts';
import { Problem } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { usePolled } from '#ui/office/base/use.ts';

/** Returns a line of the label in the language of the page. The gateway sends it in English. */
function lineText(line: string): string {
  const [, what, text = ''] = /^(Serial|Machine) (.+)$/.exec(line) ?? [];
  if (what === undefined) return line;
  return what === 'Serial' ? t('Serial number {serial}', { serial: text }) : t('Machine {unit}', { unit: text });
}

export function DeviceLabel({ session, device }: { session: Session; device: Output<'devices_get'> }) {
  const { data, problem } = usePolled(() => session.client.call('devices_label', { id: device.id }), 60_000, [
    device.id,
    device.revision,
  ]);
  if (data === null) return <Problem text={problem} />;
  return (
    <section class="panel-box">
      <div class="head">
        <h2>{t('Label')}</h2>
        <button type="button" onClick={() => print()}>
          {t('Print label')}
        </button>
      </div>
      <div class="device-label">
        {/* The gateway makes this SVG itself, so it cannot contain foreign content. */}
        {data.qr !== null && (
          <img
            alt={t('QR code of {text}', { text: data.url })}
            src={`data:image/svg+xml,${encodeURIComponent(data.qr)}`}
          />
        )}
        <div>
          <span class="name">{data.name}</span>
          <code>{data.device_id}</code>
          {data.lines.map((line) => (
            <span key={line}>{line === session.project.name ? line : lineText(line)}</span>
          ))}
        </div>
      </div>
    </section>
  );
}
