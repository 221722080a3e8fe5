/**
 * TCP ports of services other than web servers. The first table lists the ports that browsers block (WHATWG Fetch,
 * "bad port"), the second databases, queues and control planes that accept any client, some of them over HTTP.
 */
const TABLES = `
  0 no service, 1 tcpmux, 7 echo, 9 discard, 11 systat, 13 daytime, 15 netstat, 17 qotd, 19 chargen, 20 FTP,
  21 FTP, 22 SSH, 23 Telnet, 25 SMTP, 37 time, 42 name, 43 whois, 53 DNS, 69 TFTP, 77 rje, 79 finger, 87 link,
  95 supdup, 101 hostname, 102 iso-tsap, 103 gppitnp, 104 acr-nema, 109 POP2, 110 POP3, 111 sunrpc, 113 auth,
  115 SFTP, 117 uucp-path, 119 NNTP, 123 NTP, 135 epmap, 137 NetBIOS, 139 NetBIOS, 143 IMAP, 161 SNMP, 179 BGP,
  389 LDAP, 427 SLP, 465 SMTP, 512 exec, 513 login, 514 shell, 515 printer, 526 tempo, 530 courier, 531 chat,
  532 netnews, 540 UUCP, 548 AFP, 554 RTSP, 556 remotefs, 563 NNTP, 587 SMTP, 601 syslog, 636 LDAP, 989 FTP,
  990 FTP, 993 IMAP, 995 POP3, 1719 H.323, 1720 H.323, 1723 PPTP, 2049 NFS, 3659 apple-sasl, 4045 NFS,
  4190 ManageSieve, 5060 SIP, 5061 SIP, 6000 X11, 6566 SANE, 6665 IRC, 6666 IRC, 6667 IRC, 6668 IRC, 6669 IRC,
  6679 OSAUT, 6697 IRC, 10080 Amanda

  445 SMB, 873 rsync, 1433 SQL Server, 1434 SQL Server, 1521 Oracle, 1883 MQTT, 2181 ZooKeeper, 2375 Docker,
  2376 Docker, 2379 etcd, 2380 etcd, 3306 MySQL, 3389 Remote Desktop, 4222 NATS, 4369 Erlang, 5432 PostgreSQL,
  5671 AMQP, 5672 AMQP, 5900 VNC, 5984 CouchDB, 5985 WinRM, 5986 WinRM, 6379 Redis, 6380 Redis, 6443 Kubernetes,
  8500 Consul, 8883 MQTT, 9042 Cassandra, 9092 Kafka, 9200 Elasticsearch, 9300 Elasticsearch, 10250 Kubernetes,
  11211 Memcached, 26379 Redis, 27017 MongoDB, 27018 MongoDB, 27019 MongoDB
`

/** The service of each reserved port. */
export const RESERVED_PORTS: ReadonlyMap<number, string> = new Map(
  TABLES.split(/,|\n\n/).map((entry) => {
    const [, port, service] = /^\s*(\d+) (.+?)\s*$/.exec(entry)!
    return [Number(port), service!]
  }),
)

/** The service of a reserved port, to complete "Port … is reserved for …"; `undefined` if a webhook may use the port. */
export function portRefusal(
  port: number,
  allowedPorts: ReadonlySet<number>,
  { isMail = false } = {},
): string | undefined {
  const service = allowedPorts.has(port) ? undefined : RESERVED_PORTS.get(port)
  return isMail && service === 'SMTP' ? undefined : service
}
