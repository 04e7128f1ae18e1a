import type { Principal } from '../../context/principal.ts';
import { isLanguage, type Language, languageOf } from '../../messages/languages.ts';

type Reader = {
  principal?: Principal | undefined;
  /** The header Accept-Language as sent. */
  accepted: string;
  /** The system parameter `ui.default_language`. */
  fallback: string;
};

/**
 * Returns the language of a response: that of the login (`locale`), otherwise that of the user, otherwise the preferred
 * one of Accept-Language, otherwise the default of the installation.
 */
export function languageFor({ principal, accepted, fallback }: Reader): Language {
  const own = principal?.kind === 'user' ? [languageOf(principal.locale ?? ''), principal.user.language] : [];
  const account = principal?.kind === 'service_token' ? [principal.user.language] : [];
  const wishes = [...own, ...account, languageOf(accepted), fallback];
  return wishes.find(isLanguage) ?? 'en';
}
