/** The custom actions that a page offers. Most sites have none, so their code is not part of the first page. */
import { lazyPage } from '#ui/office/base/lazy-page.tsx';

export const OfferedActions = lazyPage(() => import('./place-actions.tsx').then((one) => one.PlaceActions), 'quiet');
