import { factsOf, type PublicPageFacts } from '../../../shared/web/client/facts.ts';
import type { SignedInUser } from './user.ts';

/** What the server writes into the sign-in page. */
export type SignInFacts = PublicPageFacts & {
  /** Domains of the form. */
  domains: { id: string; name: string }[];
  /** Texts and picture of the branding; empty if not set. */
  login_text: string;
  login_background: string;
  /** The page of this portal that redirected here. */
  next?: string;
  /** Present if the browser has a session. */
  user?: SignedInUser;
};

export const facts = factsOf<SignInFacts>();
