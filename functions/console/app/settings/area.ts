import type { Area } from '../shell/area.ts';

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
    {
      segment: 'certificates',
      title: 'certificates_page',
      section: 'section_installation',
      permissions: ['dispatchers.read'],
      load: async () => (await import('./certificates/page.tsx')).CertificatesPage,
    },
  ],
  extensions: {
    portal: async () => (await import('./portals/extension.ts')).portals,
  },
};
