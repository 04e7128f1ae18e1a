import type { Principal } from '../../context/principal.ts';
import { isLanguage, type Language, languageOf } from '../../messages/languages.ts';

type Reader = {
  principal?: Principal | undefined;
  /** The header Accept-Language as it came. */
  accepted: string;
  /** The system parameter `ui.default_language`. */
  fallback: string;
};

/**
 * The language of an answer: that of the login (`locale`), else that of the user, else the most wanted one of
 * Accept-Language, else the default of the installation.
 */
export function languageFor({ principal, accepted, fallback }: Reader): Language {
  const own = principal?.kind === 'user' ? [languageOf(principal.locale ?? ''), principal.user.language] : [];
  const account = principal?.kind === 'service_token' ? [principal.user.language] : [];
  const wishes = [...own, ...account, languageOf(accepted), fallback];
  return wishes.find(isLanguage) ?? 'en';
}
