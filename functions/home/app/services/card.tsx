import type { JSX } from 'preact';
import { agoText } from '../../../../shared/web/text/moments.ts';
import { Button, IconButton } from '../../../../shared/web/ui/controls/button.tsx';
import { Badge, type Tone } from '../../../../shared/web/ui/feedback/feedback.tsx';
import { Menu } from '../../../../shared/web/ui/overlays/menu.tsx';
import { facts } from '../facts.ts';
import { say } from '../texts.ts';
import classes from './card.module.css';
import { connectButton } from './card-keys.ts';
import type { Card, Service } from './cards.ts';
import { Picture } from './picture.tsx';

type ServiceCardProps = {
  card: Card;
  /** @param protocol undefined: as the user chose last, or as the service offers it */
  onConnect: (protocol?: Protocol) => void;
  onLogOff: () => void;
  onFavourite: (isFavourite: boolean) => void;
  /** A message of a maintenance that is not shown elsewhere. */
  message: string | undefined;
};

export type Protocol = 'rdp' | 'spice';
const isProtocol = (text: string): text is Protocol => text === 'rdp' || text === 'spice';

/** A workplace with its state and the button to connect. */
export function ServiceCard({
  card,
  message,
  onConnect,
  onLogOff,
  onFavourite,
}: ServiceCardProps): JSX.Element {
  const { service } = card;
  const isOpen = service.sessions.length > 0;
  return (
    <article class={classes.card} data-key={card.key}>
      <Head card={card} onFavourite={onFavourite} />
      {service.description !== '' && <p class={classes.description}>{service.description}</p>}
      {message !== undefined && <p class={classes.message}>{message}</p>}
      <div class={classes.foot}>
        <State service={service} />
        <div class={classes.actions}>
          <More service={service} onConnect={onConnect} onLogOff={onLogOff} />
          <Button
            look={isOpen || service.state === 'ready' ? 'main' : 'plain'}
            {...connectButton}
            aria-label={say(isOpen ? 'reconnect_to' : 'connect_to', { name: service.name })}
            onClick={() => onConnect()}
          >
            {say(isOpen ? 'reconnect' : 'connect')}
          </Button>
        </div>
      </div>
    </article>
  );
}

type HeadProps = Pick<ServiceCardProps, 'card' | 'onFavourite'>;

const Head = ({ card, card: { service }, onFavourite }: HeadProps): JSX.Element => (
  <div class={classes.head}>
    <Picture name={service.name} address={service.image_url} />
    <div class={classes.names}>
      <h3>{service.name}</h3>
      <Where card={card} />
    </div>
    <IconButton
      icon="star"
      filled={service.favourite}
      label={say('favourite', { name: service.name })}
      aria-pressed={service.favourite}
      onClick={() => onFavourite(!service.favourite)}
    />
  </div>
);

/** The site, if the user has several, and when a workplace without an open session was last used. */
function Where({ card: { site, service } }: Pick<ServiceCardProps, 'card'>): JSX.Element | null {
  const { last_used_at: lastUse, sessions } = service;
  const hasSites = facts.sites.length > 1;
  if (lastUse === null || sessions.length > 0)
    return hasSites ? <p class={classes.where}>{site.name}</p> : null;
  const values = { site: site.name, ago: agoText(lastUse) };
  return <p class={classes.where}>{say(hasSites ? 'last_used_where' : 'last_used', values)}</p>;
}

type MoreProps = Pick<ServiceCardProps, 'onConnect' | 'onLogOff'> & { service: Service };

/** Other ways to connect, and the end of an open session. */
function More({ service, onConnect, onLogOff }: MoreProps): JSX.Element | null {
  const protocols = service.protocols.filter(isProtocol);
  const isOpen = service.sessions.length > 0;
  if (protocols.length < 2 && !isOpen) return null;
  return (
    <Menu
      trigger={(attributes) => (
        <IconButton icon="more" label={say('more', { name: service.name })} {...attributes} />
      )}
    >
      {protocols.length > 1 &&
        protocols.map((protocol) => (
          <Button key={protocol} look="quiet" icon="screen" onClick={() => onConnect(protocol)}>
            {say(`connect_${protocol}`)}
          </Button>
        ))}
      {isOpen && (
        <Button look="quiet" icon="leave" onClick={onLogOff}>
          {say('log_off')}
        </Button>
      )}
    </Menu>
  );
}

const tones: Record<Service['state'], Tone> = {
  ready: 'good',
  busy: 'info',
  maintenance: 'warn',
  unavailable: 'bad',
};

/** The state, unless the workplace is simply ready. */
function State({ service: { state, sessions } }: { service: Service }): JSX.Element {
  const session = sessions[0];
  return (
    <span class={classes.state}>
      {session ? (
        <Badge tone="good">
          {say(session.state === 'active' ? 'session_active' : 'session_disconnected')}
        </Badge>
      ) : (
        state !== 'ready' && <Badge tone={tones[state]}>{say(`state_${state}`)}</Badge>
      )}
    </span>
  );
}
