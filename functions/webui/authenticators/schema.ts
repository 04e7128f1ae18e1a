import { z } from 'zod';
import { explainedTypeNames } from '../../../shared/identity/domains/descriptions.ts';
import { shapesOf } from '../../../shared/identity/domains/fields.ts';
import { domainTypeNames, domainTypeOf } from '../../../shared/identity/domains/registry.ts';
import { field } from '../../../shared/identity/domains/words.ts';
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

const states = { visible: 'Visible', hidden: 'Hidden: not listed for logins', disabled: 'Disabled' } as const;
const subjects = { all: 'Everybody', users: 'Users without a role', staff: 'Users with a role' } as const;
const keysOf = <K extends string>(words: Record<K, string>) => Object.keys(words) as [K, ...K[]];
const DomainState = z.enum(keysOf(states));
const DomainType = z.enum(domainTypeNames);
const SmallName = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'Letters, digits, hyphen and underscore')
  .meta({ maxLength: 64, example: 'corp' })
  .describe('Short label of the domain, unique. Dispatchers identify the domain by it.');

/** The members that domains of every type have, in the order of their form. */
export const ownFields = {
  name: field(
    Name.describe('Name of the domain, unique without regard to case. Shown on the sign-in page.'),
    { type: 'text', label: 'Name', tooltip: 'Shown where people log in' },
  ),
  small_name: field(SmallName, {
    type: 'text',
    label: 'Label',
    tooltip: 'The label by which dispatchers know the domain',
  }),
  type: field(DomainType.describe(`Type of the domain: ${explainedTypeNames}. Set at creation only.`), {
    type: 'choice',
    label: 'Type',
    tooltip: 'Set at creation only',
    readonly: true,
  }),
  comments: field(Comments, { type: 'textarea', label: 'Comments', tooltip: 'For administrators' }),
  priority: field(Priority.describe('Position in the domain list: lower numbers come first. Default 1.'), {
    type: 'numeric',
    label: 'Priority',
    tooltip: 'Lower ones are listed first',
  }),
  state: field(
    DomainState.default('visible').describe(
      '`visible`: users can log in; `hidden`: the same, but the domain is not listed; `disabled`: no logins. Default `visible`.',
    ),
    {
      type: 'choice',
      label: 'State',
      tooltip: 'Whether people can log in, and whether the domain is listed for that',
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
      label: 'Who may log in',
      tooltip: 'Staff are the users that hold a role',
      choices: subjects,
    },
  ),
  two_factor: field(
    z
      .boolean()
      .default(false)
      .describe('True: logins need a second factor besides the password. Default false.'),
    {
      type: 'checkbox',
      label: 'Second factor',
      tooltip: 'Ask for a one-time code besides the password',
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
      'Parameters of the directory, as `authenticators/gui/{data_type}` describes them. Empty for an internal domain.',
    ),
});

/** Types with the same settings share a view. */
const views = new Set<z.ZodObject>(domainTypeNames.map((name) => domainTypeOf(name).settings.view));

export const Authenticator = z.strictObject({
  id: Id.describe('Identifier of the domain. Set by the portal.'),
  uuid: Id.describe('Same as `id`.'),
  ...AuthenticatorWrite.shape,
  params: z.union([...views]).describe('Parameters of the directory. Empty for an internal domain.'),
  attributes: z
    .array(
      z.strictObject({
        name: z.string().describe('Name of the attribute in `attributes` of users.'),
        source: z.string().describe('Attribute of the directory that is copied.'),
        title: z.string().describe('Name of the attribute for people. Empty if it has none.'),
      }),
    )
    .describe('Attributes of the directory that are copied to users at login.'),
  users_count: z.int().describe('Number of users of the domain in the portal.'),
  groups_count: z.int().describe('Number of groups of the domain in the portal.'),
  account_refused_at: Moment.nullable().describe(
    'When the directory refused the password of the account that searches. Null if it was accepted since.',
  ),
  account_retry_at: Moment.nullable().describe(
    'When the refused password is tried again; a new password is tried at once. Null if it is not refused.',
  ),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
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
  name: z.string().describe('Name of the type for people.'),
  description: z.string().describe('What the type is for.'),
  is_external: z.boolean().describe('True if a directory keeps the users.'),
  needs_password: z
    .boolean()
    .describe('True if the portal stores the passwords, so that a new user needs one.'),
  search_users_supported: z.boolean().describe('True if users can be searched.'),
  search_groups_supported: z.boolean().describe('True if groups can be searched.'),
  create_users_supported: z.boolean().describe('True if users can be created in the portal.'),
  two_factor_supported: z.boolean().describe('True if logins can need a second factor.'),
  pkinit_supported: z
    .boolean()
    .describe('True if logins with a certificate (Kerberos PKINIT) can be set up.'),
  label_username: z.string().describe('Label of the field for the login name.'),
  label_groupname: z.string().describe('Label of the field for the group name.'),
  label_password: z.string().describe('Label of the field for the password.'),
});

const nameOfDirectory = /^[A-Za-z0-9_][A-Za-z0-9_.;-]{0,63}$/;

/** An attribute of the directory that users get a copy of when they log in. */
export const AttributeChange = z.strictObject({
  action: z
    .enum(['add', 'change', 'delete'])
    .describe('`add` or `change` sets the attribute, `delete` removes it.'),
  name: z
    .string()
    .regex(nameOfDirectory, 'Letters, digits, `_`, `.`, `;` and `-`')
    .meta({ maxLength: 64, example: 'phone' })
    .describe('Name of the attribute in `attributes` of users.'),
  source: z
    .string()
    .regex(nameOfDirectory, 'An attribute of the directory')
    .meta({ maxLength: 64, example: 'telephoneNumber' })
    .nullish()
    .describe('Attribute of the directory that is copied. Default: `name`.'),
  title: z.string().trim().max(128).nullish().describe('Name of the attribute for people. Default: empty.'),
});
