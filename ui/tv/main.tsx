/** Entry of tv.html: `/tv` asks to be paired, `/tv/{share}` plays. */
import { render } from 'preact';
import { Player, Screen } from './player.tsx';

/** How long a page may stay empty while the first picture comes. */
const BLANK_MS = 600;

/** The name in the address; as it stands where it cannot be decoded, so that the gateway is asked and says what it is. */
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
    // The stream is asked for before anything is drawn, and a picture that comes at once is not kept waiting by a blank one.
    const begin = () => {
      clearTimeout(late);
      screen.draw = () => {};
      render(<Player screen={screen} />, root);
    };
    const late = setTimeout(begin, BLANK_MS);
    screen.draw = () => {
      if (screen.snapshot !== null) begin();
    };
    screen.start();
  }
  // A paired screen never loads what draws a code.
  else void import('./pairing.tsx').then(({ Pairing }) => render(<Pairing />, root));
}
