import { dictionary } from '../fields.ts';

/** Labels and help texts of directory forms, keyed by the English text. */
export const { texts, field, russian } = dictionary({
  LDAP: 'LDAP',
  'Users and groups of an LDAP directory': 'Пользователи и группы каталога LDAP',
  'Active Directory': 'Active Directory',
  'Users and groups of a Microsoft domain': 'Пользователи и группы домена Microsoft',
  FreeIPA: 'FreeIPA',
  'Users and groups of a FreeIPA domain': 'Пользователи и группы домена FreeIPA',
  Server: 'Сервер',
  Users: 'Пользователи',
  Groups: 'Группы',
  Kerberos: 'Kerberos',
  'Nested groups': 'Вложенные группы',
  'Members of a nested group also belong to the groups that contain it':
    'Участники вложенной группы входят и во все содержащие её группы',
  Realm: 'Область Kerberos',
  'For logins with a certificate (PKINIT)': 'Для входа по сертификату (PKINIT)',
  'Key distribution centres': 'Центры распределения ключей',
  'host:port, tried in this order': 'хост:порт; опрашиваются в указанном порядке',
  'Certificate authorities of the KDC': 'Центры сертификации KDC',
  'PEM certificates of the authorities that issue the certificates of the KDC':
    'Сертификаты PEM центров, которые выпускают сертификаты KDC',
  'Names of the KDC': 'Имена KDC',
  'Accepted names in the certificate of the KDC, if they differ from its address':
    'Допустимые имена в сертификате KDC, если они отличаются от его адреса',
  'Purpose of the certificate': 'Назначение сертификата',
  'Extended key usage that the certificate of the KDC must have':
    'Расширенное использование ключа (EKU), которое должен содержать сертификат KDC',
  'Kerberos KDC': 'Kerberos KDC',
  'Server authentication': 'Проверка подлинности сервера',
  'Card logins without the directory': 'Вход по карте без каталога',
  'Hours after a verified login in which the same card is accepted while the directory is unreachable. 0: never. Requires the permission for all sites':
    'Сколько часов после проверенного входа принимается та же карта, пока каталог недоступен; 0 — никогда. Требуется разрешение на все площадки',
  Servers: 'Серверы',
  'ldaps://host or ldap://host, optionally with a port; tried in this order':
    'ldaps://хост или ldap://хост, при необходимости с портом; опрашиваются в указанном порядке',
  StartTLS: 'StartTLS',
  'Encrypt connections to ldap:// servers. Otherwise the servers must be in the allowed private networks':
    'Шифровать соединения с серверами ldap://. Иначе серверы должны находиться в разрешённых частных сетях',
  'Certificate authority': 'Центр сертификации',
  'PEM certificates that are trusted instead of the public certificate authorities':
    'Сертификаты PEM, которым портал доверяет вместо публичных центров сертификации',
  Account: 'Учётная запись',
  'Search account. Empty: anonymous searches': 'Учётная запись для поиска; пусто — анонимный поиск',
  'Password of the account': 'Пароль учётной записи',
  'Never displayed. Leave it empty to keep the stored password while the servers stay the same':
    'Не отображается. Чтобы сохранить прежний пароль, оставьте поле пустым и не меняйте серверы',
  'Time limit': 'Предельное время',
  'Maximum duration of a login or search in seconds, of which each server has an equal share':
    'Максимальная длительность входа или поиска в секундах, разделённая поровну между серверами',
  'Page size': 'Размер страницы',
  'Maximum number of entries in one response of the directory':
    'Максимальное число записей в одном ответе каталога',
  Base: 'База',
  'Entry that contains the users and groups, for example dc=example,dc=com':
    'Запись, которая содержит пользователей и группы, например dc=example,dc=com',
  'User filter': 'Фильтр пользователей',
  'Only matching users can log in, for example (memberOf=cn=staff,dc=example,dc=com)':
    'Входить могут только подходящие под фильтр пользователи, например (memberOf=cn=staff,dc=example,dc=com)',
  'User class': 'Класс пользователей',
  'Object class of users': 'Класс объектов пользователей',
  'Login attribute': 'Атрибут имени для входа',
  'Contains the login name': 'Атрибут с именем для входа',
  'Name attribute': 'Атрибут полного имени',
  'Contains the full name': 'Атрибут с полным именем',
  'Group class': 'Класс групп',
  'Object class of groups': 'Класс объектов групп',
  'Group attribute': 'Атрибут имени группы',
  'Contains the group name': 'Атрибут с именем группы',
  'Member attribute': 'Атрибут участников',
  'Contains the members': 'Атрибут с участниками группы',
});
