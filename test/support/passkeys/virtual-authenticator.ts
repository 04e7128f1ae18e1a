import type { Tab } from '../../e2e/support/browser.ts';

type Page = Tab['page'];
type Session = Awaited<ReturnType<ReturnType<Page['context']>['newCDPSession']>>;

/** The authenticator of Chromium for tests, in the device of the page. It verifies its user without a question. */
export type VirtualAuthenticator = {
  session: Session;
  id: string;
  credentials(): Promise<VirtualCredential[]>;
  /** Replaces the credentials by these, such as copies with another counter. */
  put(credentials: readonly VirtualCredential[]): Promise<void>;
  /** False: the user is present, but does not unlock the device. */
  verifyUser(isVerified: boolean): Promise<void>;
  /** True: the user touches the device as soon as a page asks. */
  simulatePresence(enabled: boolean): Promise<void>;
};

type VirtualCredential = {
  credentialId: string;
  isResidentCredential: boolean;
  rpId?: string;
  privateKey: string;
  userHandle?: string;
  signCount: number;
};

export async function addVirtualAuthenticator(page: Page): Promise<VirtualAuthenticator> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable', { enableUI: false });
  const { authenticatorId: id } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      ctap2Version: 'ctap2_1',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  const at = { authenticatorId: id };
  return {
    session,
    id,
    credentials: () => credentialsOf(session, id),
    put: async (credentials) => {
      await session.send('WebAuthn.clearCredentials', at);
      for (const credential of credentials)
        await session.send('WebAuthn.addCredential', { ...at, credential });
    },
    verifyUser: async (isUserVerified) => {
      await session.send('WebAuthn.setUserVerified', { ...at, isUserVerified });
    },
    simulatePresence: async (enabled) => {
      await session.send('WebAuthn.setAutomaticPresenceSimulation', { ...at, enabled });
    },
  };
}

const credentialsOf = async (session: Session, authenticatorId: string): Promise<VirtualCredential[]> =>
  (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials;
