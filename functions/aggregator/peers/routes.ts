import { endpoint } from '../deps.ts';
import { peerCrud } from './record.ts';
import { createPeer, deletePeer, replacePeer } from './usecases.ts';

const { operations, declared, target } = peerCrud;

export const peerOperations = [
  ...operations,
  endpoint(
    {
      ...declared.create,
      description:
        'The portal then accepts tokens of the peer at `jwtauth`. The caller must hold all permissions of the roles that are assigned to the peer.',
    },
    (ctx, { body }) => createPeer(ctx, body),
  ),
  endpoint(
    {
      ...declared.replace,
      description: 'The sessions of the peer end if it is disabled or if its keys or issuer change.',
      errors: ['already_exists', 'invalid_state'],
    },
    (ctx, input) => replacePeer(ctx, target(input), input.body),
  ),
  endpoint({ ...declared.delete, errors: ['invalid_state'] }, (ctx, input) => deletePeer(ctx, target(input))),
];
