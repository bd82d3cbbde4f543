/** Entry of tv.html: `/tv` asks to be paired, `/tv/{share}` plays. */
import { render } from 'preact';
import { Player } from './player.tsx';

const root = document.getElementById('screen');
const share = /^\/tv\/([^/]+)\/?$/.exec(location.pathname)?.[1];
if (root !== null) {
  if (share !== undefined) render(<Player share={decodeURIComponent(share)} />, root);
  // A paired screen never loads what draws a code.
  else void import('./pairing.tsx').then(({ Pairing }) => render(<Pairing />, root));
}
