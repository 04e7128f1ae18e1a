import { dictionary } from './fields.ts';

/** Texts of the fields of all domain types, keyed by the English text. */
export const { texts, field, russian } = dictionary({
  'User name': 'Имя пользователя',
  'Group name': 'Имя группы',
  Password: 'Пароль',
  Name: 'Название',
  'Shown on the sign-in page': 'Отображается на странице входа',
  Label: 'Метка',
  'Label that identifies the domain on dispatchers': 'Метка, которая обозначает домен на диспетчерах',
  Type: 'Тип',
  'Cannot be changed after creation': 'Нельзя изменить после создания',
  Comments: 'Комментарий',
  'Notes for administrators': 'Примечания для администраторов',
  Priority: 'Приоритет',
  'Domains with lower numbers are listed first': 'Домены с меньшим числом стоят в списке раньше',
  State: 'Состояние',
  'Whether users can log in and whether the domain is listed on the sign-in page':
    'Разрешён ли вход и показывается ли домен на странице входа',
  'Permitted users': 'Кому разрешён вход',
  'Users who may log in: all, those without a role, or those with a role':
    'Вход разрешён всем, пользователям без роли или пользователям с ролью',
  Visible: 'Виден',
  'Hidden (not on the sign-in page)': 'Скрыт (нет на странице входа)',
  Disabled: 'Отключён',
  'All users': 'Все пользователи',
  'Users without a role': 'Пользователи без роли',
  'Users with a role': 'Пользователи с ролью',
  'Second factor': 'Второй фактор',
  'Require a one-time code in addition to the password': 'Запрашивать одноразовый код в дополнение к паролю',
  Tags: 'Теги',
  'Names of tags': 'Названия тегов',
});
