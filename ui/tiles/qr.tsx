/** The tile that shows a QR code. The gateway computes the code, and the tile only scales it. */

import { t } from '#ui/languages/texts.ts';
import { fitting } from '#ui/text/measure.ts';
import { cut } from '#ui/text/text-fit.ts';
import type { TileProps } from './tile-props.ts';

const FLOOR = 3.7;
const HEADING = 5.4;

export function Qr({ data, title, size }: TileProps<'qr'>) {
  const { code, caption } = data.qr;
  const below = caption === '' ? 0 : 5.4;
  const side = Math.max(8, Math.min(size.w - 4.4, size.h - 3.4 - (title === '' ? 0 : HEADING) - below));
  return (
    <section class="panel code" aria-label={title || caption}>
      {title !== '' && <h2 class="label">{cut(title, FLOOR, 600, size.w - 4.4)}</h2>}
      {code === null ? (
        <p class="hint">{caption || t('This text is too long for a QR code')}</p>
      ) : (
        <>
          <svg
            viewBox={`0 0 ${code.size} ${code.size}`}
            style={{ width: `calc(${side} * var(--u))`, height: `calc(${side} * var(--u))` }}
            shape-rendering="crispEdges"
            role="img"
            aria-label={t('QR code: {caption}', { caption: caption || title })}
          >
            <rect width={code.size} height={code.size} fill="#f2f5f8" />
            <path d={code.path} fill="#0b0e12" />
          </svg>
          {caption !== '' && <p class="caption">{fitting([caption, ''], FLOOR, 400, size.w - 4.4)}</p>}
        </>
      )}
    </section>
  );
}
