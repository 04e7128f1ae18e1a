import { endpoint } from '../deps.ts';
import { peerCrud } from './record.ts';
import { createPeer, deletePeer, replacePeer } from './usecases.ts';

const { operations, declared, target } = peerCrud;

export const peerOperations = [
  ...operations,
  endpoint(
    {
      ...declared.create,
      description: 'Its tokens are then accepted by `jwtauth`. Only who holds all that the roles give may.',
    },
    (ctx, { body }) => createPeer(ctx, body),
  ),
  endpoint(
    {
      ...declared.replace,
      description: 'Disabling it, other keys, or another issuer end its sessions.',
      errors: ['already_exists', 'invalid_state'],
    },
    (ctx, input) => replacePeer(ctx, target(input), input.body),
  ),
  endpoint({ ...declared.delete, errors: ['invalid_state'] }, (ctx, input) => deletePeer(ctx, target(input))),
];
