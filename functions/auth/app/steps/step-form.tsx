import type { ComponentChildren, JSX, RefObject } from 'preact';
import classes from '../signin.module.css';

type StepFormProps = {
  id: string;
  form: RefObject<HTMLFormElement | null>;
  submit: (event: Event) => void;
  children: ComponentChildren;
};

/** A form with the name of its step. Even without its script, it would put nothing into an address. */
export const StepForm = ({ id, form, submit, children }: StepFormProps): JSX.Element => (
  <form
    {...{ id, ref: form, class: classes.form, method: 'post', noValidate: true }}
    aria-labelledby="heading"
    onSubmit={submit}
  >
    {children}
  </form>
);
