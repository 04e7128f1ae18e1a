import { z } from 'zod';
import { inItsLanguage } from '../../../shared/http/problem.ts';
import { writeBody } from '../../../shared/http/records/shapes.ts';
import { Answer } from '../../../shared/http/serve/answer.ts';
import { GuiField } from '../../../shared/identity/domains/fields.ts';
import { Id } from '../../../shared/shapes/fields.ts';
import { base, endpoint } from '../deps.ts';
import { acceptDirectory } from './accept-directory.ts';
import { changeAttribute } from './attributes.ts';
import { describeDomain, listTypes } from './descriptions.ts';
import { Identities, listIdentities } from './identities/identities.ts';
import { MovedIdentities, MoveIdentities, movePeople } from './identities/move-identities.ts';
import { createSignInTest, getSignInTest, SignInTest } from './identities/sign-in-tests.ts';
import { rotateKey } from './own-keys.ts';
import { authenticatorCrud } from './record.ts';
import { RegistrationView, registrationOf } from './registration.ts';
import {
  AttributeChange,
  Authenticator,
  DataTypeParam,
  DirectoryAcceptance,
  TypeEntry,
  TypeParam,
} from './schema.ts';
import { testDomain } from './test-domain.ts';
import { testParams } from './test-params.ts';
import { TestBody, TestResult } from './test-shapes.ts';
import {
  createAuthenticator,
  deleteAuthenticator,
  deleteAuthenticators,
  replaceAuthenticator,
  updateAuthenticator,
} from './usecases.ts';

const { operations, kind, declared, target } = authenticatorCrud;
const changeErrors = ['already_exists', 'invalid_state', 'secret_required'] as const;
const path = `${base}/authenticators`;
/** The body may contain read-only fields, so that a domain can be tested as it was read. */
const ignored = kind.readOnly.filter((name) => name !== 'id');

export const authenticatorOperations = [
  ...operations,
  endpoint(declared.create, (ctx, { body }) => createAuthenticator(ctx, body)),
  endpoint({ ...declared.replace, errors: changeErrors }, (ctx, input) =>
    replaceAuthenticator(ctx, target(input), input.body),
  ),
  endpoint({ ...declared.update, errors: changeErrors }, (ctx, input) =>
    updateAuthenticator(ctx, target(input), input.body),
  ),
  endpoint(
    {
      ...declared.delete,
      summary: 'Delete an authentication domain with its users and groups',
      errors: ['in_use', 'invalid_state'],
    },
    (ctx, input) => deleteAuthenticator(ctx, target(input)),
  ),
  endpoint(declared.bulkDestroy, (ctx, { body }) => deleteAuthenticators(ctx, body)),
  endpoint(
    {
      id: 'authenticator.listTypes',
      route: `GET ${path}/types`,
      access: 'authenticators.read',
      summary: 'List the types of authentication domains',
      returns: [200, z.array(TypeEntry)],
    },
    ({ language }) => new Answer(listTypes(language), { headers: inItsLanguage(language) }),
  ),
  endpoint(
    {
      id: 'authenticator.describe',
      route: `GET ${path}/gui/{data_type}`,
      access: 'authenticators.read',
      summary: 'Describe the form for domains of a type',
      description: 'A form with these fields creates a domain. Empty fields may be omitted.',
      params: DataTypeParam,
      returns: [200, z.array(GuiField)],
    },
    ({ language }, { params }) =>
      new Answer(describeDomain(params.data_type, language), { headers: inItsLanguage(language) }),
  ),
  endpoint(
    {
      id: 'authenticator.testParams',
      route: `POST ${path}/test_params/{type}`,
      access: 'authenticators.test',
      summary: 'Validate the parameters of a domain without network access',
      params: TypeParam,
      body: { required: writeBody(TestBody, ignored) },
      returns: [200, TestResult],
      errors: ['secret_required'],
      readsOnly: true,
    },
    (ctx, { params, body }) => testParams(ctx, params.type, body),
  ),
  endpoint(
    {
      id: 'authenticator.test',
      route: `POST ${path}/test/{type}`,
      access: 'authenticators.test',
      summary: 'Test an authentication domain',
      description:
        'Connects to the directory, searches it, and looks up a user and the groups of the user. For an identity provider: reads its configuration and keys, and authenticates to it. If no server answers, the response is sent after the time limit of the domain. Limited to 30 requests per minute.',
      params: TypeParam,
      body: { required: writeBody(TestBody, ignored) },
      returns: [200, TestResult],
      errors: ['secret_required'],
      readsOnly: true,
    },
    (ctx, { params, body }) => testDomain(ctx, params.type, body),
  ),
  endpoint(
    {
      id: 'authenticator.getRegistration',
      route: `GET ${path}/{uuid}/registration`,
      access: 'authenticators.read',
      summary: 'Get the addresses and keys of the portal for the identity provider of a domain',
      description:
        'For the registration of the portal at the provider. 404 for a domain without an identity provider.',
      params: z.object({ uuid: Id.describe('Identifier of the authentication domain.') }),
      returns: [200, RegistrationView],
    },
    (ctx, { params: { uuid } }) => registrationOf(ctx, uuid),
  ),
  endpoint(
    {
      id: 'authenticator.testSignIn',
      route: `POST ${path}/{uuid}/sign_in_tests`,
      access: 'authenticators.test',
      summary: 'Create a test sign-in at the identity provider of a domain',
      description:
        'The caller signs in at the provider in the browser of this session. The result shows the claims that the provider has sent, the decision of the portal, and what can be changed. No session and no user is created. Only this session can begin and read the test, for ten minutes; a new one replaces it.',
      params: z.object({ uuid: Id.describe('Identifier of the authentication domain.') }),
      returns: [201, SignInTest],
      errors: ['invalid_state'],
    },
    (ctx, { params: { uuid } }) => createSignInTest(ctx, uuid),
  ),
  endpoint(
    {
      id: 'authenticator.getSignInTest',
      route: `GET ${path}/{uuid}/sign_in_tests/{test_id}`,
      access: 'authenticators.test',
      summary: 'Get the result of a test sign-in',
      params: z.object({
        uuid: Id.describe('Identifier of the authentication domain.'),
        test_id: Id.describe('Identifier of the test.'),
      }),
      returns: [200, SignInTest],
      errors: ['invalid_state'],
    },
    (ctx, { params: { uuid, test_id } }) => getSignInTest(ctx, uuid, test_id),
  ),
  endpoint(
    {
      id: 'authenticator.listIdentities',
      route: `GET ${path}/{uuid}/identities`,
      access: 'authenticators.read',
      summary: 'Count the people of a domain by the issuer of their identifiers',
      description:
        'A person is identified by issuer and subject. After a change of the issuer, the people of the former one stay with their roles, but cannot sign in until the issuer is changed back or they are moved. Also requires `users.read`. 404 for a domain without an identity provider.',
      params: z.object({ uuid: Id.describe('Identifier of the authentication domain.') }),
      returns: [200, Identities],
    },
    (ctx, { params: { uuid } }) => listIdentities(ctx, uuid),
  ),
  endpoint(
    {
      id: 'authenticator.moveIdentities',
      route: `POST ${path}/{uuid}/move_identities`,
      access: 'authenticators.update',
      summary: 'Move the people of a former issuer of a domain to the present one',
      description:
        'For a provider that has a new issuer and the same subjects, in the same case. The caller proves this by a test sign-in of one of these people at the present issuer, in this session. Requires every permission for all sites. Users of the present issuer that have the identifier of such a person are deleted if they never signed in, have no roles and are not named by rules, sites or priority groups; otherwise no one is moved, and the problem has the reason `identifiers_in_use` with their `count`. An issuer for several tenants is refused with the reason `several_tenants`.',
      params: z.object({ uuid: Id.describe('Identifier of the authentication domain.') }),
      body: { required: MoveIdentities },
      returns: [200, MovedIdentities],
      errors: ['invalid_state'],
    },
    (ctx, { params: { uuid }, body }) => movePeople(ctx, uuid, body),
  ),
  endpoint(
    {
      id: 'authenticator.rotateKey',
      route: `POST ${path}/{uuid}/rotate_key`,
      access: 'authenticators.update',
      summary: 'Create a new key for the authentication to the identity provider of a domain',
      description:
        'The new key signs from now on. The provider finds it at `/api/auth/v7.0/oidc/{auth_uuid}/jwks`. The former key remains published until the next rotation. Requires all permissions of the users of the domain.',
      params: z.object({ uuid: Id.describe('Identifier of the authentication domain.') }),
      returns: [200, Authenticator],
      errors: ['invalid_state'],
      conditional: true,
    },
    (ctx, input) => rotateKey(ctx, target(input)),
  ),
  endpoint(
    {
      id: 'authenticator.acceptDirectory',
      route: `POST ${path}/{uuid}/accept_directory`,
      access: 'authenticators.update',
      summary: 'Accept another directory behind the servers of a domain',
      description:
        'Users of the former directory keep their accounts, but no one matches them, and their access ends. They match again if the domain returns to that directory. Requires all permissions of the users of the domain.',
      params: z.object({ uuid: Id.describe('Identifier of the authentication domain.') }),
      body: { required: DirectoryAcceptance },
      returns: [200, Authenticator],
      errors: ['invalid_state'],
      conditional: true,
    },
    (ctx, input) => acceptDirectory(ctx, target(input), input.body.authority),
  ),
  endpoint(
    {
      id: 'authenticator.changeAttribute',
      route: `PATCH ${path}/{uuid}/attribute`,
      access: 'authenticators.update',
      summary: 'Add, change or delete an attribute that is copied to users at login',
      params: z.object({ uuid: Id.describe('Identifier of the authentication domain.') }),
      body: { required: AttributeChange },
      returns: [200, Authenticator],
      errors: ['already_exists', 'invalid_state'],
      conditional: true,
    },
    (ctx, input) => changeAttribute(ctx, target(input), input.body),
  ),
];
