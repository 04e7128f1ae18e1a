import { sameText } from '../../shared/kernel/digests.ts';
import { AppError } from '../../shared/kernel/errors.ts';

/**
 * Demands `Authorization: Token <key>`; how long it takes tells nothing about the key. A key that is not configured
 * refuses everything.
 * @throws AppError `unauthenticated` without such a header, `invalid_token` for any other key
 */
export function demandKey(authorization: string | null, key: string | undefined): void {
  const given = /^token +(\S+) *$/i.exec(authorization ?? '')?.[1];
  const isSame = sameText(given ?? '', key ?? '');
  if (given === undefined)
    throw new AppError('unauthenticated', 'The header Authorization with `Token <access key>` is required');
  if (!isSame || !key) throw new AppError('invalid_token', 'The access key is not valid here');
}
