import type { Parameters } from '../../../../kernel/system-parameters.ts';
import type { DirectoryParams, DirectoryVariant } from '../variant.ts';

/**
 * Whether an attribute of a directory may be read: one of the list of its variant or of `directory.extra_attributes`. An
 * option (`;lang-en`) changes nothing; an object identifier is not allowed, because it would be a second name.
 */
export function isReadable(
  { readable }: Pick<DirectoryVariant, 'readable'>,
  attribute: string,
  { 'directory.extra_attributes': extra }: Parameters,
): boolean {
  const [name = ''] = attribute.toLowerCase().split(';');
  return [...readable, ...extra.split(',')].some((one) => one !== '' && one.toLowerCase() === name);
}

const attributeParams = [
  'user_id_attribute',
  'user_name_attribute',
  'group_id_attribute',
  'member_attribute',
] as const;

/** The parameters of a directory that name an attribute that may not be read; those that stay as stored are left out. */
export const unreadableParams = (
  variant: DirectoryVariant,
  params: DirectoryParams,
  parameters: Parameters,
  stored: Readonly<Record<string, unknown>> = {},
): string[] =>
  attributeParams.filter(
    (name) => params[name] !== stored[name] && !isReadable(variant, params[name], parameters),
  );
