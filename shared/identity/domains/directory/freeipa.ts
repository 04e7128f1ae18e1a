import { directoryType } from './directory-type.ts';
import { texts } from './form-texts.ts';
import { ldapView } from './ldap.ts';
import { openAttributes } from './settings/attributes.ts';
import { directoryFields } from './settings/fields.ts';

const fields = directoryFields({
  user_class: 'person',
  user_id_attribute: 'uid',
  group_class: 'ipausergroup',
  group_id_attribute: 'cn',
  member_attribute: 'member',
});

export const freeipa = directoryType({
  name: texts('FreeIPA'),
  description: texts('Users and groups of a FreeIPA domain'),
  fields,
  view: ldapView,
  variant: {
    identifiers: ['ipaUniqueID'],
    readable: [
      ...openAttributes,
      ...['ipaUniqueID', 'ipaNTSecurityIdentifier', 'krbPrincipalName', 'krbCanonicalName'],
    ],
    listsAllGroups: true,
    provisioning: /,\s*cn\s*=\s*provisioning\s*,/i,
    hasForest: false,
    hasGroupSids: false,
    resolvesUpns: false,
  },
});
