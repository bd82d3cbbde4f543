/** Pages with code that is loaded when a person opens them, so that the first page opens sooner. */
import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { t } from '#ui/languages/texts.ts';

/**
 * Returns a component that loads another one at its first use. A part of a page has no title of its own; a quiet part shows nothing until it
 * is loaded.
 */
export function lazyPage<P extends object>(
  load: () => Promise<FunctionComponent<P>>,
  as: 'page' | 'part' | 'quiet' = 'page',
): FunctionComponent<P> {
  let loaded: FunctionComponent<P> | undefined;
  return function Page(props: P) {
    const [found, setFound] = useState(() => loaded);
    const [failed, setFailed] = useState(false);
    useEffect(() => {
      if (found !== undefined) return;
      let gone = false;
      load().then(
        (page) => {
          loaded = page;
          if (!gone) setFound(() => page);
        },
        () => {
          if (!gone) setFailed(true);
        },
      );
      return () => {
        gone = true;
      };
    }, []);
    if (as === 'quiet' && found === undefined) return null;
    if (failed)
      return (
        <>
          {as === 'page' && <h1>Headframe</h1>}
          <div class="problem" role="alert">
            <p>{t('This page could not be loaded. The gateway does not answer, or it has a newer version.')}</p>
            <button type="button" onClick={() => location.reload()}>
              {t('Load again')}
            </button>
          </div>
        </>
      );
    const Found = found;
    return Found === undefined ? <p class="aside">{t('Loading')}</p> : <Found {...props} />;
  };
}
