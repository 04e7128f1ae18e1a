import { z } from 'zod';
import { absent, cut, resultOf, Token } from '../../../shared/agents/calls.ts';

const OwnToken = Token.meta({ example: 'agat_8Q0cYk3p1fXr5uWm2sHvJ7dTzLbNgKaEoPiC4yR6xVw' }).describe(
  'Token of the workplace, as `initialize` returned it.',
);
const EitherToken = Token.meta({ example: 'agrt_8Q0cYk3p1fXr5uWm2sHvJ7dTzLbNgKaEoPiC4yR6xVw' }).describe(
  'Registration token or workplace token.',
);
const notKept = z
  .unknown()
  .optional()
  .describe('Accepted for compatibility and not stored: the portal never calls an agent.');
const Type = absent(cut(64)).describe(
  'Type of the actor, such as `managed` or `unmanaged`. Accepted for compatibility and not used.',
);

const Address = z
  .union([z.ipv4().max(15), z.ipv6().max(45)])
  .meta({ example: '10.0.0.7' })
  .describe('IP address of the workplace.');
const Interfaces = z
  .array(
    z.object({
      mac: absent(cut(64)).meta({ example: '52:54:00:00:00:01' }).describe('MAC address of the interface.'),
      ip: absent(cut(64)).describe('IP address of the interface.'),
    }),
  )
  .max(64)
  .describe('Network interfaces of the machine. Their MAC addresses identify the workplace.');

export const InitializeBody = z.object({
  type: Type,
  version: absent(cut(64)).describe('Version of the agent.'),
  token: EitherToken,
  id: Interfaces,
});

const Text = z.string().nullable();
export const Initialized = resultOf(
  z
    .strictObject({
      own_token: Text.describe(
        'Token for all further calls of this workplace. Null if no workplace matches.',
      ),
      token: Text.describe('Same as `own_token`, for other versions of the agent.'),
      master_token: Text.describe('Registration token of the call. Null if the call used a workplace token.'),
      unique_id: Text.describe('MAC address that identified the workplace. Null if no workplace matches.'),
      os: z.null().describe('Requested changes to the operating system. Always null.'),
    })
    .describe('Tokens of the workplace. All fields are null if no workplace matches.'),
);

export const Certified = resultOf(
  z
    .strictObject({
      private_key: z
        .string()
        .describe('Private key: PKCS#8 in PEM, encrypted with `password`, an EC key on P-256.'),
      server_certificate: z
        .string()
        .describe('Self-signed certificate in PEM for the IP address of the machine.'),
      password: z.string().describe('Password of `private_key`.'),
      ciphers: z.string().describe('TLS 1.2 cipher suites for the type of the key, in OpenSSL notation.'),
    })
    .describe(
      'Key pair and certificate of the TLS server of the agent, generated for this call and not stored.',
    ),
).meta({ id: 'AgentCertificate' });

export const TestBody = z.object({ type: Type, token: EitherToken });

export const AddressBody = z.object({ token: OwnToken, ip: Address, port: notKept, secret: notKept });

export const VersionBody = z.object({
  token: OwnToken,
  version: cut(64).meta({ example: '4.0.0' }).describe('Version of the agent.'),
  build: absent(cut(64)).describe('Build of the agent.'),
});

export const LogBody = z.object({
  token: OwnToken,
  level: absent(z.union([z.number(), cut(16)]))
    .meta({ example: 'info' })
    .describe(
      'Severity: a word, a Python level number (20 info, 40 error) or an OpenUDS level number (30000, 50000). Default `info`. Lower levels are not stored.',
    ),
  message: cut(4096).meta({ example: 'The desktop is ready' }).describe('Text of the log record.'),
});

export const TicketBody = z.object({
  token: OwnToken,
  ticket: cut(256)
    .meta({ example: 'once' })
    .describe('Ticket that the agent received. Accepted for compatibility.'),
});

export const UnmanagedBody = z.object({
  token: EitherToken,
  id: Interfaces,
  secret: notKept,
  port: notKept,
});
