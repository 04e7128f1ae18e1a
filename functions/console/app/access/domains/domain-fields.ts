import { useQuery } from '@tanstack/preact-query';
import type { Operations } from '../../../../../shared/client/portal-client.ts';
import { portal } from '../../../../../shared/web/client/session.ts';
import type { Field } from '../../records/kinds.ts';

type FormField = Operations['authenticator.describe']['answer'][number];
export type DomainTypeName = Operations['authenticator.describe']['asks']['path']['data_type'];

const lasting = { staleTime: Number.POSITIVE_INFINITY, retry: 3 } as const;

/** The types of domains, in the language of the page. */
export const useDomainTypes = () =>
  useQuery({
    queryKey: ['domainTypes', 'none'],
    queryFn: () => portal.call('authenticator.listTypes'),
    ...lasting,
  });

/** A setting of a domain type: a field of the form, and where its value is in `params`. */
export type Setting = { field: Field; path: readonly string[]; tab: string; initial: unknown };

/** The settings that the API describes for a type of domains. */
export const useSettings = (type: DomainTypeName | undefined) =>
  useQuery({
    queryKey: ['domainForm', 'none', type],
    queryFn: async () =>
      type === undefined
        ? []
        : (await portal.call('authenticator.describe', { path: { data_type: type } })).flatMap(settingOf),
    enabled: type !== undefined,
    ...lasting,
  });

const prefix = 'params.';

const fieldTypes: Readonly<Record<FormField['gui']['type'], Pick<Field, 'type' | 'isMany'>>> = {
  text: { type: 'text' },
  numeric: { type: 'integer' },
  password: { type: 'secret' },
  choice: { type: 'choice' },
  multichoice: { type: 'choice', isMany: true },
  editlist: { type: 'text', isMany: true },
  checkbox: { type: 'flag' },
  textarea: { type: 'long_text' },
  taglist: { type: 'text', isMany: true },
};

function settingOf({ name, value, gui }: FormField): Setting[] {
  if (!name.startsWith(prefix)) return [];
  const path = name.slice(prefix.length).split('.');
  const choices = gui.choices?.map(({ id, text }) => ({ value: id, label: text }));
  const field: Field = {
    name: path.join('/'),
    label: gui.label,
    help: gui.tooltip,
    ...fieldTypes[gui.type],
    ...(choices && { choices }),
    ...(gui.required && { isRequired: true as const }),
    ...(gui.readonly && { isImmutable: true as const }),
    ...(gui.default !== undefined && gui.default !== null && { default: gui.default }),
    ...(gui.length !== undefined && { maxLength: gui.length }),
    ...(gui.type === 'numeric' && gui.min_value !== undefined && { minimum: gui.min_value }),
    ...(gui.type === 'numeric' && gui.max_value !== undefined && { maximum: gui.max_value }),
  };
  return [{ field, path, tab: gui.tab ?? '', initial: value }];
}
