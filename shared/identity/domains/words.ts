import { dictionary } from './fields.ts';

/** Words of what domains of every type have, by the English ones. */
export const { words, field, russian } = dictionary({
  'User name': 'Имя пользователя',
  'Group name': 'Имя группы',
  Password: 'Пароль',
  Name: 'Название',
  'Shown on the sign-in page': 'Показывается при входе',
  Label: 'Метка',
  'Label that identifies the domain on dispatchers': 'Метка, под которой домен знают диспетчеры',
  Type: 'Тип',
  'Cannot be changed after creation': 'Задаётся только при создании',
  Comments: 'Комментарий',
  'Notes for administrators': 'Для администраторов',
  Priority: 'Приоритет',
  'Domains with lower numbers are listed first': 'Домены с меньшим числом стоят в списке раньше',
  State: 'Состояние',
  'Whether users can log in and whether the domain is listed on the sign-in page':
    'Возможен ли вход и показывается ли домен в списке',
  'Permitted users': 'Кому разрешён вход',
  'Users who may log in: all, those without a role, or those with a role': 'Сотрудники — пользователи, у которых есть роль',
  Visible: 'Виден',
  'Hidden (not on the sign-in page)': 'Скрыт: нет в списке при входе',
  Disabled: 'Отключён',
  Everybody: 'Всем',
  'Users without a role': 'Пользователям без роли',
  'Users with a role': 'Пользователям с ролью',
  'Second factor': 'Второй фактор',
  'Require a one-time code in addition to the password': 'Спрашивать кроме пароля одноразовый код',
  Tags: 'Теги',
  'Names of tags': 'Названия тегов',
});
