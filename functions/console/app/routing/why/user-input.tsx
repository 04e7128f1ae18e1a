import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { portal } from '../../../../../shared/web/client/session.ts';
import { Combobox, type Option } from '../../../../../shared/web/ui/controls/combobox.tsx';
import { may } from '../../facts.ts';
import { kindOf, useKinds } from '../../records/kinds.ts';
import { findNamed } from '../../records/references.ts';
import { say } from '../../texts.ts';

type UserInputProps = {
  userId: string | undefined;
  /** Name of the user, if it is known from elsewhere. */
  name: string | undefined;
  onUser: (id: string | undefined) => void;
};

/** A user of any domain, by a part of the name. */
export function UserInput({ userId, name, onUser }: UserInputProps): JSX.Element {
  const kind = kindOf(useKinds(), 'user');
  const [found, setFound] = useState<readonly Option[]>([]);
  const known = found.find(({ id }) => id === userId)?.name ?? name ?? `${userId?.slice(0, 8)}…`;
  return (
    <Combobox
      label={say('why_user')}
      hint={userId === undefined ? say('why_user_hint') : undefined}
      isMany={false}
      chosen={userId === undefined ? [] : [{ id: userId, name: known }]}
      onChange={([id]) => onUser(id)}
      find={async (text, signal) => {
        const options =
          kind && may(['sites.update'])
            ? await findNamed(kind, text, signal)
            : await findInDomains(text, signal);
        setFound(options);
        return options;
      }}
    />
  );
}

const mostDomains = 10;
const mostUsers = 20;

/** Without the permission for the search in all domains, each domain is searched. */
async function findInDomains(search: string, signal: AbortSignal): Promise<Option[]> {
  const { items: domains } = await portal.call(
    'authenticator.list',
    { query: { limit: mostDomains } },
    { signal },
  );
  const pages = await Promise.all(
    domains.map(async (domain) => {
      const { items } = await portal.call(
        'user.list',
        { path: { auth_uuid: domain.id }, query: { limit: mostUsers, ...(search !== '' && { search }) } },
        { signal },
      );
      return items.map(({ id, name }) => ({ id, name, within: domain.name }));
    }),
  );
  return pages.flat();
}
