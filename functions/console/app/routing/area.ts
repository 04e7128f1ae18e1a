import type { Area } from '../shell/area.ts';

/** Rules, gateways, tags and maintenance. */
export const routing: Area = {
  screens: [
    {
      segment: 'why',
      title: 'why_title',
      section: 'section_routing',
      permissions: ['rules.explain', 'rules.read'],
      load: async () => (await import('./why/why-page.tsx')).WhyPage,
    },
    {
      segment: 'calendar',
      title: 'calendar_title',
      section: 'section_maintenance',
      permissions: ['maintenance.read'],
      load: async () => (await import('./calendar/calendar-page.tsx')).CalendarPage,
    },
  ],
  extensions: {
    rule: async () => (await import('./rules/rule-extension.ts')).rule,
    gateway: async () => (await import('./gateways/gateway-extension.ts')).gateway,
    maintenance_template: async () => (await import('./templates/template-extension.ts')).template,
    tag: async () => (await import('./tags/tag-extensions.ts')).tag,
    authenticator: async () => (await import('./tags/tag-extensions.ts')).tagged,
    portal: async () => (await import('./tags/tag-extensions.ts')).tagged,
    user: async () => (await import('./why/user-extension.tsx')).userWhy,
    priority_group: async () => (await import('./groups/group-extension.ts')).priorityGroup,
  },
};
