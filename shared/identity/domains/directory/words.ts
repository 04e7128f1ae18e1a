import { dictionary } from '../fields.ts';

/** Words of the forms of directories, by the English ones. */
export const { words, field, russian } = dictionary({
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
    'Члены группы, входящей в другую группу, входят в обе',
  Realm: 'Область Kerberos',
  'For logins with a certificate (PKINIT)': 'Для входа по сертификату (PKINIT)',
  'Key distribution centres': 'Центры распределения ключей',
  'host:port, tried in this order': 'узел:порт, опрашиваются в этом порядке',
  'Certificate authorities of the KDC': 'Доверенные центры',
  'PEM certificates of the authorities that issue the certificates of the KDC':
    'Сертификаты PEM, к которым должны вести сертификаты KDC',
  'Names of the KDC': 'Имена KDC',
  'Accepted names in the certificate of the KDC, if they differ from its address':
    'Имена, которые могут стоять в его сертификате, если они не совпадают с адресом',
  'Purpose of the certificate': 'Назначение сертификата',
  'Extended key usage that the certificate of the KDC must have':
    'Расширенное назначение ключа, которое должно быть в сертификате KDC',
  'Kerberos KDC': 'Kerberos KDC',
  'Server authentication': 'Проверка подлинности сервера',
  'Card logins without the directory': 'Карты без каталога',
  'Hours after a verified login in which the same card is accepted while the directory is unreachable. 0: never. Requires the permission for all sites':
    'Сколько часов после проверенного входа та же карта допускается, пока каталог недоступен; 0 — никогда. Нужно разрешение на все площадки',
  Servers: 'Серверы',
  'ldaps://host or ldap://host, optionally with a port; tried in this order':
    'ldaps://узел или ldap://узел, при необходимости с портом; опрашиваются в этом порядке',
  StartTLS: 'StartTLS',
  'Encrypt connections to ldap:// servers. Otherwise the servers must be in the allowed private networks':
    'Шифровать соединения с серверами ldap://; без этого они должны быть в разрешённых частных сетях',
  'Certificate authority': 'Центр сертификации',
  'PEM certificates that are trusted instead of the public certificate authorities':
    'Сертификаты PEM, которым портал доверяет вместо публичных центров',
  Account: 'Учётная запись',
  'Search account. Empty: anonymous searches': 'От чьего имени выполняется поиск; пусто — анонимно',
  'Password of the account': 'Пароль учётной записи',
  'Never displayed. Leave it empty to keep the stored password while the servers stay the same':
    'Не показывается; если оставить пустым и не менять серверы, сохраняется прежний',
  'Time limit': 'Предельное время',
  'Maximum duration of a login or search in seconds': 'Сколько секунд может длиться вход или поиск',
  'Page size': 'Размер страницы',
  'Maximum number of entries in one response of the directory': 'Сколько записей может быть в одном ответе каталога',
  Base: 'База',
  'Entry that contains the users and groups, for example dc=example,dc=com':
    'Запись, ниже которой находятся пользователи и группы, например dc=example,dc=com',
  'User filter': 'Фильтр пользователей',
  'Only matching users can log in, for example (memberOf=cn=staff,dc=example,dc=com)':
    'Вход разрешён только подходящим пользователям, например (memberOf=cn=staff,dc=example,dc=com)',
  'User class': 'Класс пользователей',
  'Object class of users': 'Класс объектов пользователей',
  'Login attribute': 'Атрибут входа',
  'Attribute with the login name': 'Хранит имя для входа',
  'Name attribute': 'Атрибут имени',
  'Attribute with the full name': 'Хранит настоящее имя',
  'Group class': 'Класс групп',
  'Object class of groups': 'Класс объектов групп',
  'Group attribute': 'Атрибут группы',
  'Attribute with the name of a group': 'Хранит имя',
  'Member attribute': 'Атрибут членов',
  'Attribute with the members of a group': 'Хранит членов',
});
