import { type QueryClient, useQueryClient } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { Combobox, type Option } from '../../../../../shared/web/ui/controls/combobox.tsx';
import type { FilterInputProps, OwnFilter } from '../../records/extension.ts';
import { kindOf, type Row, useKinds } from '../../records/kinds.ts';
import { readPage } from '../../records/requests.ts';
import { usePlace } from '../../router/place.ts';
import { textIn } from './links.tsx';

type Named = {
  /** Type of the records whose identifiers are the values. */
  type: string;
  /** Members of rows that refer to such a record: its identifier, and its name. */
  uuid: string;
  name: string;
};

const mostFound = '20';

/** A filter by the identifier of an object of a dispatcher, which is shown and searched by its name. */
export function namedFilter(named: Named): OwnFilter {
  const Value = ({ value }: { value: string }): JSX.Element => {
    const client = useQueryClient();
    return <>{nameOf(client, named, value)}</>;
  };
  const Input = ({ label, value, onChange }: FilterInputProps): JSX.Element => {
    const client = useQueryClient();
    const find = useFind(named.type);
    return (
      <Combobox
        label={label}
        chosen={value === '' ? [] : [{ id: value, name: nameOf(client, named, value) }]}
        isMany={false}
        find={find}
        onChange={([id]) => onChange(id)}
      />
    );
  };
  return { Value, Input };
}

/** The list that the filter is for, or the one that it was chosen from, has the name. */
function nameOf(client: QueryClient, { uuid, name }: Named, value: string): string {
  const pages = client.getQueriesData<{ items?: Row[] }>({ queryKey: ['list'] });
  const rows = pages.flatMap(([, page]) => page?.items ?? []);
  const referring = rows.find((row) => row[uuid] === value);
  const own = rows.find((row) => row.uuid === value);
  return (referring && textIn(referring, name)) ?? (own && textIn(own, 'name')) ?? `${value.slice(0, 8)}…`;
}

/** Finds objects by their names, in the farm or site that the list is limited to. */
function useFind(type: string) {
  const client = useQueryClient();
  const kind = kindOf(useKinds(), type);
  const { query } = usePlace();
  const within = ['farm_id', 'site_id'].map((name) => [name, query.get(name) ?? undefined]);
  return async (search: string, signal: AbortSignal): Promise<Option[]> => {
    if (!kind) return [];
    const asked = { ...Object.fromEntries(within), limit: mostFound, ...(search !== '' && { search }) };
    const page = await readPage(kind.path, asked, signal);
    // The name of the chosen one is shown as soon as it is chosen.
    client.setQueryData(['list', type, 'found', search], page);
    return page.items.map((row) => ({
      id: String(row.uuid),
      name: textIn(row, 'name') ?? String(row.uuid),
      ...(textIn(row, 'farm_name') !== undefined && { within: String(row.farm_name) }),
    }));
  };
}
