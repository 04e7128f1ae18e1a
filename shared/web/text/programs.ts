const names: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera', Macintosh: 'macOS' };

/** The browser and the operating system of a `User-Agent`, or its beginning. */
export function programOf(userAgent: string): string {
  const browser = /(Firefox|Edg|OPR|Chrome|Safari)\/\d+/.exec(userAgent)?.[1];
  const system = /Windows|Android|iPhone|iPad|Macintosh|Linux/.exec(userAgent)?.[0];
  const known = [browser, system].flatMap((name) => (name ? [names[name] ?? name] : []));
  return known.join(', ') || userAgent.slice(0, 60) || '–';
}
