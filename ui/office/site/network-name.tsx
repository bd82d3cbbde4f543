/** The address with which people in the network open the gateway by its name. */
import { useEffect, useState } from 'preact/hooks';
import { said } from '#ui/languages/texts.ts';

/** Reads the names that the gateway announces in the network; empty if it announces none or does not answer. */
async function readNames(): Promise<readonly string[]> {
  try {
    const answer = await fetch('/healthz', { cache: 'no-store' });
    const { names } = (await answer.json()) as { names?: unknown };
    return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
  } catch {
    return [];
  }
}

/** Shows the addresses with the names of the gateway; nothing if it has none. */
export function NetworkName() {
  const [names, setNames] = useState<readonly string[]>([]);
  useEffect(() => {
    let isShown = true;
    void readNames().then((found) => isShown && setNames(found));
    return () => {
      isShown = false;
    };
  }, []);
  if (names.length === 0) return null;
  const port = location.port === '' ? '' : `:${location.port}`;
  return (
    <p class="aside">
      {said('In this network the gateway also has an address that is easier to remember: {addresses}', {
        addresses: names.map((name, i) => (
          <span key={name}>
            {i > 0 && ', '}
            <a href={`${location.protocol}//${name}${port}/`}>{`${location.protocol}//${name}${port}/`}</a>
          </span>
        )),
      })}
    </p>
  );
}
