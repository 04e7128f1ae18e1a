import { z } from 'zod';

const Password = z.string().min(1).max(1024).meta({ example: 'a long pass phrase of yours' });
const Code = z.string().min(1).max(64).meta({ description: 'Of the device', example: '123456' });

export const EnrolmentStep = z.union([
  z.strictObject({ password: Password }),
  z.strictObject({ code: Code }),
]);

export const EnrolmentAnswer = z.union([
  z.strictObject({
    otpauth_uri: z.string().meta({ description: 'For a picture that the device reads' }),
    secret: z.string().meta({ description: 'Base32, for a device that is typed into' }),
  }),
  z.strictObject({
    recovery_codes: z.array(z.string()).meta({ description: 'Ten, each good once; shown this once' }),
  }),
]);

export const Removal = z.strictObject({
  password: Password,
  code: Code.meta({ description: 'Of the device, or a recovery code' }),
});
