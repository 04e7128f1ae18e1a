import { AppError } from '../../kernel/errors.ts';
import { foldName } from '../../kernel/text.ts';
import type { SubjectNames } from '../../remotes/kerberos/card.ts';
import { nameTypes, type Principal, spelled } from '../../remotes/kerberos/names.ts';
import type { Realm } from '../domains/domain-type.ts';

/** The identity on a card: the principal for the KDC, and the user name in the portal. */
export type CardName = { principal: Principal; username: string; upn: string | undefined };

/**
 * Chooses the identity for the KDC request.
 * @param requestedName user name, principal or UPN of the user; default: the first name of the card
 * @throws AppError `certificate_mismatch` if the certificate contains no name of the realm, or not the wanted one
 */
export function chooseName(names: SubjectNames, realm: Realm, requestedName: string | undefined): CardName {
  const found = namesOf(names, realm).find(
    (name) => requestedName === undefined || isNamed(name, requestedName),
  );
  if (!found) throw new AppError('certificate_mismatch');
  return found;
}

function namesOf({ principals, upns }: SubjectNames, realm: Realm): CardName[] {
  const byPrincipal = principals.flatMap((principal) => {
    const [username, ...others] = principal.parts;
    // `host/server` and `alice/admin` are not users of the portal: their first part would match another user.
    const isUser = principal.realm === realm.name && others.length === 0 && username;
    return isUser ? [asUser(username, realm, undefined)] : [];
  });
  const byUpn = upns.flatMap((upn) => fromUpn(upn, realm) ?? []);
  return realm.resolvesUpns ? [...byUpn, ...byPrincipal] : [...byPrincipal, ...byUpn];
}

/** Only KDCs of Active Directory resolve a UPN with another suffix (RFC 6806, 5). */
function fromUpn(upn: string, realm: Realm): CardName | undefined {
  const at = upn.lastIndexOf('@');
  const [user, suffix] = [upn.slice(0, at), upn.slice(at + 1)];
  if (at < 1 || suffix === '') return undefined;
  if (suffix.toLowerCase() === realm.name.toLowerCase()) return asUser(user, realm, upn);
  const principal = { type: nameTypes.enterprise, parts: [upn], realm: realm.name };
  return realm.resolvesUpns ? { principal, username: upn, upn } : undefined;
}

const asUser = (username: string, realm: Realm, upn: string | undefined): CardName => ({
  principal: { type: nameTypes.principal, parts: [username], realm: realm.name },
  username,
  upn,
});

const isNamed = ({ principal, username, upn }: CardName, requestedName: string): boolean =>
  [username, spelled(principal), upn ?? username].some((name) => foldName(name) === foldName(requestedName));
