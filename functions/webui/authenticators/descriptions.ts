import type { z } from 'zod';
import type { DomainType } from '../../../shared/identity/domains/domain-type.ts';
import { describeFields, type Fields, type GuiField } from '../../../shared/identity/domains/fields.ts';
import {
  type DomainTypeName,
  domainTypeNames,
  domainTypeOf,
} from '../../../shared/identity/domains/registry.ts';
import type { Language } from '../../../shared/messages/languages.ts';
import { ownFields, type TypeEntry } from './schema.ts';

/** Description and features of each type, in the language of the caller. */
export const listTypes = (language: Language): z.input<typeof TypeEntry>[] =>
  domainTypeNames.map((type) => ({
    type,
    ...wordsOf(domainTypeOf(type), language),
    ...factsOf(domainTypeOf(type)),
  }));

const wordsOf = ({ about }: DomainType, language: Language) => ({
  name: about.name[language],
  description: about.description[language],
  label_username: about.label_username[language],
  label_groupname: about.label_groupname[language],
  label_password: about.label_password[language],
});

const factsOf = ({ supports, cards }: DomainType) => ({
  is_external: !supports.localUsers,
  needs_password: supports.ownPassword,
  search_users_supported: supports.searchesUsers,
  search_groups_supported: supports.searchesGroups,
  create_users_supported: supports.createsUsers,
  two_factor_supported: supports.secondFactor,
  provisioning_supported: supports.provisioning,
  pkinit_supported: cards !== undefined,
});

/** The form of a domain of this type: common fields, then the parameters of the type. */
export function describeDomain(type: DomainTypeName, language: Language): z.input<typeof GuiField>[] {
  const { about, supports, settings } = domainTypeOf(type);
  const own: Fields = {
    ...ownFields,
    type: { ...ownFields.type, choices: { [type]: about.name } },
    two_factor: { ...ownFields.two_factor, readonly: !supports.secondFactor },
  };
  return describeFields({ '': own, 'params.': settings.fields }, language).map((entry) =>
    entry.name === 'type' ? { ...entry, value: type } : entry,
  );
}
