import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { filledPath } from '../../../../../shared/web/client/request.ts';
import { Combobox, type Option } from '../../../../../shared/web/ui/controls/combobox.tsx';
import { ReferenceInput } from '../../records/fields/reference-input.tsx';
import type { Values } from '../../records/form/form-values.ts';
import { kindOf, titleOf, useKinds } from '../../records/kinds.ts';
import { readPage } from '../../records/requests.ts';
import { say } from '../../texts.ts';

type OwnerInputProps = { values: Values; onChange: (values: Values) => void };

/** A user of a domain. */
export function OwnerInput({ values, onChange }: OwnerInputProps): JSX.Element {
  const domain = typeof values.authenticator_id === 'string' ? values.authenticator_id : undefined;
  const [user, setUser] = useState<Option>();
  const users = useUsers(domain);
  const choose = (chosen: string | undefined, id: string | undefined) => {
    setUser(id === undefined ? undefined : users.known.get(id));
    onChange({
      ...(chosen !== undefined && { authenticator_id: chosen }),
      ...(id !== undefined && { user_id: id }),
    });
  };
  return (
    <>
      <ReferenceInput
        label={say('fleet_domain')}
        type="authenticator"
        ids={domain === undefined ? [] : [domain]}
        isMany={false}
        isRequired={true}
        onChange={([id]) => choose(id, undefined)}
      />
      <Combobox
        label={say('fleet_user')}
        chosen={user ? [user] : []}
        isMany={false}
        isRequired={true}
        disabled={domain === undefined}
        find={users.find}
        onChange={([id]) => choose(domain, id)}
      />
    </>
  );
}

const mostFound = '20';

/** The users of a domain, found by their names. */
function useUsers(domain: string | undefined) {
  const kind = kindOf(useKinds(), 'user');
  const [known] = useState(() => new Map<string, Option>());
  const find = async (search: string, signal: AbortSignal): Promise<Option[]> => {
    if (!kind || domain === undefined) return [];
    const path = filledPath(kind.path, { auth_uuid: domain });
    const query = { limit: mostFound, ...(search !== '' && { search }) };
    const { items } = await readPage(path, query, signal);
    const options = items.map((row) => ({ id: String(row.id), name: titleOf(kind, row) }));
    for (const option of options) known.set(option.id, option);
    return options;
  };
  return { known, find };
}
