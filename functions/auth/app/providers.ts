import { parseHost } from '../../../shared/kernel/addresses/hosts.ts';
import { facts } from './facts.ts';

/**
 * The address that starts a sign-in at the provider of a domain.
 * @param login proposed to the provider
 */
export const startAddressOf = (id: string, login?: string): string =>
  `/api/auth/v7.0/oidc/${id}/start?${new URLSearchParams({
    language: facts.language,
    ...(facts.next && { next: facts.next }),
    ...(login && { login_hint: login }),
  })}`;

/** The domain of an e-mail address, if its users sign in at a provider. */
export function providerOfAddress(login: string): string | undefined {
  const at = login.lastIndexOf('@');
  const host = parseHost(login.slice(at + 1));
  if (at < 1 || host === undefined) return undefined;
  return facts.providers.find(({ emails }) => emails.includes(host))?.id;
}
