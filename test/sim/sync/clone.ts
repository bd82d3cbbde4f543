/** Copies a site with its disk, as when a person copies a virtual machine. */
import { End } from './end.ts';

export function cloneEnd(site: End): End {
  const copy = new End(`${site.name}'`, 'site', site.twin.clone());
  copy.made = new Set(site.made);
  copy.lost = new Set(site.lost);
  copy.vanished = new Set(site.vanished);
  copy.purged = new Set(site.purged);
  copy.forced = new Set(site.forced);
  copy.newer = site.newer;
  return copy;
}
