import type { Area } from '../shell/area.ts';

/** Domains, users, roles, sessions and tokens. */
export const access: Area = {
  extensions: {
    authenticator: async () => (await import('./domains/extension.ts')).domainExtension,
    group: async () => (await import('./domains/extension.ts')).groupExtension,
    user: async () => (await import('./user/extension.ts')).userExtension,
    portalUser: async () => (await import('./lists/extensions.ts')).portalUserExtension,
    loginSession: async () => (await import('./lists/extensions.ts')).loginSessionExtension,
    lockOut: async () => (await import('./lists/extensions.ts')).lockOutExtension,
    issuedToken: async () => (await import('./lists/extensions.ts')).issuedTokenExtension,
  },
};
