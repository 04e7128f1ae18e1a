import type { Sealer } from '../../../kernel/crypto/sealing.ts';

/** What a test sign-in has shown, with texts in the language of the administrator. */
export type SignInTestResult = {
  /** The person could have signed in. */
  admitted: boolean;
  /** Why not: reason of the remote, or of the account. */
  reason: string | null;
  detail: string;
  /** What an administrator can change. */
  remedy: string | null;
  /** What was asked when it failed, and what was expected and found: as in the audit. */
  facts: Record<string, string>;
  /** Claims of the ID token and the userinfo endpoint by name, as JSON. Null if there was no valid ID token. */
  claims: Record<string, string> | null;
  person: {
    subject: string;
    issuer: string;
    login_name: string;
    /** Names of the registered groups among those that the provider has sent. */
    groups: string[];
    groups_sent: number;
    second_factor: boolean;
    /** The person has an account here. */
    is_known: boolean;
  } | null;
};

/** Seconds for which a test and its result are kept. */
export const testLifeS = 600;

const placeOf = (row: string) => ({ table: 'sign_in_tests', row, column: 'sealed_result' });

export const sealResult = (sealer: Sealer, id: string, result: SignInTestResult): Promise<string> =>
  sealer.seal(JSON.stringify(result), placeOf(id));

export const openResult = async (sealer: Sealer, id: string, sealed: string): Promise<SignInTestResult> =>
  JSON.parse(await sealer.open(sealed, placeOf(id)));
