import type { Language } from './languages.ts';
import { domainTypes } from './ru/domain-types.ts';

/** A word or sentence of the forms of authentication domains, in English. */
export type DomainWord = keyof typeof domainTypes;

export const inDomainWords = (word: DomainWord, language: Language): string =>
  language === 'en' ? word : domainTypes[word];
