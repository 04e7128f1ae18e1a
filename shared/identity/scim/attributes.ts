/** An attribute in the form in which `/Schemas` describes it (RFC 7643, 7). */
export type AttributeFacts = {
  name: string;
  type: 'string' | 'boolean' | 'complex' | 'reference';
  multiValued: boolean;
  description: string;
  required: boolean;
  caseExact: boolean;
  mutability: 'readWrite' | 'readOnly' | 'immutable';
  returned: 'default';
  uniqueness: 'none' | 'server';
  canonicalValues?: string[];
  referenceTypes?: string[];
  subAttributes?: AttributeFacts[];
};

const attribute = (
  name: string,
  description: string,
  more: Partial<AttributeFacts> = {},
): AttributeFacts => ({
  name,
  type: 'string',
  multiValued: false,
  description,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...more,
});

export const userFacts: readonly AttributeFacts[] = [
  attribute('userName', 'Login name, unique in the domain.', { required: true, uniqueness: 'server' }),
  attribute('name', 'Parts of the name.', {
    type: 'complex',
    subAttributes: [
      attribute('formatted', 'Full name, the same as displayName.'),
      attribute('familyName', 'Family name.'),
      attribute('givenName', 'Given name.'),
    ],
  }),
  attribute('displayName', 'Full name. Without it, the full name consists of given name and family name.'),
  attribute('emails', 'E-mail addresses. One is stored: the primary one, or else that of work.', {
    type: 'complex',
    multiValued: true,
    subAttributes: [
      attribute('value', 'The address.'),
      attribute('type', 'Always work.', { canonicalValues: ['work'] }),
      attribute('primary', 'Always true.', { type: 'boolean' }),
    ],
  }),
  attribute('active', 'False: the user cannot log in, and all sessions and tokens have ended.', {
    type: 'boolean',
  }),
  attribute(
    'groups',
    'Groups of the domain that have the user as a member. They are changed through the groups.',
    {
      type: 'complex',
      multiValued: true,
      mutability: 'readOnly',
      subAttributes: [
        attribute('value', 'Identifier of the group.', { mutability: 'readOnly', caseExact: true }),
        attribute('$ref', 'Address of the group.', {
          type: 'reference',
          referenceTypes: ['Group'],
          mutability: 'readOnly',
          caseExact: true,
        }),
        attribute('display', 'Name of the group.', { mutability: 'readOnly' }),
        attribute('type', 'Always direct.', { mutability: 'readOnly', canonicalValues: ['direct'] }),
      ],
    },
  ),
];

export const groupFacts: readonly AttributeFacts[] = [
  attribute('displayName', 'Name, unique in the domain.', { required: true, uniqueness: 'server' }),
  attribute('members', 'Users of the group.', {
    type: 'complex',
    multiValued: true,
    subAttributes: [
      attribute('value', 'Identifier of the user.', { mutability: 'immutable', caseExact: true }),
      attribute('$ref', 'Address of the user.', {
        type: 'reference',
        referenceTypes: ['User'],
        mutability: 'immutable',
        caseExact: true,
      }),
      attribute('display', 'Login name of the user.', { mutability: 'readOnly' }),
      attribute('type', 'Always User.', { mutability: 'immutable', canonicalValues: ['User'] }),
    ],
  }),
];

/** The common attribute that clients write; schemas do not list it (RFC 7643, 3.1). */
export const externalId: AttributeFacts = attribute('externalId', 'Identifier at the client.', {
  caseExact: true,
});

export function findFacts(facts: readonly AttributeFacts[], name: string): AttributeFacts | undefined {
  const wanted = name.length > longestName ? undefined : name.toLowerCase();
  return facts.find((fact) => fact.name.toLowerCase() === wanted);
}

/** No attribute has a longer name. */
const longestName = 64;
