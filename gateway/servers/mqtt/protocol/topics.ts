/** Compares topic filters with topic names as MQTT 3.1.1 section 4.7 requires. */

/** Returns true if a topic filter matches a topic name. An empty level counts as a level. [MQTT-4.7.1-2], [MQTT-4.7.1-3] */
export function matches(filter: string, topic: string): boolean {
  if (filter === topic) return true;
  // [MQTT-4.7.2-1]
  if (topic.startsWith('$') && (filter.startsWith('#') || filter.startsWith('+'))) return false;
  const wanted = filter.split('/');
  const levels = topic.split('/');
  for (let i = 0; i < wanted.length; i++) {
    const want = wanted[i];
    if (want === '#') return true;
    if (i >= levels.length) return false;
    if (want !== '+' && want !== levels[i]) return false;
  }
  return wanted.length === levels.length;
}

/** Returns true if a topic filter has a wildcard (`+` or `#`). */
export function isWild(filter: string): boolean {
  return filter.includes('+') || filter.includes('#');
}
