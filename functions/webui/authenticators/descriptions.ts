import type { z } from 'zod';
import { describeFields, type Fields, type GuiField } from '../../../shared/identity/domains/fields.ts';
import {
  type DomainType,
  domainTypes,
  paramFields,
  typeFacts,
} from '../../../shared/identity/domains/registry.ts';
import { inDomainWords } from '../../../shared/messages/domain-words.ts';
import type { Language } from '../../../shared/messages/languages.ts';
import { ownFields, type TypeEntry } from './schema.ts';

/** What a login page and an administrator may expect of each type, in the language of the reader. */
export const listTypes = (language: Language): z.input<typeof TypeEntry>[] =>
  domainTypes.map((type) => ({ type, ...typeFacts[type], ...wordsOf(type, language) }));

const worded = ['name', 'description', 'label_username', 'label_groupname', 'label_password'] as const;

const wordsOf = (type: DomainType, language: Language) =>
  Object.fromEntries(worded.map((member) => [member, inDomainWords(typeFacts[type][member], language)]));

/** The form of a domain of this type: what every domain has, then its parameters. */
export function describeDomain(type: DomainType, language: Language): z.input<typeof GuiField>[] {
  const { name, two_factor_supported } = typeFacts[type];
  const own: Fields = {
    ...ownFields,
    type: { ...ownFields.type, choices: { [type]: name } },
    two_factor: { ...ownFields.two_factor, readonly: !two_factor_supported },
  };
  return describeFields({ '': own, 'params.': paramFields[type] }, language).map((entry) =>
    entry.name === 'type' ? { ...entry, value: type } : entry,
  );
}
