import { directoryType } from './directory-type.ts';
import { texts } from './form-texts.ts';
import { openAttributes } from './settings/attributes.ts';
import { directoryFields } from './settings/fields.ts';
import { viewOf } from './settings/view.ts';

const fields = directoryFields({
  user_class: 'inetOrgPerson',
  user_id_attribute: 'uid',
  group_class: 'posixGroup',
  group_id_attribute: 'cn',
  member_attribute: 'memberUid',
});

/** View of the settings. Also used for directory types without additional settings. */
export const ldapView = viewOf(fields);

/** Directories of RFC 4511: OpenLDAP, 389 Directory Server and others. */
export const ldap = directoryType({
  name: texts('LDAP'),
  description: texts('Users and groups of an LDAP directory'),
  fields,
  view: ldapView,
  variant: {
    // `entryUUID` is defined in RFC 4530. Older versions of 389 Directory Server have only `nsUniqueId`.
    identifiers: ['entryUUID', 'nsUniqueId'],
    readable: [...openAttributes, 'userPrincipalName', 'sAMAccountName'],
    listsAllGroups: false,
    provisioning: undefined,
    hasForest: false,
    hasGroupSids: false,
    resolvesUpns: false,
  },
});
