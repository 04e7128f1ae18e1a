/** Refusals of tokens for provisioning. */
export const tokens = {
  'A token for provisioning has no other permission':
    'У токена для управления учётными записями не может быть других разрешений',
  'Only administrators create tokens for provisioning':
    'Токены для управления учётными записями создают только администраторы',
  'The type of the domain does not support provisioning':
    'Тип домена не поддерживает автоматическое управление учётными записями',
  'Tokens for provisioning require every permission for all sites':
    'Для токена управления учётными записями нужны все разрешения для всех площадок',
};
