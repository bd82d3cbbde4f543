/** The handlers of head office: those of a site, without the operations that only a site serves. */
import type { HandlerGroup } from '#contract/handler.ts';
import { isOfSites } from '#contract/served.ts';

/** Returns the groups with the operations of sites in groups of their own, which need the service of a site. */
export function headOfficeGroups(groups: readonly HandlerGroup[]): HandlerGroup[] {
  return groups.flatMap(({ needs, handlers }): HandlerGroup[] => {
    const names = Object.entries(handlers);
    const here = Object.fromEntries(names.filter(([name]) => !isOfSites(name)));
    const ofSites = Object.fromEntries(names.filter(([name]) => isOfSites(name)));
    return [
      { needs, handlers: here },
      { needs: [...needs, 'siteSync'], handlers: ofSites },
    ];
  });
}
