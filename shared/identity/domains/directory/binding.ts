import { conflict } from '../../../kernel/errors.ts';
import { exactly } from '../../login/user-names.ts';
import type { DomainDeps, StoredDomain } from '../domain-type.ts';
import { withinDirectory } from './connection.ts';
import { findPerson, findPersonById } from './entries/people.ts';
import { withIdentifier } from './login/account.ts';
import type { PersonWithId } from './login/identity.ts';
import type { DirectoryVariant } from './variant.ts';

/**
 * The immutable identifiers of the entry with a login name.
 * @throws AppError `invalid_state` with the reason `no_entry`, `upstream_failed` for an ambiguous identifier, errors of
 *   the directory
 */
export function identifiersFor(
  variant: DirectoryVariant,
  deps: DomainDeps,
  domain: StoredDomain,
  name: string,
): Promise<PersonWithId['ids']> {
  const searchedName = { name: exactly(name).typed, typed: name };
  return withinDirectory(deps, variant, domain, async (session, params) => {
    const person = await findPerson(session, params, searchedName);
    if (!person)
      throw conflict(
        'no_entry',
        'The directory has no entry with this name that is allowed to log in, or several',
      );
    const { ids } = withIdentifier(person);
    await findPersonById(session, params, ids[0]);
    return ids;
  });
}
