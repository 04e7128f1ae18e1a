/** Refusals of provisioning by SCIM. */
export const provisioning = {
  'A filter can have at most {limit} conditions': 'В фильтре может быть не более {limit} условий',
  'A group with this name exists': 'Группа с таким именем уже существует',
  'A member is not a user of the domain': 'Участник не является пользователем домена',
  'A removal requires a path': 'Для удаления нужен путь',
  'A request can have at most {limit} changes': 'В запросе может быть не более {limit} изменений',
  'A request can have at most {limit} operations': 'В запросе может быть не более {limit} операций',
  'A request can name at most {limit} members': 'В запросе можно указать не более {limit} участников',
  'A user with this name or identifier exists':
    'Пользователь с таким именем или идентификатором уже существует',
  'An administrator has deactivated the user': 'Пользователя отключил администратор',
  'An administrator must activate an account with roles':
    'Учётную запись с ролями должен включить администратор',
  'An administrator must bind an account that is in use':
    'Привязать используемую учётную запись должен администратор',
  'An administrator must rename an account with roles that is not bound':
    'Непривязанную учётную запись с ролями должен переименовать администратор',
  'An operation must be add, replace or remove': 'Операция должна быть add, replace или remove',
  'An operation without a path requires an object': 'Для операции без пути нужен объект',
  'At most {limit} attributes can be named': 'Можно указать не более {limit} атрибутов',
  'Members can be added, and removed by their value':
    'Участников можно добавлять и удалять по значению value',
  'No value of the attribute matches the path': 'Ни одно значение атрибута не соответствует пути',
  'SCIM requires a service token with the permission `scim.provision` alone':
    'Для SCIM нужен сервисный токен с единственным разрешением `scim.provision`',
  'The attribute {name} can have at most {limit} values':
    'У атрибута {name} может быть не более {limit} значений',
  'The attribute {name} cannot be changed': 'Атрибут {name} изменить нельзя',
  'The attribute {name} cannot be used here': 'Атрибут {name} здесь использовать нельзя',
  'The attribute {name} cannot be compared in this way': 'Атрибут {name} так сравнивать нельзя',
  'The attribute {name} cannot be compared with this value':
    'Атрибут {name} нельзя сравнить с этим значением',
  'The attribute {name} has no valid value': 'Значение атрибута {name} недопустимо',
  'The attribute {name} must be of the type {type}': 'Атрибут {name} должен иметь тип {type}',
  'The expression is incomplete': 'Выражение не закончено',
  'The expression is nested too deeply': 'Выражение вложено слишком глубоко',
  'The expression is not valid at character {position}': 'Выражение недопустимо, символ {position}',
  'The group has too many members for a response: exclude the attribute `members`':
    'В группе слишком много участников для ответа: исключите атрибут `members`',
  'The group waives the second factor, so only an administrator can change it':
    'Группа освобождает от второго фактора, поэтому изменить её может только администратор',
  'The number of resources is not valid': 'Недопустимое количество ресурсов',
  'The operation refers to `bulkId:{id}`, which no operation creates':
    'Операция ссылается на `bulkId:{id}`, который ни одна операция не создаёт',
  'The operation refers to a failed or circular `bulkId`':
    'Операция ссылается на `bulkId`, который не создан или зависит от неё самой',
  'The parameters attributes and excludedAttributes exclude each other':
    'Параметры attributes и excludedAttributes исключают друг друга',
  'The path of the operation is not valid': 'Недопустимый путь операции',
  'The request needs too much work: send fewer changes, values or conditions':
    'Запрос требует слишком много работы: отправьте меньше изменений, значений или условий',
  'The user is in too many groups for a response: exclude the attribute `groups`':
    'Пользователь состоит в слишком многих группах для ответа: исключите атрибут `groups`',
  'The address Me is not supported': 'Адрес Me не поддерживается',
} as const;
