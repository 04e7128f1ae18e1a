import { isUniqueViolation, raisedByMust } from '../../../db/errors.ts';
import { findDomain } from '../../../db/repositories/identity/authenticators.ts';
import { mustBeUnbound } from '../../../db/repositories/identity/directory/users.ts';
import { powerOver } from '../../../shared/context/privileges.ts';
import { writableOf } from '../../../shared/http/records/kind.ts';
import { changeRecord, type Extras } from '../../../shared/http/records/writes.ts';
import type { Answer } from '../../../shared/http/serve/answer.ts';
import { domainTypeOf } from '../../../shared/identity/domains/registry.ts';
import { type AppError, conflict, invalid, notFound } from '../../../shared/kernel/errors.ts';
import type { WebuiCtx } from '../deps.ts';
import type { Person } from './bind-schema.ts';
import { userCrud } from './record.ts';

const { kind } = userCrud;
type Row = Awaited<ReturnType<typeof kind.records.create>>;

/** The identifiers of a person, the preferred one first, and the issuer that vouches for them: empty for a directory. */
type Identity = { directoryIds: readonly [string, ...string[]]; authority: string };

/**
 * Binds a user to a person outside of the portal: to the directory entry with the same name, or to a person at the identity
 * provider. From then on the immutable identifier of the person identifies the user, even if the person is renamed.
 * @param at `parent` is the domain that the user must belong to
 * @param person the person at the identity provider; undefined for a directory
 * @throws AppError `not_found`, `invalid_request` for a person that the domain cannot have, `invalid_state` with the reason,
 *   `forbidden`, directory errors
 */
export function bindUser(
  ctx: WebuiCtx,
  at: { id: string; parent?: string },
  person: Person | undefined,
): Promise<Answer> {
  const power = powerOver(ctx, [{ user: at.id }]);
  return changeRecord(ctx, kind, { ...at, conditions: {} }, async (row) => {
    if (row.directory_id !== null) throw refusals.bound();
    if (row.kind === 'service') throw conflict('service', 'A service user does not sign in');
    const identity = await identityOf(ctx, row, person);
    return {
      body: { ...writableOf(kind, row), password: null },
      ...changeTo(identity),
      explained: (batch) => power.explained(() => batch().catch(explain)),
      before: (h) => [...power.before(h), ...mustBeUnbound(h, row, identity)],
    };
  });
}

function changeTo({ directoryIds: [directory_id], authority }: Identity): Extras {
  return {
    columns: { password: undefined, directory_id, directory_authority: authority },
    changes: [
      { field: 'directory_id', before: null, after: directory_id },
      ...(authority === '' ? [] : [{ field: 'directory_authority', before: '', after: authority }]),
    ],
  };
}

const refusals = {
  bound: () => conflict('bound', 'The user is already bound to a person'),
  entry_in_use: () => conflict('entry_in_use', 'Another user of the domain is bound to this person'),
};

/** A concurrent binding to the same person fails by the index. */
function explain(error: unknown): never {
  const reason = isUniqueViolation(error) ? 'entry_in_use' : raisedByMust(error)?.reason;
  throw reason === 'bound' || reason === 'entry_in_use' ? refusals[reason]() : error;
}

async function identityOf(
  ctx: WebuiCtx,
  { authenticator_id, name }: Row,
  person: Person | undefined,
): Promise<Identity> {
  const domain = await findDomain(ctx.deps.db, authenticator_id);
  if (!domain) throw notFound();
  const { binding } = domainTypeOf(domain.type);
  if (!binding) throw conflict('no_directory', 'The domain of the user has no directory');
  if (binding.by === 'name') {
    if (person) throw notByName();
    return { directoryIds: await binding.identifiersOf(ctx.deps, domain, name), authority: '' };
  }
  if (!person) throw required('/subject');
  const tenant = tenantOf(person, binding.tenantsOf(domain.params));
  return { directoryIds: [person.subject], authority: binding.issuerOf(domain.params, tenant) };
}

const required = (pointer: string): AppError =>
  invalid({ pointer, code: 'required', detail: 'The identity provider requires this member' });

const notByName = (): AppError =>
  invalid({
    pointer: '/subject',
    code: 'not_allowed',
    detail: 'The portal finds the directory entry by the name of the user',
  });

/** A domain with a single tenant needs no choice. @throws AppError `invalid_request` */
function tenantOf({ tenant }: Person, allowed: readonly string[]): string | undefined {
  if (tenant === undefined && allowed.length > 1) throw required('/tenant');
  if (tenant === undefined) return allowed[0];
  const known = allowed.find((one) => one.toLowerCase() === tenant.toLowerCase());
  if (known !== undefined) return known;
  throw invalid({ pointer: '/tenant', code: 'not_allowed', detail: 'The domain does not allow this tenant' });
}
