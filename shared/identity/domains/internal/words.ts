import { dictionary } from '../fields.ts';

/** Words on the internal type, by the English ones. */
export const { words, russian } = dictionary({
  Internal: 'Внутренний',
  'Users and passwords are stored in the portal': 'Пользователи и пароли хранятся на портале',
});
