/** The languages of the texts; the first one is the last resort. */
export const languages = ['en', 'ru'] as const;
export type Language = (typeof languages)[number];

export const isLanguage = (text: unknown): text is Language =>
  languages.some((language) => language === text);

/**
 * The most wanted of our languages.
 * @param accepted a header Accept-Language (RFC 9110, 12.5.4), or one language tag (RFC 5646)
 * @returns undefined when none of ours is named
 */
export function languageOf(accepted: string): Language | undefined {
  const ranges = accepted.split(',').map((range) => {
    const [tag = '', ...parameters] = range.trim().toLowerCase().split(';');
    const weight = parameters.map((one) => /^\s*q=([\d.]+)\s*$/.exec(one)?.[1]).find(Boolean);
    return { language: tag.split('-')[0], weight: Number(weight ?? 1) };
  });
  return ranges
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ language }) => language)
    .find(isLanguage);
}
