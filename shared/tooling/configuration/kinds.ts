import type { z } from 'zod';
import { AuthenticatorWrite } from '../../../functions/webui/authenticators/schema.ts';
import { DispatcherWrite } from '../../../functions/webui/dispatchers/schema.ts';
import { FarmWrite } from '../../../functions/webui/farms/schema.ts';
import { GatewayWrite } from '../../../functions/webui/gateways/schema.ts';
import { GroupWrite } from '../../../functions/webui/groups/schema.ts';
import { MaintenanceTemplateWrite } from '../../../functions/webui/maintenance/schema.ts';
import { PriorityGroupWrite } from '../../../functions/webui/priority-groups/schema.ts';
import { RoleWrite } from '../../../functions/webui/roles/schema.ts';
import { RuleWrite } from '../../../functions/webui/rules/schema.ts';
import { SiteWrite } from '../../../functions/webui/sites/schema.ts';
import { TagWrite } from '../../../functions/webui/tags/schema.ts';
import { secretNames } from '../../identity/domains/settings.ts';
import type { ResourceType } from '../../resources.ts';
import { Attributes, Owner, RuleImage } from './file-only-members.ts';

/** Sections of a configuration file whose entries are records of the portal. */
export const sections = [
  ...(['tags', 'maintenance_templates', 'authenticators', 'groups', 'sites', 'roles'] as const),
  ...(['farms', 'dispatchers', 'priority_groups', 'rules', 'gateways'] as const),
] as const;
export type Section = (typeof sections)[number];

/** Targets of references: records, users (which are not part of a file), and pictures of the file. */
export type Target = Section | 'users' | 'images';

/** A member with the id of another object in the API, and its name in the file; `*` matches every element. */
type Reference = { path: readonly string[]; to: Target };

export type Kind = {
  section: Section;
  type: ResourceType;
  /** The members of an entry with ids: those of the API body, and members written by other operations. */
  shape: z.ZodObject;
  references: readonly Reference[];
  /** Paths of write-only members. */
  secrets: readonly (readonly string[])[];
  /** Members of `shape` that are not part of the API body. */
  beside: readonly string[];
  /** Name of the path parameter of the id. */
  idParam: 'id' | 'uuid';
  /** Returns a temporary value for a unique member, so that two records can swap values. */
  yields?: (token: string) => Record<string, unknown>;
};

const kind = (
  section: Section,
  type: ResourceType,
  shape: z.ZodObject,
  references: Record<string, Target> = {},
  more: Partial<Kind> = {},
): Kind => ({
  section,
  type,
  shape,
  references: Object.entries(references).map(([path, to]) => ({ path: path.split('.'), to })),
  secrets: [],
  beside: [],
  idParam: 'id',
  ...more,
});

const audience = { 'users.*': 'users', 'groups.*': 'groups' } as const;
const windowed = { maintenance_template_id: 'maintenance_templates' } as const;

/** In the order of creation: most references are to earlier sections. */
export const kinds: Readonly<Record<Section, Kind>> = {
  tags: kind('tags', 'tag', TagWrite),
  maintenance_templates: kind('maintenance_templates', 'maintenance_template', MaintenanceTemplateWrite),
  authenticators: kind(
    'authenticators',
    'authenticator',
    AuthenticatorWrite.extend({ attributes: Attributes }),
    {},
    {
      secrets: secretNames.map((name) => ['params', name]),
      beside: ['attributes'],
      idParam: 'uuid',
      yields: (token) => ({ small_name: token }),
    },
  ),
  groups: kind(
    'groups',
    'group',
    Owner.extend(GroupWrite.shape),
    { authenticator_id: 'authenticators', 'groups.*': 'groups' },
    { beside: ['authenticator_id'], idParam: 'uuid' },
  ),
  sites: kind(
    'sites',
    'site',
    SiteWrite,
    { ...windowed, 'authenticators.*': 'authenticators', ...audience },
    { yields: (token) => ({ uri: token }) },
  ),
  roles: kind('roles', 'role', RoleWrite, { 'scope.sites.*': 'sites' }),
  farms: kind('farms', 'farm', FarmWrite, { site_id: 'sites', ...windowed }),
  dispatchers: kind(
    'dispatchers',
    'dispatcher',
    DispatcherWrite,
    { farm_id: 'farms' },
    { secrets: [['health_key'], ['account_password']] },
  ),
  priority_groups: kind('priority_groups', 'priority_group', PriorityGroupWrite, {
    'farms.*.farm_id': 'farms',
    ...audience,
  }),
  rules: kind(
    'rules',
    'rule',
    RuleWrite.omit({ image: true }).extend({ image_id: RuleImage }),
    { site_id: 'sites', image_id: 'images', 'members.*.farm_id': 'farms', ...audience },
    // A rule without members does not bind farms to its site.
    { yields: (token) => ({ members: [], match_tags: { any: [token], all: [] } }) },
  ),
  gateways: kind('gateways', 'gateway', GatewayWrite, { 'sites.*': 'sites' }),
};
