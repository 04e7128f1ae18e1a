import type { Area } from '../shell/area.ts';

/** Domains, users, roles, sessions and tokens. */
export const access: Area = {
  screens: [
    {
      segment: 'role-matrix',
      title: 'roles_matrix_title',
      section: 'section_access',
      after: 'role',
      permissions: ['roles.read'],
      load: async () => (await import('./roles/matrix/matrix-page.tsx')).RoleMatrixPage,
    },
  ],
  extensions: {
    authenticator: async () => (await import('./domains/extension.ts')).domainExtension,
    group: async () => (await import('./domains/extension.ts')).groupExtension,
    user: async () => (await import('./user/extension.ts')).userExtension,
    role: async () => (await import('./roles/extension.ts')).roleExtension,
    portalUser: async () => (await import('./lists/extensions.ts')).portalUserExtension,
    loginSession: async () => (await import('./lists/extensions.ts')).loginSessionExtension,
    lockOut: async () => (await import('./lists/extensions.ts')).lockOutExtension,
    issuedToken: async () => (await import('./lists/extensions.ts')).issuedTokenExtension,
  },
};
