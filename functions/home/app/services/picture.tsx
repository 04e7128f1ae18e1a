import { useQuery } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { send } from '../../../../shared/web/client/session.ts';
import classes from './card.module.css';

/** The picture of a service. Pictures need the token of the page, so they are loaded by the script. */
export function Picture({ name, address }: { name: string; address: string | null }): JSX.Element {
  const { data } = useQuery({
    queryKey: ['picture', address],
    queryFn: () => (address === null ? null : objectUrlOf(address)),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  });
  return data ? (
    <img class={classes.picture} src={data} alt="" width="48" height="48" />
  ) : (
    <span
      class={`${classes.picture} ${classes.initial}`}
      style={{ '--hue': String(hueOf(name)) }}
      aria-hidden="true"
    >
      {[...name.trim()][0]?.toLocaleUpperCase()}
    </span>
  );
}

async function objectUrlOf(address: string): Promise<string | null> {
  const answer = await send(new Request(new URL(address, location.origin)));
  return answer.ok ? URL.createObjectURL(await answer.blob()) : null;
}

/** A colour that stays the same for a name. */
const hueOf = (name: string): number =>
  [...name].reduce((sum, sign) => (sum * 31 + (sign.codePointAt(0) ?? 0)) % 360, 7);
