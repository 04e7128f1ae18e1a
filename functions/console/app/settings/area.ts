import { may } from '../facts.ts';
import type { Area, ScreenEntry } from '../shell/area.ts';

const certificates: ScreenEntry = {
  segment: 'certificates',
  title: 'certificates_page',
  section: 'section_installation',
  permissions: [],
  load: async () => (await import('./certificates/page.tsx')).CertificatesPage,
};

/** The page shows the certificates of the objects that the user may read. */
const mayReadCertificates = ['dispatchers.read', 'authenticators.read', 'peers.read', 'webhooks.read'].some(
  (permission) => may([permission]),
);

/** System parameters, appearance, certificates and the nodes of the portal. */
export const settings: Area = {
  screens: [
    {
      segment: 'parameters',
      title: 'parameters',
      section: 'section_settings',
      permissions: ['system_parameters.read'],
      load: async () => (await import('./parameters/page.tsx')).ParametersPage,
    },
    {
      segment: 'theme',
      title: 'theme',
      section: 'section_settings',
      permissions: ['themes.update'],
      load: async () => (await import('./theme/page.tsx')).ThemePage,
    },
    ...(mayReadCertificates ? [certificates] : []),
  ],
  extensions: {
    portal: async () => (await import('./portals/extension.ts')).portals,
  },
};
