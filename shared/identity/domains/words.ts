import { dictionary } from './fields.ts';

/** Words of what domains of every type have, by the English ones. */
export const { words, field, russian } = dictionary({
  'User name': 'Имя пользователя',
  'Group name': 'Имя группы',
  Password: 'Пароль',
  Name: 'Название',
  'Shown where people log in': 'Показывается при входе',
  Label: 'Метка',
  'The label by which dispatchers know the domain': 'Метка, под которой домен знают диспетчеры',
  Type: 'Тип',
  'Set at creation only': 'Задаётся только при создании',
  Comments: 'Комментарий',
  'For administrators': 'Для администраторов',
  Priority: 'Приоритет',
  'Lower ones are listed first': 'Домены с меньшим числом стоят в списке раньше',
  State: 'Состояние',
  'Whether people can log in, and whether the domain is listed for that':
    'Возможен ли вход и показывается ли домен в списке',
  'Who may log in': 'Кому разрешён вход',
  'Staff are the users that hold a role': 'Сотрудники — пользователи, у которых есть роль',
  Visible: 'Виден',
  'Hidden: not listed for logins': 'Скрыт: нет в списке при входе',
  Disabled: 'Отключён',
  Everybody: 'Всем',
  'Users without a role': 'Пользователям без роли',
  'Users with a role': 'Пользователям с ролью',
  'Second factor': 'Второй фактор',
  'Ask for a one-time code besides the password': 'Спрашивать кроме пароля одноразовый код',
  Tags: 'Теги',
  'Names of tags': 'Названия тегов',
});
