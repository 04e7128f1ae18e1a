import { authenticators } from '../../../db/repositories/identity/authenticators.ts';
import { crud } from '../../../shared/http/records/crud.ts';
import { base } from '../deps.ts';
import { Authenticator, AuthenticatorWrite, authenticatorFilters } from './schema.ts';

/** Writing a domain decides who may log in, so its writes are use cases. */
export const authenticatorCrud = crud({
  type: 'authenticator',
  path: `${base}/authenticators`,
  records: authenticators,
  view: Authenticator,
  write: AuthenticatorWrite,
  folds: { name_key: 'name', small_name_key: 'small_name' },
  immutable: ['type'],
  idParam: 'uuid',
  filters: authenticatorFilters,
  sorts: ['name', 'small_name', 'priority', 'created_at'],
  verbs: ['list', 'get'],
});
