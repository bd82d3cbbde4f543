/**
 * Entry of tv.html. The URL `/tv` shows a pairing code. The URL `/tv/{share}` shows the boards of a share (a link that shows boards without
 * a login).
 */
import { render } from 'preact';
import { Player, Screen } from './player.tsx';

/**
 * Longest time in milliseconds for which the page stays empty while it waits for the first snapshot (the first content of the boards from
 * the gateway).
 */
const BLANK_MS = 600;

/** Decodes the share in the URL. If the URL is encoded wrongly, it returns the text as it is, and the gateway refuses the link. */
function decoded(share: string): string {
  try {
    return decodeURIComponent(share);
  } catch {
    return share;
  }
}

const root = document.getElementById('screen');
const share = /^\/tv\/([^/]+)\/?$/.exec(location.pathname)?.[1];
if (root !== null) {
  if (share !== undefined) {
    const screen = new Screen(decoded(share));
    // Open the stream before the first render. If the snapshot arrives at once, the boards are then the first picture, and not an empty
    // page.
    const begin = () => {
      clearTimeout(late);
      screen.draw = () => {};
      render(<Player screen={screen} />, root);
    };
    const late = setTimeout(begin, BLANK_MS);
    screen.draw = () => {
      if (screen.speech.knows(screen.snapshot)) begin();
    };
    screen.start();
  }
  // Load the pairing page only now, because a paired screen does not need the code that draws QR codes.
  else
    void Promise.all([
      import('./pairing.tsx'),
      // Without a site, the page has the language of the browser.
      import('#ui/languages/wall.ts')
        .then(({ speakWall }) => speakWall(`${navigator.language} metric`))
        .catch(() => undefined),
    ]).then(([{ Pairing }]) => render(<Pairing />, root));
}
