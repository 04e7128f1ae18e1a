import { may } from '../facts.ts';
import type { Area, ScreenEntry } from '../shell/area.ts';
import { exportables } from './exports/exportable.ts';

const exports: ScreenEntry = {
  segment: 'exports',
  title: 'exports',
  section: 'section_journal',
  permissions: [],
  load: async () => (await import('./exports/page.tsx')).ExportsPage,
};

/** Each list has a permission of its own for exports; one of them is enough for the page. */
const mayExport = Object.values(exportables).some(({ permission }) => may([permission]));

/** Audit log, monitoring journal and exports. */
export const journal: Area = {
  screens: [
    {
      segment: 'audit_chain',
      title: 'audit_chain',
      section: 'section_journal',
      permissions: ['audit.read'],
      load: async () => (await import('./audit/chain/page.tsx')).ChainPage,
    },
    ...(mayExport ? [exports] : []),
  ],
  extensions: {
    audit: async () => (await import('./audit/extension.ts')).audit,
    monitoring_record: async () => (await import('./monitoring/extension.ts')).monitoring,
  },
};
