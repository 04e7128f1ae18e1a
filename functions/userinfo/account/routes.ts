import { changeOwnPassword } from '../../../shared/identity/own-password.ts';
import { base, endpoint } from '../deps.ts';
import { OwnChange, PasswordChange, Userinfo } from './schema.ts';
import { changeLanguage, describeCaller } from './usecases.ts';

export const accountOperations = [
  endpoint(
    {
      id: 'userinfo.get',
      route: `GET ${base}`,
      access: 'signed-in',
      duringPasswordChange: true,
      summary: "Get the caller's profile",
      returns: [200, Userinfo],
    },
    describeCaller,
  ),
  endpoint(
    {
      id: 'userinfo.update',
      route: `PATCH ${base}`,
      access: 'signed-in',
      duringPasswordChange: true,
      summary: "Set the caller's language (JSON Merge Patch)",
      description:
        '`null` selects the default language of the installation. The language also replaces that of the login (`locale`) in the current session.',
      body: { required: OwnChange },
      returns: [200, Userinfo],
    },
    (ctx, { body }) => changeLanguage(ctx, body),
  ),
  endpoint(
    {
      id: 'userinfo.changePassword',
      route: `PUT ${base}/password`,
      access: 'signed-in',
      needsLogin: true,
      duringPasswordChange: true,
      summary: "Change the caller's password",
      description:
        'All other sessions of the user and the own service tokens end. A wrong current password counts as a failed login attempt.',
      body: { required: PasswordChange },
      returns: [204, null],
      errors: ['invalid_credentials', 'invalid_state', 'locked_out'],
    },
    (ctx, { body }) => changeOwnPassword(ctx, body),
  ),
];
