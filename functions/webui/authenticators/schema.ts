import { z } from 'zod';
import { explainedTypeNames } from '../../../shared/identity/domains/descriptions.ts';
import { shapesOf } from '../../../shared/identity/domains/fields.ts';
import { field } from '../../../shared/identity/domains/form-texts.ts';
import { domainTypeNames, domainTypeOf } from '../../../shared/identity/domains/registry.ts';
import {
  Comments,
  CreatedAt,
  Id,
  Moment,
  Name,
  Priority,
  TagNames,
  UpdatedAt,
} from '../../../shared/shapes/fields.ts';

const states = {
  visible: 'Visible',
  hidden: 'Hidden (not on the sign-in page)',
  disabled: 'Disabled',
} as const;
const subjects = { all: 'All users', users: 'Users without a role', staff: 'Users with a role' } as const;
const keysOf = <K extends string>(words: Record<K, string>) => Object.keys(words) as [K, ...K[]];
const DomainState = z.enum(keysOf(states));
const DomainType = z.enum(domainTypeNames);
const SmallName = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'Must contain only letters, digits, hyphens and underscores')
  .meta({ maxLength: 64, example: 'corp' })
  .describe('Short label of the domain, unique. Dispatchers identify the domain by this label.');

/** The common fields of all domains, in the order of their form. */
export const ownFields = {
  name: field(Name.describe('Name of the domain, unique regardless of case. Shown on the sign-in page.'), {
    type: 'text',
    label: 'Name',
    tooltip: 'Shown on the sign-in page',
  }),
  small_name: field(SmallName, {
    type: 'text',
    label: 'Label',
    tooltip: 'Label that identifies the domain on dispatchers',
  }),
  type: field(
    DomainType.describe(`Type of the domain: ${explainedTypeNames}. Cannot be changed after creation.`),
    {
      type: 'choice',
      label: 'Type',
      tooltip: 'Cannot be changed after creation',
      readonly: true,
    },
  ),
  comments: field(Comments, { type: 'textarea', label: 'Comments', tooltip: 'Notes for administrators' }),
  priority: field(Priority.describe('Position in the domain list. Lower numbers come first. Default 1.'), {
    type: 'numeric',
    label: 'Priority',
    tooltip: 'Domains with lower numbers are listed first',
  }),
  state: field(
    DomainState.default('visible').describe(
      '`visible`: users can log in; `hidden`: users can log in, but the domain is not listed; `disabled`: no logins. Default `visible`.',
    ),
    {
      type: 'choice',
      label: 'State',
      tooltip: 'Whether users can log in and whether the domain is listed on the sign-in page',
      choices: states,
    },
  ),
  subjects: field(
    z
      .enum(keysOf(subjects))
      .default('all')
      .describe(
        'Users that may log in: `all`, `users` (without a role) or `staff` (with a role). Default `all`.',
      ),
    {
      type: 'choice',
      label: 'Permitted users',
      tooltip: 'Users who may log in: all, those without a role, or those with a role',
      choices: subjects,
    },
  ),
  two_factor: field(
    z
      .boolean()
      .default(false)
      .describe('If true, logins require a second factor in addition to the password. Default false.'),
    {
      type: 'checkbox',
      label: 'Second factor',
      tooltip: 'Require a one-time code in addition to the password',
    },
  ),
  tags: field(TagNames, {
    type: 'taglist',
    label: 'Tags',
    tooltip: 'Names of tags',
  }),
};

export const AuthenticatorWrite = z.object({
  ...shapesOf(ownFields),
  params: z
    .record(z.string(), z.unknown())
    .default({})
    .describe(
      'Parameters of the directory or identity provider, as `authenticators/gui/{data_type}` describes them. Empty for an internal domain.',
    ),
});

/** Types with the same settings share a view. */
const views = new Set<z.ZodObject>(domainTypeNames.map((name) => domainTypeOf(name).settings.view));

export const Authenticator = z.strictObject({
  id: Id.describe('Identifier of the domain. Set by the portal.'),
  uuid: Id.describe('Same as `id`.'),
  ...AuthenticatorWrite.shape,
  params: z
    .union([...views])
    .describe('Parameters of the directory or identity provider. Empty for an internal domain.'),
  attributes: z
    .array(
      z.strictObject({
        name: z.string().describe('Name of the attribute in `attributes` of users.'),
        source: z.string().describe('Directory attribute that is copied.'),
        title: z.string().describe('Display name of the attribute. Empty if not set.'),
      }),
    )
    .describe('Directory attributes that are copied to users at login.'),
  users_count: z.int().describe('Number of users of the domain in the portal.'),
  groups_count: z.int().describe('Number of groups of the domain in the portal.'),
  account_refused_at: Moment.nullable().describe(
    'When the directory rejected the password of the search account. Null if the password is accepted.',
  ),
  account_retry_at: Moment.nullable().describe(
    'When the rejected password is tried again. A new password is tried immediately. Null if the password is accepted.',
  ),
  directory_authority: z
    .string()
    .nullable()
    .meta({ example: 'S-1-5-21-1004336348-1177238915-682003330' })
    .describe(
      'Identity of the directory: the SID of an Active Directory domain, otherwise the identifier of its top entry. Null until the servers show it.',
    ),
  other_directory: z
    .string()
    .nullable()
    .describe(
      'Identity of another directory, which the servers show instead. Logins are rejected until it is accepted. Null without one.',
    ),
  other_directory_at: Moment.nullable().describe(
    'When the servers showed the other directory first. Null without one.',
  ),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
});

export const DirectoryAcceptance = z.strictObject({
  authority: z
    .string()
    .max(256)
    .describe('Identity of the accepted directory, as in `other_directory` of the domain.'),
});

export const authenticatorFilters = {
  type: DomainType.optional().describe('Only domains of this type.'),
  state: DomainState.optional().describe('Only domains in this state.'),
  tag: z.string().max(64).optional().describe('Only domains with this tag.'),
};

export const TypeParam = z.object({
  type: DomainType.describe(`Type of the domain: ${explainedTypeNames}.`),
});
export const DataTypeParam = z.object({
  data_type: DomainType.describe(`Type of the domain: ${explainedTypeNames}.`),
});

export const TypeEntry = z.strictObject({
  type: DomainType.describe(`Type of a domain: ${explainedTypeNames}.`),
  name: z.string().describe('Display name of the type.'),
  description: z.string().describe('Purpose of the type.'),
  is_external: z
    .boolean()
    .describe('True if the users are stored in a directory or by an identity provider.'),
  needs_password: z
    .boolean()
    .describe('True if the portal stores the passwords. New users then require a password.'),
  search_users_supported: z.boolean().describe('True if users can be searched.'),
  search_groups_supported: z.boolean().describe('True if groups can be searched.'),
  create_users_supported: z.boolean().describe('True if users can be created in the portal.'),
  two_factor_supported: z.boolean().describe('True if the domain can require a second factor.'),
  provisioning_supported: z
    .boolean()
    .describe('True if an identity provider can maintain users and groups by SCIM.'),
  pkinit_supported: z
    .boolean()
    .describe('True if logins with a certificate (Kerberos PKINIT) can be set up.'),
  label_username: z.string().describe('Label of the field for the login name.'),
  label_groupname: z.string().describe('Label of the field for the group name.'),
  label_password: z.string().describe('Label of the field for the password.'),
});

const nameOfDirectory = /^[A-Za-z0-9_][A-Za-z0-9_.;-]{0,63}$/;

/** A directory attribute that is copied to users at login. */
export const AttributeChange = z.strictObject({
  action: z
    .enum(['add', 'change', 'delete'])
    .describe('`add` or `change` sets the attribute, `delete` removes it.'),
  name: z
    .string()
    .regex(nameOfDirectory, 'Must contain only letters, digits, `_`, `.`, `;` and `-`')
    .meta({ maxLength: 64, example: 'phone' })
    .describe('Name of the attribute in `attributes` of users.'),
  source: z
    .string()
    .regex(nameOfDirectory, 'Must be a directory attribute')
    .meta({ maxLength: 64, example: 'telephoneNumber' })
    .nullish()
    .describe('Directory attribute that is copied. Default: `name`.'),
  title: z.string().trim().max(128).nullish().describe('Display name of the attribute. Default: empty.'),
});
