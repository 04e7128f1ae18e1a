import type { Parameters } from '../../../../kernel/system-parameters.ts';
import type { DirectoryParams, DirectoryVariant } from '../variant.ts';

/**
 * True if an attribute may be read: it is in the list of its variant or in `directory.extra_attributes`. An option
 * (`;lang-en`) is ignored. An object identifier is not allowed, because it is a second name of the attribute.
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

/** The parameters that name an attribute that must not be read. Parameters equal to the stored ones are excluded. */
export const unreadableParams = (
  variant: DirectoryVariant,
  params: DirectoryParams,
  parameters: Parameters,
  stored: Readonly<Record<string, unknown>> = {},
): string[] =>
  attributeParams.filter(
    (name) => params[name] !== stored[name] && !isReadable(variant, params[name], parameters),
  );
