import { z } from 'zod';
import { directoryType } from './directory-type.ts';
import { field, texts } from './form-texts.ts';
import { commonAttributes, numbered, posixAttributes } from './settings/attributes.ts';
import { directoryFields } from './settings/fields.ts';
import { viewOf } from './settings/view.ts';

const fields = {
  ...directoryFields({
    user_class: 'user',
    user_id_attribute: 'sAMAccountName',
    group_class: 'group',
    group_id_attribute: 'cn',
    member_attribute: 'member',
  }),
  nested_groups: field(
    z
      .boolean()
      .default(false)
      .describe(
        'If true, members of a nested group also belong to the groups that contain it. Default false.',
      ),
    {
      type: 'checkbox',
      label: 'Nested groups',
      tooltip: 'Members of a nested group also belong to the groups that contain it',
      tab: 'Groups',
    },
  ),
};

const readable = [
  ...[
    ...commonAttributes,
    ...posixAttributes,
    'unixHomeDirectory',
    'sAMAccountName',
    'userPrincipalName',
    'distinguishedName',
  ],
  ...['canonicalName', 'objectGUID', 'objectSid', 'primaryGroupID', 'middleName', 'countryCode', 'assistant'],
  ...['directReports', 'wWWHomePage', 'url', 'ipPhone', 'otherIpPhone', 'otherTelephone', 'otherMobile'],
  ...['otherHomePhone', 'otherPager', 'otherFacsimileTelephoneNumber', 'otherMailbox', 'proxyAddresses'],
  ...['mailNickname', 'homeDrive', 'profilePath', 'scriptPath', 'whenCreated', 'whenChanged'],
  ...['FirstName', 'LastName', 'DisplayName', 'Department', 'CompanyName'].map(
    (one) => `msDS-Phonetic${one}`,
  ),
  ...numbered('extensionAttribute', 15),
  ...numbered('msDS-cloudExtensionAttribute', 20),
];

/** Active Directory of Microsoft or Samba. */
export const activeDirectory = directoryType({
  name: texts('Active Directory'),
  description: texts('Users and groups of a Microsoft domain'),
  fields,
  view: viewOf(fields),
  variant: {
    identifiers: ['objectGUID'],
    readable,
    listsAllGroups: false,
    provisioning: undefined,
    hasForest: true,
    hasGroupSids: true,
    resolvesUpns: true,
  },
});
