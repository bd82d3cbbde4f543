/** The tile with the newest picture of a camera and its age. A stale picture is dimmed, and a picture that is too old is hidden. */
import { duration } from '#ui/format.ts';
import { t } from '#ui/languages/texts.ts';
import { fitting } from '#ui/text/measure.ts';
import { cut } from '#ui/text/text-fit.ts';
import { valueFreshness } from './ageing.ts';
import { Unknown } from './marks.tsx';
import type { TileProps } from './tile-props.ts';
import { usePicture } from './use-picture.ts';

const FLOOR = 3.7;

export function Camera({ data, title, at, size, pictures }: TileProps<'camera'>) {
  const { camera } = data;
  const { shown, failed } = usePicture(camera.artifact_id, camera.age, pictures);
  const name = title || camera.device;
  // Show the time of the picture that is on the screen: the newest picture may still be loading.
  const age = shown?.of ?? camera.age;
  const judged = valueFreshness(
    { ...age, ...(shown !== null && shown.of.as_of_ms === camera.age.as_of_ms ? camera.age : {}) },
    at,
  );
  const taken = age.as_of_ms === null ? '' : t('{age} ago', { age: duration(at.now - age.as_of_ms) });
  const gone = judged === 'none' || judged === 'never' || shown === null;
  const words =
    judged === 'never'
      ? [t('No picture yet')]
      : judged === 'none'
        ? [t('No picture for {age}', { age: duration(at.now - (age.as_of_ms ?? at.now)) }), t('No picture')]
        : shown === null
          ? [failed ? t('Picture not available') : '']
          : judged === 'stale'
            ? [`${name} · ${t('last picture, {taken}', { taken })}`, t('last picture, {taken}', { taken }), taken]
            : [`${name} · ${taken}`, taken];
  return (
    <section class="panel camera" data-fresh={judged} aria-label={`${name}: ${words[0]}`}>
      {gone ? (
        <div class="nothing">
          <Unknown />
          <b>{cut(name, FLOOR, 700, size.w - 4.4)}</b>
          <p>{fitting(words, FLOOR, 400, size.w - 4.4)}</p>
        </div>
      ) : (
        <>
          <img src={shown.url} alt={`${name}, ${taken}`} />
          <p class="caption">{fitting(words, FLOOR, 600, size.w - 4.4)}</p>
        </>
      )}
    </section>
  );
}
