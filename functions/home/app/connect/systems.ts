export const systems = ['windows', 'macos', 'linux', 'android', 'ios'] as const;
export type System = (typeof systems)[number];

/** The first match applies: Android also names Linux. */
const signs: readonly (readonly [RegExp, System])[] = [
  [/Android/, 'android'],
  [/iPhone|iPad|iPod/, 'ios'],
  [/Windows/, 'windows'],
  [/Macintosh/, 'macos'],
  [/Linux|X11|CrOS/, 'linux'],
];

/** The operating system of a browser, by its `User-Agent`. */
export const systemOf = (userAgent: string): System | undefined =>
  signs.find(([sign]) => sign.test(userAgent))?.[1];
