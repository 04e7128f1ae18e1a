export const languages = ['en', 'ru'] as const;
export type Language = (typeof languages)[number];

export const isLanguage = (text: unknown): text is Language =>
  languages.some((language) => language === text);

/**
 * The language of ours that a reader likes best.
 * @param accepted the header Accept-Language (RFC 9110 section 12.5.4)
 * @returns undefined when he names none of ours
 */
export function languageOf(accepted: string): Language | undefined {
  const wishes = accepted.split(',').map((range) => {
    const [tag = '', ...parameters] = range.trim().toLowerCase().split(';');
    const weight = parameters.map((one) => /^\s*q=([\d.]+)\s*$/.exec(one)?.[1]).find(Boolean);
    return { language: tag.split('-')[0], weight: Number(weight ?? 1) };
  });
  return wishes
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ language }) => language)
    .find(isLanguage);
}
