import { z } from 'zod';
import { absent, cut, resultOf, Token } from '../../../shared/fleet/agents/calls.ts';

const OwnToken = Token.meta({
  description: 'That of the workplace, as `initialize` gave it',
  example: 'agat_8Q0cYk3p1fXr5uWm2sHvJ7dTzLbNgKaEoPiC4yR6xVw',
});
const EitherToken = Token.meta({
  description: 'That of a registration, or that of the workplace',
  example: 'agrt_8Q0cYk3p1fXr5uWm2sHvJ7dTzLbNgKaEoPiC4yR6xVw',
});
const notKept = z
  .unknown()
  .optional()
  .meta({ description: 'Taken and not kept: nobody calls an agent from here' });
const Type = absent(cut(64));

const Address = z.union([z.ipv4().max(15), z.ipv6().max(45)]).meta({ example: '10.0.0.7' });
const Interfaces = z
  .array(z.object({ mac: absent(cut(64)).meta({ example: '52:54:00:00:00:01' }), ip: absent(cut(64)) }))
  .max(64);

export const InitializeBody = z.object({
  type: Type,
  version: absent(cut(64)),
  token: EitherToken,
  id: Interfaces.meta({ description: 'The network interfaces of the machine' }),
});

const Text = z.string().nullable();
export const Initialized = resultOf(
  z.strictObject({
    own_token: Text.meta({ description: 'For every further call of this workplace' }),
    token: Text.meta({ description: 'The same' }),
    master_token: Text.meta({ description: 'The token of the registration, when it came with that' }),
    unique_id: Text.meta({ description: 'The MAC address by which the workplace was found' }),
    os: z
      .null()
      .meta({ description: 'Changes to the operating system; always null: the portal orders none' }),
  }),
);

export const Certified = resultOf(
  z.strictObject({
    private_key: z
      .string()
      .meta({ description: 'PKCS#8 in PEM, encrypted with `password`; an EC key on P-256' }),
    server_certificate: z
      .string()
      .meta({ description: 'Self-signed certificate in PEM for the IP address of the machine' }),
    password: z.string().meta({ description: 'Password of `private_key`' }),
    ciphers: z
      .string()
      .meta({ description: 'TLS 1.2 cipher suites that fit the key, in the notation of OpenSSL' }),
  }),
).meta({ id: 'AgentCertificate' });

export const TestBody = z.object({ type: Type, token: EitherToken });

export const AddressBody = z.object({ token: OwnToken, ip: Address, port: notKept, secret: notKept });

export const VersionBody = z.object({
  token: OwnToken,
  version: cut(64).meta({ example: '4.0.0' }),
  build: absent(cut(64)),
});

export const LogBody = z.object({
  token: OwnToken,
  level: absent(z.union([z.number(), cut(16)])).meta({
    description:
      'A word, or a number: of Python (20 is info, 40 error) or of an OpenUDS actor (30000, 50000)',
    example: 'info',
  }),
  message: cut(4096).meta({ example: 'The desktop is ready' }),
});

export const TicketBody = z.object({ token: OwnToken, ticket: cut(256).meta({ example: 'once' }) });

export const UnmanagedBody = z.object({
  token: EitherToken,
  id: Interfaces,
  secret: notKept,
  port: notKept,
});
