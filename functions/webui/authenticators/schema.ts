import { z } from 'zod';
import {
  Comments,
  CreatedAt,
  Id,
  Moment,
  Name,
  Priority,
  TagNames,
  UpdatedAt,
} from '../../../shared/http/fields.ts';
import { domainTypes, paramShapes, typeFacts } from '../../../shared/identity/domains/catalogue.ts';
import { Kerberos } from '../../../shared/identity/domains/directory-fields.ts';
import { field, shapesOf } from '../../../shared/identity/domains/fields.ts';

const states = { visible: 'Visible', hidden: 'Hidden: not listed for logins', disabled: 'Disabled' };
const subjects = { all: 'Everybody', users: 'Users without a role', staff: 'Users with a role' };
const keysOf = <K extends string>(words: Record<K, string>) => Object.keys(words) as [K, ...K[]];
const DomainState = z.enum(keysOf(states));
const DomainType = z.enum(domainTypes);
const SmallName = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'Letters, digits, hyphen and underscore')
  .meta({ description: 'The label by which dispatchers know the domain', maxLength: 64, example: 'corp' });

/** The members that domains of every type have, in the order of their form. */
export const ownFields = {
  name: field(Name, { type: 'text', label: 'Name', tooltip: 'Shown where people log in' }),
  small_name: field(SmallName, {
    type: 'text',
    label: 'Label',
    tooltip: 'The label by which dispatchers know the domain',
  }),
  type: field(DomainType, {
    type: 'choice',
    label: 'Type',
    tooltip: 'Set at creation only',
    choices: Object.fromEntries(domainTypes.map((type) => [type, typeFacts[type].name])),
    readonly: true,
  }),
  comments: field(Comments, { type: 'textarea', label: 'Comments', tooltip: 'For administrators' }),
  priority: field(Priority, { type: 'numeric', label: 'Priority', tooltip: 'Lower ones are listed first' }),
  state: field(DomainState.default('visible'), {
    type: 'choice',
    label: 'State',
    tooltip: 'Whether people can log in, and whether the domain is listed for that',
    choices: states,
  }),
  subjects: field(z.enum(keysOf(subjects)).default('all'), {
    type: 'choice',
    label: 'Who may log in',
    tooltip: 'Staff are the users that hold a role',
    choices: subjects,
  }),
  two_factor: field(z.boolean().default(false), {
    type: 'checkbox',
    label: 'Second factor',
    tooltip: 'Ask for a one-time code besides the password',
  }),
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
    .meta({ description: 'By type; described by `authenticators/gui/{data_type}`' }),
});

const shown = {
  bind_password: z.null(),
  bind_password_set: z.boolean(),
  hosts: z.array(z.string()).max(5).meta({ description: 'Empty without the permission for all sites' }),
  kerberos: Kerberos.extend({
    kdc: z.array(z.string()).max(10).meta({ description: 'Empty without the permission for all sites' }),
    kdc_hostnames: z.array(z.string()).meta({ description: 'Empty without the permission for all sites' }),
  }).nullable(),
};
const { internal, ldap, active_directory } = paramShapes;

export const Authenticator = z.strictObject({
  id: Id,
  uuid: Id,
  ...AuthenticatorWrite.shape,
  params: z.union([internal, ldap.extend(shown), active_directory.extend(shown)]),
  attributes: z.array(z.strictObject({ name: z.string(), source: z.string(), title: z.string() })),
  users_count: z.int(),
  groups_count: z.int(),
  account_refused_at: Moment.nullable().meta({
    description:
      'When the directory refused the password of the account that searches; null if it was accepted since',
  }),
  account_retry_at: Moment.nullable().meta({
    description: 'When the refused password is tried again; another password is tried at once',
  }),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
});

export const authenticatorFilters = {
  type: DomainType.optional(),
  state: DomainState.optional(),
  tag: z.string().max(64).optional(),
};

export const TypeParam = z.object({ type: DomainType });
export const DataTypeParam = z.object({ data_type: DomainType });

export const TypeEntry = z.strictObject({
  type: DomainType,
  name: z.string(),
  description: z.string(),
  is_external: z.boolean().meta({ description: 'Users are kept elsewhere' }),
  needs_password: z.boolean().meta({ description: 'A new user needs a password here' }),
  search_users_supported: z.boolean(),
  search_groups_supported: z.boolean(),
  create_users_supported: z.boolean(),
  two_factor_supported: z.boolean(),
  pkinit_supported: z.boolean(),
  label_username: z.string(),
  label_groupname: z.string(),
  label_password: z.string(),
});

const nameOfDirectory = /^[A-Za-z0-9_][A-Za-z0-9_.;-]{0,63}$/;

/** An attribute of the directory that users get a copy of when they log in. */
export const AttributeChange = z.strictObject({
  action: z.enum(['add', 'change', 'delete']),
  name: z
    .string()
    .regex(nameOfDirectory, 'Letters, digits, `_`, `.`, `;` and `-`')
    .meta({ maxLength: 64, example: 'phone' }),
  source: z
    .string()
    .regex(nameOfDirectory, 'An attribute of the directory')
    .meta({
      description: 'Attribute of the directory; the name, unless given',
      maxLength: 64,
      example: 'telephoneNumber',
    })
    .nullish(),
  title: z.string().trim().max(128).nullish(),
});

/** The fields of a domain as far as they are filled in; a stored domain's id stands in for its secrets. */
export const TestBody = z.object({
  id: Id.optional(),
  ...Object.fromEntries(Object.keys(ownFields).map((name) => [name, z.unknown().optional()])),
  params: AuthenticatorWrite.shape.params,
  username: z.string().max(256).optional(),
  password: z.string().max(1024).optional(),
});

export const TestResult = z.strictObject({
  success: z.boolean(),
  message: z.string(),
  checks: z.array(
    z.strictObject({
      name: z.string(),
      status: z.enum(['pass', 'fail', 'skipped']),
      detail: z.string(),
      took_ms: z.int(),
    }),
  ),
});
