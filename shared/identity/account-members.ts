/**
 * What a member of an account decides:
 * `identity`: which person the account belongs to, and which address reaches them.
 * `login`: whether the account can be used, and with which password.
 * `rights`: what the account may do; its writes have conditions of their own.
 * `note`: nothing.
 */
type Meaning = 'identity' | 'login' | 'rights' | 'note';

/** All members of an account that administrators or identity providers write. */
const meanings = {
  name: 'identity',
  real_name: 'identity',
  given_name: 'identity',
  family_name: 'identity',
  email: 'identity',
  directory_id: 'identity',
  state: 'login',
  kind: 'login',
  password: 'login',
  must_change_password: 'login',
  groups: 'rights',
  roles: 'rights',
  comments: 'note',
} as const satisfies Record<string, Meaning>;

type AccountMember = keyof typeof meanings;

/**
 * Whether two states of an account differ in a member with one of these meanings.
 * @param after what is written; a member without a meaning does not compile
 */
export function accountDiffers<Member extends AccountMember>(
  before: Readonly<Record<NoInfer<Member>, unknown>>,
  after: Readonly<Record<Member, unknown>>,
  which: readonly Meaning[],
): boolean {
  const members = Object.keys(after) as Member[];
  return members.some((member) => which.includes(meanings[member]) && before[member] !== after[member]);
}
