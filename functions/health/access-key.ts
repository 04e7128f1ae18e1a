import { sameText } from '../../shared/kernel/crypto/digests.ts';
import { AppError } from '../../shared/kernel/errors.ts';
import { message } from '../../shared/messages/message.ts';

/** The key of one endpoint. Without a value, every request is rejected. */
export type AccessKey = { value: string | undefined; variable: string };

/**
 * Requires `Authorization: Token <key>`. The comparison takes constant time.
 * @throws AppError `unauthenticated` without such a header, `invalid_token` for any other key
 */
export function requireKey(authorization: string | null, { value, variable }: AccessKey): void {
  const presented = /^token +(\S+) *$/i.exec(authorization ?? '')?.[1];
  const isSame = sameText(presented ?? '', value ?? '');
  if (presented === undefined)
    throw new AppError(
      'unauthenticated',
      message('Send the header `Authorization: Token <key>` with the value of {variable} as key', {
        variable,
      }),
    );
  if (!isSame || !value)
    throw new AppError(
      'invalid_token',
      message('The key in the header Authorization is not the value of {variable}', { variable }),
    );
}
