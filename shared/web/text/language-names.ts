import type { Language } from '../../messages/languages.ts';

/** The name of each language in itself. */
export const languageNames: Record<Language, string> = { en: 'English', ru: 'Русский' };
