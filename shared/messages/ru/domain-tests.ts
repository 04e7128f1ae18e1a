/** Results of the test of an authentication domain. */
export const domainTests = {
  'The parameters are valid': 'Параметры корректны',
  'Some parameters are not valid': 'Некоторые параметры некорректны',
  'Correct the parameters first': 'Сначала исправьте параметры',
  'The domain works': 'Домен работает',
  'The domain does not work with these parameters': 'С этими параметрами домен не работает',
  'The directory is searched anonymously': 'Поиск в каталоге выполняется анонимно',
  'A password requires an account': 'Для пароля нужна учётная запись',
  'An account requires a password': 'Для учётной записи нужен пароль',
  'No Kerberos parameters are set': 'Параметры Kerberos не заданы',
  'Users were found': 'Пользователи найдены',
  'No users were found below the base': 'В базе поиска пользователи не найдены',
  'Groups were found': 'Группы найдены',
  'No groups were found below the base': 'В базе поиска группы не найдены',
  'The name belongs to another domain': 'Имя относится к другому домену',
  'The directory has no entry with this name, or several':
    'В каталоге нет записи с этим именем или их несколько',
  'The password is incorrect': 'Неверный пароль',
  'The directory has no such user': 'В каталоге нет такого пользователя',
  'The account is not allowed to log in at this time of day':
    'Вход с этой учётной записью в это время суток запрещён',
  'The account is allowed to log in only from certain computers':
    'Вход с этой учётной записью разрешён только с определённых компьютеров',
  'The password has expired': 'Срок действия пароля истёк',
  'The password must be changed before the first login': 'Перед первым входом необходимо сменить пароль',
  'The login name is too long or contains characters that cannot be stored':
    'Имя для входа слишком длинное или содержит символы, которые нельзя сохранить',
  'The password is correct, but the user cannot log in.': 'Пароль верен, но войти с ним нельзя.',
  'The directory does not accept the password': 'Каталог не принимает этот пароль',
  None: 'Нет',
  'Registered: {known}; not registered: {others}': 'Зарегистрированы: {known}; не зарегистрированы: {others}',
  responds: 'отвечает',
  'no KDC responds': 'KDC не отвечает',
  'does not serve the realm': 'не обслуживает эту область',
  'does not accept certificates': 'не принимает сертификаты',
} as const;
