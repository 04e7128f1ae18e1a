import { parseHost } from '../../kernel/addresses/hosts.ts';

/** The name of a machine in a list, in the spelling of hosts. A broker may report another name, which stays as it is. */
export const hostOrText = (text: string | null): string | null =>
  text === null ? null : (parseHost(text) ?? text);
