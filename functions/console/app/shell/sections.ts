import type { ConsoleText } from '../texts.ts';

/** A group of the navigation: a title and the kinds of records in it. */
export type Section = { title: ConsoleText; kinds: readonly string[] };

/** Where kinds are in the navigation. A kind that is not named here is in the last section. */
export const sections: readonly Section[] = [
  { title: 'section_work', kinds: ['servicespool', 'workplace', 'spsession'] },
  { title: 'section_installation', kinds: ['site', 'farm', 'dispatcher', 'gateway', 'portal'] },
  { title: 'section_routing', kinds: ['rule', 'picture', 'priority_group', 'tag'] },
  { title: 'section_maintenance', kinds: ['maintenance_template'] },
  {
    title: 'section_access',
    kinds: ['authenticator', 'portalUser', 'role', 'loginSession', 'issuedToken', 'lockOut'],
  },
  { title: 'section_journal', kinds: ['audit', 'monitoring_record'] },
  { title: 'section_settings', kinds: ['webhook'] },
  { title: 'section_further', kinds: [] },
];
