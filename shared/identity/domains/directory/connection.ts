import type { Sealer } from '../../../kernel/crypto/sealing.ts';
import { AppError } from '../../../kernel/errors.ts';
import type { Directory, DirectorySession } from '../../../remotes/directory/port.ts';
import type { DomainDeps, Settings, StoredDomain } from '../domain-type.ts';
import { assertSameDirectory, identityOf } from './authority.ts';
import { bindGate } from './bind-gate.ts';
import type { DirectoryParams, DirectoryVariant, TypedParams } from './variant.ts';

/** Time limit of a list, longer than that of a login: the longest time limit of a directory and a preceding wait. */
export const listingMs = 45_000;

/** @throws Error for stored settings that do not match the type; a write would have refused them */
function paramsOf(variant: DirectoryVariant, params: Settings): TypedParams {
  const { bind_password: _, bind_password_set: __, ...settings } = params;
  const { data } = variant.shape.safeParse(settings);
  if (!data) throw new Error('the stored settings of a directory cannot be read');
  return { ...(data as DirectoryParams), variant };
}

/**
 * Runs `work` with a connection to the directory of a stored domain.
 * @param requestMs limit in milliseconds for the wait for a connection and the work; default: that of a login
 * @throws AppError errors of the directory; `upstream_refused` with the reason `other_directory`
 */
export async function withinDirectory<T>(
  deps: DomainDeps,
  variant: DirectoryVariant,
  domain: Omit<StoredDomain, 'small_name'>,
  work: (session: DirectorySession, params: TypedParams) => Promise<T>,
  requestMs?: number,
): Promise<T> {
  const { id, name, secrets } = domain;
  const params = paramsOf(variant, domain.params);
  const directory = await directoryOf(
    deps.sealer,
    { id, sealedPassword: secrets.bind_password ?? null },
    params,
  );
  const gate = directory.account && bindGate(deps, { id, name }, directory);
  const pooled = { ...directory, domain: id, ...(gate && { gate }) };
  const sameDirectory = async (session: DirectorySession): Promise<T> => {
    await assertSameDirectory(deps, domain, session.authority);
    return work(session, params);
  };
  return deps.directories.within(pooled, sameDirectory, requestMs);
}

/** @returns the directory of a stored domain with its decrypted password */
export async function directoryOf(
  sealer: Sealer,
  { id, sealedPassword }: { id: string; sealedPassword: string | null },
  params: DirectoryParams,
): Promise<Directory> {
  const place = { table: 'authenticators', row: id, column: 'params.bind_password' };
  const password = sealedPassword === null ? null : await sealer.open(sealedPassword, place);
  return reachedBy(params, password);
}

/** @throws AppError `upstream_refused` for an account without a password: a server would treat the bind as anonymous */
export function reachedBy(params: DirectoryParams, password: string | null): Directory {
  const { hosts, start_tls, ca_certificate, bind_dn, base_dn, timeout_s, page_size } = params;
  if (bind_dn !== '' && !password)
    throw new AppError('upstream_refused', 'The search account of the directory has no password', {
      reason: 'account',
    });
  return {
    hosts,
    startTls: start_tls,
    ca: ca_certificate ?? undefined,
    account: bind_dn !== '' && password ? { dn: bind_dn, password } : undefined,
    timeoutMs: timeout_s * 1_000,
    pageSize: page_size,
    identity: identityOf(base_dn),
  };
}
