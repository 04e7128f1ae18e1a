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
  'Members of a group that is in a group belong to both':
    'Члены группы, входящей в другую группу, входят в обе',
  Realm: 'Область Kerberos',
  'For logins with a certificate (PKINIT)': 'Для входа по сертификату (PKINIT)',
  'Key distribution centres': 'Центры распределения ключей',
  'host:port, asked in this order': 'узел:порт, опрашиваются в этом порядке',
  'Trust anchors': 'Доверенные центры',
  'PEM certificates that certificates of the KDC must lead to':
    'Сертификаты PEM, к которым должны вести сертификаты KDC',
  'Names of the KDC': 'Имена KDC',
  'Names that its certificate may bear, when they are not those of its address':
    'Имена, которые могут стоять в его сертификате, если они не совпадают с адресом',
  'Purpose of the certificate': 'Назначение сертификата',
  'The extended key usage that the certificate of the KDC must have':
    'Расширенное назначение ключа, которое должно быть в сертификате KDC',
  'Kerberos KDC': 'Kerberos KDC',
  'Server authentication': 'Проверка подлинности сервера',
  'Cards without the directory': 'Карты без каталога',
  'Hours after a checked login in which the same card is admitted while the directory cannot be reached; 0: never. Needs the permission for all sites':
    'Сколько часов после проверенного входа та же карта допускается, пока каталог недоступен; 0 — никогда. Нужно разрешение на все площадки',
  Servers: 'Серверы',
  'ldaps://host or ldap://host, with a port if need be; asked in this order':
    'ldaps://узел или ldap://узел, при необходимости с портом; опрашиваются в этом порядке',
  StartTLS: 'StartTLS',
  'Encrypt connections to ldap:// servers; without it they must be in allowed private networks':
    'Шифровать соединения с серверами ldap://; без этого они должны быть в разрешённых частных сетях',
  'Certificate authority': 'Центр сертификации',
  'PEM certificates that are trusted instead of the public authorities':
    'Сертификаты PEM, которым портал доверяет вместо публичных центров',
  Account: 'Учётная запись',
  'Who searches; empty: anonymous': 'От чьего имени выполняется поиск; пусто — анонимно',
  'Password of the account': 'Пароль учётной записи',
  'Never read back; kept when it is left empty and the servers stay the same':
    'Не показывается; если оставить пустым и не менять серверы, сохраняется прежний',
  'Time limit': 'Предельное время',
  'Seconds that one login or search may take': 'Сколько секунд может длиться вход или поиск',
  'Page size': 'Размер страницы',
  'Entries that one answer of the directory may hold': 'Сколько записей может быть в одном ответе каталога',
  Base: 'База',
  'The entry below which users and groups are, for example dc=example,dc=com':
    'Запись, ниже которой находятся пользователи и группы, например dc=example,dc=com',
  'User filter': 'Фильтр пользователей',
  'Only users that fit it may log in, for example (memberOf=cn=staff,dc=example,dc=com)':
    'Вход разрешён только подходящим пользователям, например (memberOf=cn=staff,dc=example,dc=com)',
  'User class': 'Класс пользователей',
  'Object class of users': 'Класс объектов пользователей',
  'Login attribute': 'Атрибут входа',
  'Holds the login name': 'Хранит имя для входа',
  'Name attribute': 'Атрибут имени',
  'Holds the real name': 'Хранит настоящее имя',
  'Group class': 'Класс групп',
  'Object class of groups': 'Класс объектов групп',
  'Group attribute': 'Атрибут группы',
  'Holds the name': 'Хранит имя',
  'Member attribute': 'Атрибут членов',
  'Holds the members': 'Хранит членов',
});
