import { dictionary } from '../fields.ts';

/** Texts of the internal type, keyed by the English text. */
export const { texts, russian } = dictionary({
  Internal: 'Внутренний',
  'Users and passwords are stored in the portal': 'Пользователи и пароли хранятся на портале',
});
