/** The languages that texts are there in; the first one is spoken to whom nobody has asked. */
export const languages = ['en', 'ru'] as const;
export type Language = (typeof languages)[number];
