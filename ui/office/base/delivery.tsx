/** At head office: whether its last change to a record has arrived at the site. The code is loaded when there is something to say. */
import type { DeliveryProps } from './delivery-note.tsx';
import { lazyPage } from './lazy-page.tsx';

const Note = lazyPage(() => import('./delivery-note.tsx').then((one) => one.DeliveryNote), 'part');

export const Delivery = ({ of, ...more }: DeliveryProps) => (of == null ? null : <Note of={of} {...more} />);
