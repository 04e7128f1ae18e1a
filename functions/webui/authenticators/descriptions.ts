import type { z } from 'zod';
import {
  type DomainType,
  domainTypes,
  paramFields,
  typeFacts,
} from '../../../shared/identity/domains/catalogue.ts';
import { describeFields, type Fields, type GuiField } from '../../../shared/identity/domains/fields.ts';
import { ownFields, type TypeEntry } from './schema.ts';

export const listTypes = (): z.input<typeof TypeEntry>[] =>
  domainTypes.map((type) => ({ type, ...typeFacts[type] }));

/** The form of a domain of this type: what every domain has, then its parameters. */
export function describeDomain(type: DomainType): z.input<typeof GuiField>[] {
  const { name, two_factor_supported } = typeFacts[type];
  const own: Fields = {
    ...ownFields,
    type: { ...ownFields.type, choices: { [type]: name } },
    two_factor: { ...ownFields.two_factor, readonly: !two_factor_supported },
  };
  return describeFields({ '': own, 'params.': paramFields[type] }).map((entry) =>
    entry.name === 'type' ? { ...entry, value: type } : entry,
  );
}
