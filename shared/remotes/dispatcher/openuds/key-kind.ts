import type { DispatcherKeys, DispatcherKind } from '../port.ts';
import { Broker } from './exchange.ts';
import { Keys } from './keys.ts';
import { People } from './people.ts';

/** The session keys of OpenUDS alone. */
export const openudsKeys: DispatcherKind<DispatcherKeys> = {
  create({ transport, logins }) {
    const broker = new Broker(transport);
    return new Keys({ broker, people: new People(broker), logins });
  },
};
