/** The tile that shows a picture or video over the whole board. */
import { useEffect, useState } from 'preact/hooks';
import { t } from '#ui/languages/texts.ts';
import type { TileProps } from './tile-props.ts';
import { usePicture } from './use-picture.ts';

export function Media(props: TileProps<'media'>) {
  const { media } = props.data;
  return media.content_type.startsWith('video/') ? <Clip {...props} /> : <Picture {...props} />;
}

function Picture({ data: { media }, pictures }: TileProps<'media'>) {
  const { shown, failed } = usePicture(media.artifact_id, null, pictures);
  return (
    <section class={`media ${media.fit}`}>
      {shown !== null ? (
        <img src={shown.url} alt="" />
      ) : (
        failed && <p class="hint">{t('This picture is not available')}</p>
      )}
    </section>
  );
}

/** Plays a video in a loop without sound, because browsers do not start a video with sound unless a person clicks. */
function Clip({ data: { media }, pictures }: TileProps<'media'>) {
  const [url, setUrl] = useState<string | null>(null);
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    let gone = false;
    pictures(media.artifact_id).then(
      (found) => {
        if (!gone) setUrl(found);
      },
      () => setFailed(true),
    );
    return () => {
      gone = true;
    };
  }, [media.artifact_id, pictures]);
  return (
    <section class={`media ${media.fit}`}>
      {failed && <p class="hint">{t('This video is not available')}</p>}
      {!failed && url !== null && <video src={url} autoplay loop muted playsInline onError={() => setFailed(true)} />}
    </section>
  );
}
