/** Results of the test of a dispatcher node. */
export const connectionTests = {
  'The portal can use the node': 'Портал может работать с узлом',
  'The portal cannot use the node yet': 'Портал пока не может работать с узлом',
  'The node rejects the account of the portal': 'Узел отклоняет учётную запись портала',
  'Several domains of the node have the label of the account':
    'Метка домена учётной записи на узле не однозначна: её имеют несколько доменов',
  'The node rejected this account a short time ago. It is not tried again for 15 minutes, because the node may block the address of the portal':
    'Узел недавно отклонил эту учётную запись. В течение 15 минут она не проверяется снова, иначе узел может заблокировать адрес портала',
  'The node rejected several accounts a short time ago. No login is tried for 10 minutes, because the node may block the address of the portal':
    'Узел недавно отклонил несколько учётных записей. В течение 10 минут вход не выполняется, иначе узел может заблокировать адрес портала',
  'The node accepts administrators from the address of the portal':
    'Узел принимает администраторов с адреса портала',
  'The node does not accept administrators from the address of the portal':
    'Узел не принимает администраторов с адреса портала',
  'The account is an administrator of the node': 'Учётная запись является администратором узла',
  'The account is not an administrator of the node': 'Учётная запись не является администратором узла',
  'The account can sign users in': 'Учётная запись может выполнять вход за пользователей',
  'The account cannot sign users in': 'Учётная запись не может выполнять вход за пользователей',
  'Nodes of this kind have no accounts of the portal': 'У узлов этого вида нет учётной записи портала',
  'No account of the portal is set': 'Учётная запись портала не задана',
  'An earlier step failed': 'Предыдущий шаг не удался',
  'The URL contains an address': 'В URL указан адрес',
  'The name is known': 'Имя известно',
  'The name cannot be resolved': 'Имя не удалось преобразовать в адрес',
  'The address is private or special, and is not in the networks of ALLOWED_PRIVATE_NETWORKS':
    'Адрес частный или особый и не входит в сети ALLOWED_PRIVATE_NETWORKS',
  'Allowed: {addresses}': 'Разрешено: {addresses}',
  'Encrypted with {protocol}': 'Шифрование {protocol}',
  'No TLS server responds at this address and port': 'По этому адресу и порту не отвечает сервер TLS',
  'The platform of the portal has no access to connections':
    'Платформа портала не даёт доступа к соединениям',
  'The certificate is trusted': 'Сертификату доверяют',
  'Certificates of the node are not verified': 'Сертификаты узла не проверяются',
  'The certificate has expired': 'Срок действия сертификата истёк',
  'The certificate is not valid yet': 'Срок действия сертификата ещё не начался',
  'The certificate is for other names than the one in the URL':
    'Сертификат выдан на другие имена, не на имя из URL',
  'The certificate is issued by the node itself': 'Сертификат выдан самим узлом',
  'The certificate is issued by an authority that is not trusted':
    'Сертификат выдан центром сертификации, которому не доверяют',
  'The platform of the portal trusts public authorities only':
    'Платформа портала доверяет только публичным центрам сертификации',
  'The certificate cannot be verified': 'Сертификат не удалось проверить',
  'The node responds as a dispatcher': 'Узел отвечает как диспетчер',
  'The node accepts the portal': 'Узел принимает портал',
  'The node rejects the token of the portal': 'Узел отклоняет токен портала',
  'No key of the health check is set': 'Ключ проверки состояния не задан',
  'The node works': 'Узел работает',
  'The node works, version {version}': 'Узел работает, версия {version}',
  'The node reports that it does not work': 'Узел сообщает, что он не работает',
  'The node rejects the key of the health check': 'Узел отклоняет ключ проверки состояния',
  'Pools, workplaces and sessions can be read': 'Пулы, рабочие места и сеансы читаются',
  'The node does not allow the portal to read its lists': 'Узел не разрешает порталу читать списки',
  'The node does not respond in time': 'Узел не отвечает вовремя',
  'The node reports an internal error. It may not be able to read the public keys of the portal':
    'Узел сообщает о внутренней ошибке. Возможно, он не может прочитать открытые ключи портала',
  'The server closes the connection without an answer': 'Сервер закрывает соединение без ответа',
  'The server refers to another address': 'Сервер отправляет на другой адрес',
  'The server responds, but not as a dispatcher of this kind':
    'Сервер отвечает, но не как диспетчер этого типа',
  'Also requires {permissions} for all sites': 'Также нужны права {permissions} на все площадки',
};
