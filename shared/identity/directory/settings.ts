import type { Db } from '../../../db/client.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Sealer } from '../../kernel/crypto/sealing.ts';
import { AppError } from '../../kernel/errors.ts';
import type { Directory, DirectoryRemote, DirectorySession } from '../../remotes/directory/port.ts';
import type { DirectoryParams, DomainType, TypedParams } from '../domains/catalogue.ts';
import { readParams } from '../domains/checks.ts';
import { bindGate } from './bind-gate.ts';

/** A list may take longer than a login: as long as the longest time limit of a directory, and a wait before it. */
export const listingMs = 45_000;

/** A directory domain as stored: its parameters, and its secret as it is sealed. */
export type StoredDirectory = {
  id: string;
  type: DomainType;
  params: Record<string, unknown>;
  sealedPassword: string | null;
};

/** @throws Error for stored parameters that are none; a write would have refused them */
export function paramsOf({ type, params }: Pick<StoredDirectory, 'type' | 'params'>): TypedParams {
  const { bind_password: _, bind_password_set: __, ...given } = params;
  const { directory } = readParams(type, given);
  if (!directory) throw new Error(`a domain of type ${type} has no parameters of a directory`);
  return { ...directory, type };
}

type Row = Pick<StoredDirectory, 'id' | 'type' | 'params'> & { name: string; sealed_password: string | null };

export type DirectoryDeps = { db: Db; sealer: Sealer; clock: Clock; directories: DirectoryRemote };

/**
 * Works in the directory of a stored domain.
 * @param requestMs bounds the wait for a connection and the work; that of a login unless given
 * @throws AppError those of the directory
 */
export async function withinDirectory<T>(
  deps: DirectoryDeps,
  { id, name, type, params: given, sealed_password }: Row,
  work: (session: DirectorySession, params: TypedParams) => Promise<T>,
  requestMs?: number,
): Promise<T> {
  const params = paramsOf({ type, params: given });
  const directory = await directoryOf(deps.sealer, { id, sealedPassword: sealed_password }, params);
  const gate = directory.account && bindGate(deps, { id, name }, directory);
  const kept = { ...directory, domain: id, ...(gate && { gate }) };
  return deps.directories.within(kept, (session) => work(session, params), requestMs);
}

/** @returns the directory of a stored domain, its secret opened */
export async function directoryOf(
  sealer: Sealer,
  { id, sealedPassword }: Pick<StoredDirectory, 'id' | 'sealedPassword'>,
  params: DirectoryParams,
): Promise<Directory> {
  const place = { table: 'authenticators', row: id, column: 'params.bind_password' };
  const password = sealedPassword === null ? null : await sealer.open(sealedPassword, place);
  return reachedBy(params, password);
}

/** @throws AppError `upstream_refused` for an account without a password: a server would take it for anonymous */
export function reachedBy(params: DirectoryParams, password: string | null): Directory {
  const { hosts, start_tls, ca_certificate, bind_dn, timeout_s, page_size } = params;
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
  };
}
