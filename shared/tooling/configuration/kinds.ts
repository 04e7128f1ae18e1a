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
import { Attributes, Owner, RuleImage } from './own-members.ts';

/** The sections of a configuration file whose entries are records of the portal. */
export const sections = [
  ...(['tags', 'maintenance_templates', 'authenticators', 'groups', 'sites', 'roles'] as const),
  ...(['farms', 'dispatchers', 'priority_groups', 'rules', 'gateways'] as const),
] as const;
export type Section = (typeof sections)[number];

/** What members refer to: records, users (which a file does not hold), and the pictures of the file. */
export type Target = Section | 'users' | 'images';

/** A member that holds the id of another object in the API and its name in a file; `*` stands for every element. */
export type Reference = { path: readonly string[]; to: Target };

export type Kind = {
  section: Section;
  type: ResourceType;
  /** The members of an entry, with ids in the place of names: what the API takes, and what is written by other operations. */
  shape: z.ZodObject;
  references: readonly Reference[];
  /** Paths of members that are never read back. */
  secrets: readonly (readonly string[])[];
  /** Members of the shape that are no members of the body of the API. */
  beside: readonly string[];
  /** The name of the identifier in the paths of operations. */
  idParam: 'id' | 'uuid';
  /** A member whose value no other record of the kind may have, and a value that gives it up for a moment. */
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

/** In the order in which they are created: an entry mostly refers to earlier sections. */
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
    { secrets: [['health_key']] },
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
    // Without members it keeps no farm in its site.
    { yields: (token) => ({ members: [], match_tags: { any: [token], all: [] } }) },
  ),
  gateways: kind('gateways', 'gateway', GatewayWrite, { 'sites.*': 'sites' }),
};
