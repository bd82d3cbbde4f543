/** A board as large as a person sees it who stands some metres away from a TV. */
import { useState } from 'preact/hooks';
import type { LiveSnapshot } from '#contract/site/live.ts';
import type { ScreenLanguage } from '#ui/languages/site-language.ts';
import { t } from '#ui/languages/texts.ts';
import { Choice } from '#ui/office/base/parts.tsx';
import type { Moment } from '#ui/tiles/ageing.ts';
import type { Pictures } from '#ui/tiles/tile-props.ts';
import { PreviewWall } from './preview-wall.tsx';
import { farWidth, LEAST_MINUTES, readableTo, textMinutes } from './viewing.ts';

const INCHES = [32, 43, 50, 55, 65, 75, 85] as const;
const METRES = [2, 3, 4, 5, 6, 8, 10] as const;

export function FarPreview(props: {
  view: LiveSnapshot;
  at: Moment;
  pictures: Pictures;
  spoken: ScreenLanguage | undefined;
}) {
  const [inches, setInches] = useState(55);
  const [metres, setMetres] = useState(5);
  const width = Math.round(farWidth(inches, metres));
  const small = textMinutes(inches, metres) < LEAST_MINUTES;
  return (
    <section class="far" aria-label={t('From a distance')}>
      <div class="far-choices">
        <Choice
          label={t('Size of the TV')}
          value={String(inches)}
          options={INCHES.map((one) => [String(one), t('{n} inches', { n: one })] as const)}
          onValue={(value) => setInches(Number(value))}
        />
        <Choice
          label={t('Seen from')}
          value={String(metres)}
          options={METRES.map((one) => [String(one), `${one} m`] as const)}
          onValue={(value) => setMetres(Number(value))}
        />
      </div>
      <div class="far-room" inert>
        <div class="far-tv" style={{ width: `${width}px` }}>
          <PreviewWall
            view={props.view}
            shown={{ board: 'draft', page: 0 }}
            step={{ index: 0, of: 1 }}
            at={props.at}
            width={width}
            pictures={props.pictures}
            spoken={props.spoken}
          />
        </div>
      </div>
      <p class="aside">{t('So large is the TV for you if your eyes are 60 cm from this page.')}</p>
      <p class={small ? 'waiting' : 'aside'} role="status">
        {small
          ? t('Too small: on this TV the texts of a board can be read up to {metres} m.', {
              metres: readableTo(inches),
            })
          : t('All texts of a board can be read from there.')}
      </p>
    </section>
  );
}
