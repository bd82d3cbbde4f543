/** Entry of tv.html: `/tv` asks to be paired, `/tv/{share}` plays. */
import { render } from 'preact';
import { Player, Screen } from './player.tsx';

const root = document.getElementById('screen');
const share = /^\/tv\/([^/]+)\/?$/.exec(location.pathname)?.[1];
if (root !== null) {
  if (share !== undefined) {
    const screen = new Screen(decodeURIComponent(share));
    // The stream is asked for before anything is drawn: the first picture is worth more than a first blank.
    screen.start();
    render(<Player screen={screen} />, root);
  }
  // A paired screen never loads what draws a code.
  else void import('./pairing.tsx').then(({ Pairing }) => render(<Pairing />, root));
}
