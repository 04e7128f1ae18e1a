import { factsOf, type PublicPageFacts } from '../../../shared/web/client/facts.ts';
import type { SignedInUser } from './user.ts';

/** What the server writes into the sign-in page. */
export type SignInFacts = PublicPageFacts & {
  /** Domains of the form. */
  domains: { id: string; name: string }[];
  /** Domains whose users sign in at an identity provider, with the domains of their e-mail addresses. */
  providers: { id: string; name: string; emails: readonly string[] }[];
  /** A second factor is needed after a provider, or the session was ended. */
  step?: 'choose' | 'factor' | 'signed_out';
  /** True if a domain of the portal has passkeys. */
  passkeys?: boolean;
  /** Texts and picture of the branding; empty if not set. */
  login_text: string;
  login_background: string;
  /** The page of this portal that redirected here. */
  next?: string;
  /** Present if the browser has a session. */
  user?: SignedInUser;
};

export const facts = factsOf<SignInFacts>();
