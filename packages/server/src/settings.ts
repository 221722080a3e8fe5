import { formatTimeSpan, LIMITS } from '@hookline/protocol'
import {
  delays,
  hostNames,
  integer,
  keys,
  natsCredentials,
  networks,
  nkeySeed,
  oneOf,
  ports,
  proxyUrl,
  secret,
  subjectToken,
  text,
  texts,
  threads,
  time,
  urlOf,
} from './setting-formats.ts'

/** One setting. This table is the only source of its name, default, format and meaning. */
export interface Setting<T = unknown> {
  /** The description in `--help` and docs/reference/config.md. */
  readonly doc: string
  /** The default, as a user would write it; may be absent. */
  readonly default?: string
  /** A secret is never shown. */
  readonly secret?: true
  /** The value names a path, a host or a network: in the management API, only admins see it. */
  readonly isPlace?: true
  /** Parses the text of the user, or throws an Error whose message completes "… must be". */
  readonly parse: (text: string) => T
}

const HOUR = 60 * 60 * 1000

/** All settings by their name in code, from which flag and environment variable are made. */
export const SETTINGS = {
  host: {
    doc: 'Address to listen on. The default accepts connections from this machine only.',
    default: '127.0.0.1',
    isPlace: true,
    parse: text,
  },
  port: {
    doc: 'Port to listen on. With 0, the system chooses a free port.',
    default: '4800',
    parse: integer(0, 65_535),
  },
  adminHost: {
    doc: 'Address that adminPort listens on.',
    default: '127.0.0.1',
    isPlace: true,
    parse: text,
  },
  adminPort: {
    doc: 'Separate port for management API, health checks and metrics; the other port then only accepts calls. With 0, the system chooses a free port. Without this setting, one port serves everything.',
    parse: integer(0, 65_535),
  },
  backend: {
    doc: 'Where the state is stored. `embedded`: one file in dataDir, for one process. `cluster`: PostgreSQL and NATS JetStream, shared by many processes. The cluster is new, and has not been used in production yet.',
    default: 'embedded',
    parse: oneOf('embedded', 'cluster'),
  },
  role: {
    doc: 'For the cluster: the role of this node. `ingest` accepts calls, `deliver` consumes and delivers, `api` serves the management API and the console; `all` does everything. Each serves health checks and metrics.',
    default: 'all',
    parse: oneOf('all', 'ingest', 'deliver', 'api'),
  },
  databaseUrl: {
    doc: 'For the cluster: URL of the PostgreSQL database, like postgres://user:password@host/hookline. Hookline uses the schema `hookline`. For TLS, append ?sslmode=verify-full, and &sslrootcert=FILE for a private certificate authority, &sslcert=FILE and &sslkey=FILE for a client certificate.',
    secret: true,
    isPlace: true,
    parse: urlOf('postgres://user:password@host:5432/hookline', /^postgres(?:ql)?:$/),
  },
  natsUrl: {
    doc: 'For the cluster: URLs of NATS servers with JetStream, separated by commas, like nats://user:password@host:4222, or nats://token@host:4222. The first user and password are used for all servers. tls:// enables TLS.',
    secret: true,
    isPlace: true,
    parse: urlOf('nats://host:4222, or several with commas between them', /^(?:nats|tls):$/),
  },
  natsCreds: {
    doc: 'For the cluster: the credentials of a NATS user, as in a .creds file: a JWT and the seed of its nkey.',
    secret: true,
    parse: natsCredentials,
  },
  natsNkeySeed: {
    doc: 'For the cluster: the seed of the nkey of a NATS user. It begins with SU.',
    secret: true,
    parse: nkeySeed,
  },
  natsCaFile: {
    doc: 'For the cluster: PEM file of certificate authorities that are trusted for NATS servers, instead of the defaults of Node.js. Enables TLS, like tls:// in natsUrl.',
    isPlace: true,
    parse: text,
  },
  natsCertFile: {
    doc: 'For the cluster: PEM file of the client certificate for NATS servers.',
    isPlace: true,
    parse: text,
  },
  natsKeyFile: {
    doc: 'For the cluster: PEM file of the private key of natsCertFile.',
    isPlace: true,
    parse: text,
  },
  natsMonitorUrl: {
    doc: 'For the cluster: URLs of the monitoring ports of all NATS servers, separated by commas, like http://nats-1:8222. Then a node refuses servers that do not have `sync_interval: always`, and `hookline doctor` checks it.',
    secret: true,
    isPlace: true,
    parse: urlOf('http://host:8222, or several with commas between them', /^https?:$/),
  },
  natsPrefix: {
    doc: 'For the cluster: prefix of the stream and its subjects, so that several services can share NATS servers.',
    default: 'hookline',
    parse: subjectToken,
  },
  natsReplicas: {
    doc: 'For the cluster: the number of NATS servers that store each event. With 3, one of three servers may be lost.',
    default: '1',
    parse: (raw) => Number(oneOf('1', '3', '5')(raw)),
  },
  dataDir: {
    doc: 'Folder of the database, the admin token and the keys.',
    default: './data',
    isPlace: true,
    parse: text,
  },
  acceptLoss: {
    doc: 'For one start after corruption: the number of the last commit in the database, as the refused start reports it. The service then runs without the later commits. 0 stands for a missing database.',
    parse: integer(0, Number.MAX_SAFE_INTEGER),
  },
  adminToken: {
    doc: 'Token of the management API. Without this setting, the service creates one in <dataDir>/admin-token.',
    secret: true,
    parse: secret,
  },
  sessionLifetimeMs: {
    doc: 'How long a browser stays signed in to the console.',
    default: '24h',
    parse: time(60_000, 90 * 24 * HOUR),
  },
  adminRateLimit: {
    doc: 'Maximum requests to the management API per second and token. 0 means no limit.',
    default: '1000',
    parse: integer(0, 1_000_000),
  },
  maxLiveStreams: {
    doc: 'Maximum connections of the live tail, and never more than half of the connections that maxOpenFiles permits. At the limit, a new one replaces one that has read nothing for 5 seconds, or one of a token that has more of them.',
    default: '100',
    parse: integer(1, 10_000),
  },
  allowedHosts: {
    doc: 'Host names by which /metrics and /readyz may be requested, separated by commas; `.example.com` stands for all names below it. IP addresses and names without a dot always work.',
    default: '',
    isPlace: true,
    parse: hostNames,
  },
  maxAuthFailuresPerMinute: {
    doc: 'Maximum requests with a wrong token per minute and client address (IPv6: per /64) that get a 401. Further ones get 429. A correct token always passes. 0 means no limit.',
    default: '60',
    parse: integer(0, 1_000_000),
  },
  encryptionKey: {
    doc: 'Key that encrypts shared secrets, header values and URLs of webhooks in the database: 32 bytes as base64. To change the key, set the new one and the old one, separated by a comma. The first one encrypts. Without this setting, the service creates one in <dataDir>/encryption-key.',
    secret: true,
    parse: keys,
  },
  allowedNetworks: {
    doc: 'Private, loopback or reserved networks that webhooks may reach, separated by commas.',
    default: '',
    isPlace: true,
    parse: networks,
  },
  allowedPorts: {
    doc: 'Ports that webhooks may use although they belong to mail servers, databases or similar services, separated by commas.',
    default: '',
    parse: ports,
  },
  egressProxy: {
    doc: 'URL of an HTTP proxy for all connections to webhooks, with CONNECT: http://user:pass@proxy.example:3128, or https. Without this setting, Hookline connects directly, even if HTTP_PROXY or HTTPS_PROXY is set.',
    secret: true,
    isPlace: true,
    parse: proxyUrl,
  },
  trustedProxies: {
    doc: 'Networks of proxies whose X-Forwarded-For header is trusted, separated by commas.',
    default: '',
    isPlace: true,
    parse: networks,
  },
  tlsCaFile: {
    doc: 'PEM file of certificate authorities that are trusted for webhooks, in addition to the defaults of Node.js.',
    isPlace: true,
    parse: text,
  },
  attemptTimeoutMs: {
    doc: 'Deadline of one attempt, from the name look-up to the last response header.',
    default: formatTimeSpan(LIMITS.attemptTimeoutMs),
    parse: time(100, 60_000),
  },
  retryScheduleMs: {
    doc: 'Waits between attempts, separated by commas, instead of the exponential ones. The last one repeats. A breaker stays open for at most the longest one. For tests.',
    parse: delays,
  },
  retryWindowMs: {
    doc: 'How long a delivery is retried after it first became due.',
    default: formatTimeSpan(LIMITS.retryWindowMs),
    parse: time(0, LIMITS.maxRetryWindowMs),
  },
  retentionMs: {
    doc: 'How long events, deliveries and attempts are stored. Events with an unfinished delivery, or that profiles have not read yet, are stored longer.',
    default: '7d',
    parse: time(60_000, 10 * 365 * 24 * HOUR),
  },
  retentionMaxBytes: {
    doc: 'Size of the database in bytes above which the oldest events are removed, regardless of age, with the same exceptions as retention. 0 means no limit.',
    default: '0',
    parse: integer(0, Number.MAX_SAFE_INTEGER),
  },
  auditRetentionMs: {
    doc: 'How long entries of the audit log are stored.',
    default: '400d',
    parse: time(60_000, 10 * 365 * 24 * HOUR),
  },
  maxAnonymousIds: {
    doc: 'Maximum anonymousIds of a profile. The ones that its users named first count; further ones are reported, and not linked.',
    default: '100',
    parse: integer(1, 10_000),
  },
  placeholderIds: {
    doc: 'Ids that stand for no user, separated by commas, such as guest,n.n. They extend the built-in list, such as undefined or 0, and are never linked to another id.',
    default: '',
    parse: texts,
  },
  ingestThreads: {
    doc: 'Threads that accept calls. With 0, the main thread does. With auto: none on one or two cores, else one for every four cores, from 1 to 4; and none if fewer than 4,096 files may be open. If the system cannot share a port between threads (reusePort: Linux and FreeBSD can, macOS and Windows cannot), at most one.',
    default: 'auto',
    parse: threads,
  },
  deliveryThreads: {
    doc: 'Threads that sign events and send them to webhooks. All webhooks of a destination belong to one of them. With 0, the main thread does. With auto: none on one or two cores, else one for every two cores, from 1 to 8.',
    default: 'auto',
    parse: threads,
  },
  maxInFlight: {
    doc: 'Maximum attempts in flight. Fewer if maxOpenFiles permits fewer connections.',
    default: '512',
    parse: integer(1, 65_536),
  },
  maxConcurrencyPerWebhook: {
    doc: 'Maximum attempts in flight on one webhook. Never more than a quarter of maxInFlight, or half of the share of its delivery thread.',
    default: '64',
    parse: integer(1, 16_384),
  },
  webhookQueueSize: {
    doc: 'Maximum deliveries of one destination in memory that wait for an attempt or are in flight. As many again may wait to be recorded. Others are parked in the database.',
    default: '256',
    parse: integer(1, 65_536),
  },
  maxDeliveriesInMemory: {
    doc: 'Approximate maximum of deliveries of all destinations in memory. With many busy destinations, each has less than webhookQueueSize.',
    default: '16384',
    parse: integer(64, 1_048_576),
  },
  maxMessageBytes: {
    doc: 'Largest call, in bytes of its JSON as stored: with the context and integrations of its batch, without the fields that the server adds.',
    default: String(LIMITS.messageBytes),
    parse: integer(1024, 1024 * 1024),
  },
  maxBatchBytes: {
    doc: 'Largest request, in bytes after decompression.',
    default: String(LIMITS.requestBytes),
    parse: integer(1024, 16 * 1024 * 1024),
  },
  maxBatchExpansionBytes: {
    doc: 'Maximum bytes that the context and integrations of a batch may add to all its calls together: their size times the number of calls.',
    default: String(4 * LIMITS.batchBytes),
    parse: integer(1024, 256 * 1024 * 1024),
  },
  maxBatchMessages: {
    doc: 'Maximum calls in one request.',
    default: String(LIMITS.batchMessages),
    parse: integer(1, 100_000),
  },
  maxNestingLevels: {
    doc: 'Maximum nesting of objects and arrays in one call.',
    default: String(LIMITS.nestingLevels),
    parse: integer(4, 512),
  },
  maxWaitingBytes: {
    doc: 'Maximum bytes of calls that wait for the disk. Further calls get 503.',
    default: String(64 * 1024 * 1024),
    parse: integer(1024 * 1024, 1024 * 1024 * 1024),
  },
  maxBufferedBodyBytes: {
    doc: 'Maximum bytes of request bodies that are partially received or wait to be parsed. Further requests get 503.',
    default: String(64 * 1024 * 1024),
    parse: integer(1024 * 1024, 1024 * 1024 * 1024),
  },
  requestTimeoutMs: {
    doc: 'How long a request may take to arrive completely. Its connection is closed at most 3 seconds later.',
    default: '30s',
    parse: time(100, 600_000),
  },
  slowReaderTimeoutMs: {
    doc: 'How long a client may read nothing of a response before its connection is closed.',
    default: '1m',
    parse: time(1_000, 600_000),
  },
  backupTimeoutMs: {
    doc: 'How long the download of a backup may take. After that the connection is closed, and the copy of the database is removed from the disk.',
    default: '1h',
    parse: time(1_000, 24 * HOUR),
  },
  maxPipelinedRequests: {
    doc: 'Maximum requests of one connection that wait for the responses to earlier ones. Beyond it, the connection is closed.',
    default: '64',
    parse: integer(1, 10_000),
  },
  maxWaitingConnections: {
    doc: 'Maximum new connections that wait to be accepted. Linux applies at most net.core.somaxconn, and clients beyond it wait for a second or longer.',
    default: '4096',
    parse: integer(1, 65_535),
  },
  maxOpenFiles: {
    doc: 'Maximum files and connections of the service; never more than the operating system permits (ulimit -n). 128 are for the database and the like. Each thread takes 8 more. Half of the others are connections of clients, and half are connections to webhooks. With threads that accept calls, a sixth of the connections of clients are for all other requests, each of which takes three files. Each side closes the connections that have been idle for longest. A start is refused if a side would have fewer than 64, and logs a warning if maxInFlight attempts need more.',
    default: '16384',
    parse: integer(256, 1_048_576),
  },
  dedupeWindowMs: {
    doc: 'How long after a call another call with the same source and messageId is a duplicate. Needs 4 bytes of memory for each event of that time.',
    default: '1d',
    parse: time(0, 30 * 24 * HOUR),
  },
  clockSkewToleranceMs: {
    doc: "How far a client's clock may be wrong before its timestamps are corrected.",
    default: '10m',
    parse: time(0, 24 * HOUR),
  },
  shutdownTimeoutMs: {
    doc: 'How long a stop waits for requests and attempts in flight. Then it closes their connections. Aborted attempts are repeated after the next start.',
    default: '10s',
    parse: time(0, 600_000),
  },
  maxDestinationsInMetrics: {
    doc: 'Maximum destinations that `/metrics` shows individually, with their names. The others are summed as `other`. With 1,000, each scrape takes about 100 ms.',
    default: '200',
    parse: integer(0, 10_000),
  },
  logLinesPerMinute: {
    doc: 'Maximum log lines of one event per minute. The log line `log.lines_left_out` has the number of the others. The levels debug and trace have no limit.',
    default: '100',
    parse: integer(1, 1_000_000),
  },
  logLevel: {
    doc: 'Lowest level of log lines to write: trace, debug, info, warn, error, or silent for none.',
    default: 'info',
    parse: oneOf('trace', 'debug', 'info', 'warn', 'error', 'silent'),
  },
} as const satisfies Record<string, Setting>

export type SettingName = keyof typeof SETTINGS
