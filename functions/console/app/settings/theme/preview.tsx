import type { ComponentChildren, JSX } from 'preact';
import { contrasting, grounds, readableOn } from '../../../../../shared/kernel/pictures/colors.ts';
import { Footer } from '../../../../../shared/web/frame/footer.tsx';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import { Field } from '../../../../../shared/web/ui/controls/field.tsx';
import { Icon } from '../../../../../shared/web/ui/controls/icon.tsx';
import { Badge } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { facts } from '../../facts.ts';
import type { Values } from '../../records/form/form-values.ts';
import { isColor } from '../../records/form/inputs/color-input.tsx';
import { say } from '../../texts.ts';
import classes from './theme.module.css';

const fallback = '#2563eb';

type Scheme = 'light' | 'dark';

/** The colours of a page with this branding, as the portal writes them into its pages. */
function styleOf(color: string, scheme: Scheme) {
  return {
    colorScheme: scheme,
    '--accent': color,
    '--on-accent': contrasting(color),
    '--accent-text': readableOn(grounds[scheme], color),
  };
}

/** The pages with the values of the form, in both colour schemes. They cannot be used. */
export const Preview = ({ values }: { values: Values }): JSX.Element => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: an element that scrolls is reached by keyboard
  <section class={classes.preview} aria-labelledby="theme-preview" tabIndex={0}>
    <h2 id="theme-preview">{say('theme_preview')}</h2>
    <div class={classes.schemes}>
      {(['light', 'dark'] as const).map((scheme) => (
        <figure key={scheme} class={classes.scheme}>
          <figcaption>{say(`theme_scheme_${scheme}`)}</figcaption>
          <Scene values={values} scheme={scheme} />
        </figure>
      ))}
    </div>
  </section>
);

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

function Scene({ values, scheme }: { values: Values; scheme: Scheme }): JSX.Element {
  const color = isColor(values.primary_color) ? values.primary_color : fallback;
  return (
    <div class={classes.scene} style={styleOf(color, scheme)} data-preview={scheme} inert={true}>
      <Page title={say('theme_preview_signin')}>
        <SignIn values={values} />
      </Page>
      <Page title={say('theme_preview_console')}>
        <Bar values={values} />
      </Page>
      <Page title={say('theme_preview_home')}>
        <Card />
      </Page>
    </div>
  );
}

const Page = ({ title, children }: { title: string; children: ComponentChildren }): JSX.Element => (
  <div class={classes.sample}>
    <p class={classes.caption}>{title}</p>
    {children}
  </div>
);

function SignIn({ values }: { values: Values }): JSX.Element {
  const [logo, background] = [text(values.logo), text(values.login_background)];
  return (
    <div class={classes.signin}>
      {background !== '' && <img class={classes.backdrop} src={background} alt="" />}
      <div class={classes.sheet}>
        {logo !== '' && <img class={classes.logo} src={logo} alt="" />}
        <p class={classes.site}>{text(values.site_name)}</p>
        {text(values.login_text) !== '' && <p class={classes.text}>{text(values.login_text)}</p>}
        <Field label={say('theme_user_name')} value="" />
        <Button>{say('theme_continue')}</Button>
      </div>
      <div class={classes.foot}>
        <Footer
          facts={{
            ...facts,
            footer_text: text(values.footer_text),
            copyright: text(values.copyright),
            copyright_link: text(values.copyright_link),
            support_link: text(values.support_link),
          }}
        />
      </div>
    </div>
  );
}

/** The bar of the console, with the mark of the current page. */
const Bar = ({ values }: { values: Values }): JSX.Element => (
  <>
    <div class={classes.bar}>
      {text(values.logo) !== '' && <img src={text(values.logo)} alt="" />}
      <b>{text(values.site_name)}</b>
      <span class={classes.user}>
        <Icon name="user" />
        {facts.user.name}
      </span>
    </div>
    <p class={classes.current}>{say('overview')}</p>
  </>
);

/** A workplace of a user. */
const Card = (): JSX.Element => (
  <div class={classes.card}>
    <b>{say('theme_workplace')}</b>
    <div class={classes.cardFoot}>
      <Badge tone="good">{say('theme_ready')}</Badge>
      <Button>{say('theme_connect')}</Button>
    </div>
    <a href="#/theme">{say('theme_link')}</a>
  </div>
);
