import { formatTimeSpan, LIMITS } from '@hookline/protocol'
import {
  consoleUrl,
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
  traceUrl,
  urlOf,
} from './setting-formats.ts'

/** One setting. This table is the only source of its name, default, format and meaning. */
export interface Setting<T = unknown> {
  /** The description in `--help` and docs/reference/config.md. */
  readonly doc: string
  /** The default, as a user would write it. */
  readonly default?: string
  /** A secret is never shown. */
  readonly secret?: true
  /** The value names a path, a host or a network: in the management API, only admins see it. */
  readonly isLocation?: true
  /** Parses the user's text, or throws an Error whose message completes "… must be". */
  readonly parse: (text: string) => T
}

const HOUR = 60 * 60 * 1000

/** All settings by their name in code, from which flags and variables are derived. Each group of `SETTING_GROUPS` is contiguous. */
export const SETTINGS = {
  host: {
    doc: 'Address to listen on. The default accepts connections from this machine only.',
    default: '127.0.0.1',
    isLocation: true,
    parse: text,
  },
  port: {
    doc: 'Port to listen on. With 0, the system chooses a free port.',
    default: '4800',
    parse: integer(0, 65_535),
  },
  adminHost: {
    doc: 'Address to listen on for adminPort.',
    default: '127.0.0.1',
    isLocation: true,
    parse: text,
  },
  adminPort: {
    doc: 'Separate port for the management API, the console, health checks and metrics; the main port then serves only the ingestion API, the JSON Schema of the payload, the start page and the public keys of destinations. With 0, the system chooses a free port. Without this setting, one port serves everything.',
    parse: integer(0, 65_535),
  },
  consoleUrl: {
    doc: 'URL where operators open the console, such as https://hookline.example/console. Alerts link to it. Set it on every node. Without it, links are paths or, if only this machine can connect to the console, URLs with the address of the console.',
    isLocation: true,
    parse: consoleUrl,
  },
  shutdownTimeoutMs: {
    doc: 'How long to wait for requests and attempts in flight when stopping. After that, their connections are closed. Aborted attempts are repeated after the next start.',
    default: '10s',
    parse: time(0, 600_000),
  },
  backend: {
    doc: 'Where the state is stored. `embedded`: one file in dataDir, for one process. `cluster`: PostgreSQL and NATS JetStream, shared by many processes. The cluster is new, and has not been used in production yet.',
    default: 'embedded',
    parse: oneOf('embedded', 'cluster'),
  },
  dataDir: {
    doc: 'Folder that contains the database, the admin token and the keys.',
    default: './data',
    isLocation: true,
    parse: text,
  },
  acceptLoss: {
    doc: 'Only for one start after corruption: the number of the last commit in the database, as reported by the failed start. The service then runs without the later commits. Use 0 if the database is missing.',
    parse: integer(0, Number.MAX_SAFE_INTEGER),
  },
  retentionMs: {
    doc: 'How long events, deliveries and attempts are stored. Events that have an unfinished delivery or are not yet applied to profiles are stored longer.',
    default: '7d',
    parse: time(60_000, 10 * 365 * 24 * HOUR),
  },
  retentionMaxBytes: {
    doc: 'Size of the database in bytes above which the oldest events are removed, regardless of age, with the same exceptions as retention. 0 means no limit.',
    default: '0',
    parse: integer(0, Number.MAX_SAFE_INTEGER),
  },
  auditRetentionMs: {
    doc: 'How long audit log entries are stored.',
    default: '400d',
    parse: time(60_000, 10 * 365 * 24 * HOUR),
  },
  role: {
    doc: 'For the cluster: the role of this node. `ingest` accepts calls, `deliver` processes events and delivers them, `api` serves the management API and the console; `all` does everything. Every node serves health checks and metrics.',
    default: 'all',
    parse: oneOf('all', 'ingest', 'deliver', 'api'),
  },
  databaseUrl: {
    doc: 'For the cluster: URL of the PostgreSQL database, such as postgres://user:secret@host/hookline. Hookline uses the schema `hookline`. For TLS, append ?sslmode=verify-full. Add &sslrootcert=FILE for a private certificate authority, and &sslcert=FILE and &sslkey=FILE for a client certificate.',
    secret: true,
    isLocation: true,
    parse: urlOf('postgres://user:password@host:5432/hookline', /^postgres(?:ql)?:$/),
  },
  natsUrl: {
    doc: 'For the cluster: URLs of NATS servers with JetStream, separated by commas, like nats://user:password@host:4222, or nats://token@host:4222. The first credentials found in the URLs are used for all servers. tls:// enables TLS.',
    secret: true,
    isLocation: true,
    parse: urlOf('nats://host:4222, or several, separated by commas', /^(?:nats|tls):$/),
  },
  natsCreds: {
    doc: 'For the cluster: the credentials of a NATS user, in the format of a .creds file: a JWT and the seed of its nkey.',
    secret: true,
    parse: natsCredentials,
  },
  natsNkeySeed: {
    doc: 'For the cluster: the nkey seed of a NATS user. It begins with SU.',
    secret: true,
    parse: nkeySeed,
  },
  natsCaFile: {
    doc: 'For the cluster: PEM file with the certificate authorities that are trusted for NATS servers, instead of the Node.js defaults. Enables TLS, as tls:// in natsUrl does.',
    isLocation: true,
    parse: text,
  },
  natsCertFile: {
    doc: 'For the cluster: PEM file with the client certificate for NATS servers.',
    isLocation: true,
    parse: text,
  },
  natsKeyFile: {
    doc: 'For the cluster: PEM file with the private key for natsCertFile.',
    isLocation: true,
    parse: text,
  },
  natsMonitorUrl: {
    doc: 'For the cluster: URLs of the monitoring ports of all NATS servers, separated by commas, like http://nats-1:8222. If set, nodes refuse servers that do not have `sync_interval: always`, and `hookline doctor` checks this.',
    secret: true,
    isLocation: true,
    parse: urlOf('http://host:8222, or several, separated by commas', /^https?:$/),
  },
  natsPrefix: {
    doc: 'For the cluster: prefix of the stream and its subjects, so that several services can share NATS servers.',
    default: 'hookline',
    parse: subjectToken,
  },
  natsReplicas: {
    doc: 'For the cluster: the number of NATS servers that store each event. With 3, the stream survives the loss of one server.',
    default: '1',
    parse: (raw) => Number(oneOf('1', '3', '5')(raw)),
  },
  adminToken: {
    doc: 'Token for the management API. Required for the cluster; otherwise, the service creates one in <dataDir>/admin-token by default.',
    secret: true,
    parse: secret,
  },
  sessionLifetimeMs: {
    doc: 'Maximum duration of a session in the console.',
    default: '24h',
    parse: time(60_000, 90 * 24 * HOUR),
  },
  adminRateLimit: {
    doc: 'Maximum requests per second to the management API, for each token and each session. 0 means no limit.',
    default: '1000',
    parse: integer(0, 1_000_000),
  },
  maxAuthFailuresPerMinute: {
    doc: 'Maximum number of requests per minute with an invalid token that get a 401, for each client address (IPv6: each /64). Requests beyond that get 429. This limit does not apply to valid tokens. 0 means no limit.',
    default: '60',
    parse: integer(0, 1_000_000),
  },
  maxLiveStreams: {
    doc: 'Maximum number of connections to the live tail, but never more than half of the client connections that maxOpenFiles permits for the management API. At the limit, a new connection replaces one that has read nothing for 5 seconds, or one whose token or session has at least two more connections than the token or session of the new one. Otherwise, the new connection gets 429.',
    default: '100',
    parse: integer(1, 10_000),
  },
  allowedHosts: {
    doc: 'Host names that /metrics and /readyz accept, separated by commas; `.example.com` includes all subdomains. IP addresses, names without a dot, and names that end in `.localhost` always work.',
    default: '',
    isLocation: true,
    parse: hostNames,
  },
  encryptionKey: {
    doc: 'Key that encrypts the secrets in the database: shared and webhook secrets, private keys, the URLs, header values and auth of webhooks, and audit entries. 32 bytes as base64. To change the key, set the new one and the old one, separated by a comma. The first one is used for encryption. Required for the cluster; otherwise, the service creates one in <dataDir>/encryption-key by default.',
    secret: true,
    parse: keys,
  },
  allowedNetworks: {
    doc: 'Private, loopback or reserved networks that webhooks may reach, separated by commas.',
    default: '',
    isLocation: true,
    parse: networks,
  },
  allowedPorts: {
    doc: 'Ports that webhooks may use although they are reserved for databases, mail servers or similar services, separated by commas.',
    default: '',
    parse: ports,
  },
  egressProxy: {
    doc: 'URL of an HTTP or HTTPS proxy that supports CONNECT, for all connections to webhooks, token endpoints and mail servers, such as http://user:pass@proxy.example:3128. By default, Hookline connects directly, even if HTTP_PROXY, HTTPS_PROXY or ALL_PROXY is set.',
    secret: true,
    isLocation: true,
    parse: proxyUrl,
  },
  trustedProxies: {
    doc: 'Networks of proxies whose X-Forwarded-For header is trusted, separated by commas.',
    default: '',
    isLocation: true,
    parse: networks,
  },
  tlsCaFile: {
    doc: 'PEM file with the certificate authorities that are trusted for webhooks, token endpoints and mail servers, in addition to the Node.js defaults.',
    isLocation: true,
    parse: text,
  },
  attemptTimeoutMs: {
    doc: 'Timeout of one attempt, from the DNS lookup to the last response header. A webhook can have its own: `limits.timeout`.',
    default: formatTimeSpan(LIMITS.attemptTimeoutMs),
    parse: time(100, 60_000),
  },
  retryScheduleMs: {
    doc: 'Delays between attempts, separated by commas, instead of exponential backoff. The last delay repeats. A breaker stays open for at most the longest delay. Intended for testing. A webhook can have its own: `limits.retrySchedule`.',
    parse: delays,
  },
  retryWindowMs: {
    doc: 'How long a delivery is retried after it first became due. A webhook can have its own: `limits.retryWindow`.',
    default: formatTimeSpan(LIMITS.retryWindowMs),
    parse: time(0, LIMITS.maxRetryWindowMs),
  },
  dedupeWindowMs: {
    doc: 'How long calls with the same source and messageId count as duplicates. The embedded backend needs 4 bytes of memory per event in the window.',
    default: '1d',
    parse: time(0, 30 * 24 * HOUR),
  },
  clockSkewToleranceMs: {
    doc: "How far off a client's clock may be before its timestamps are corrected.",
    default: '10m',
    parse: time(0, 24 * HOUR),
  },
  maxAnonymousIds: {
    doc: 'Maximum number of anonymousIds linked to a profile, earliest first. Further ones are reported, but not linked.',
    default: '100',
    parse: integer(1, 10_000),
  },
  placeholderIds: {
    doc: 'Placeholder ids that do not identify a user, separated by commas, such as guest,test. They extend the built-in list (undefined, 0 and so on), and are never linked to another id.',
    default: '',
    parse: texts,
  },
  ingestThreads: {
    doc: 'Number of threads that accept calls. With 0, the main thread accepts them. With auto: none on one or two cores, otherwise one for every four cores, from 1 to 4; none if fewer than 4,096 files may be open. At most one if the system cannot share a port between threads (Linux and FreeBSD can; macOS and Windows cannot). In a cluster, always 0.',
    default: 'auto',
    parse: threads,
  },
  deliveryThreads: {
    doc: 'Number of threads that sign events and send them to webhooks. All webhooks of a destination are handled by the same thread. With 0, the main thread does this. With auto: none on one or two cores, otherwise one for every two cores, from 1 to 8. In a cluster, always 0.',
    default: 'auto',
    parse: threads,
  },
  maxInFlight: {
    doc: 'Maximum number of attempts in flight. Fewer if maxOpenFiles permits fewer connections.',
    default: '512',
    parse: integer(1, 65_536),
  },
  maxConcurrencyPerWebhook: {
    doc: "Maximum number of attempts in flight to one webhook. At most a quarter of maxInFlight. With several delivery threads, maxInFlight is divided among them, and the limit is at most half of one thread's share. A webhook can have a lower limit: `limits.concurrency`.",
    default: '64',
    parse: integer(1, 16_384),
  },
  webhookQueueSize: {
    doc: 'Maximum number of deliveries per webhook in memory: waiting for an attempt, in flight, or waiting to be recorded. All others are parked in the database.',
    default: '256',
    parse: integer(1, 65_536),
  },
  maxDeliveriesInMemory: {
    doc: 'Approximate maximum number of deliveries in memory for all destinations. With many busy webhooks, each gets less than webhookQueueSize.',
    default: '16384',
    parse: integer(64, 1_048_576),
  },
  maxMessageBytes: {
    doc: 'Maximum size of a call, in bytes of its JSON as stored: with the context and integrations of its batch, but without the fields that the server adds.',
    default: String(LIMITS.messageBytes),
    parse: integer(1024, 1024 * 1024),
  },
  maxBatchBytes: {
    doc: 'Maximum size of a request, in bytes after decompression.',
    default: String(LIMITS.requestBytes),
    parse: integer(1024, 16 * 1024 * 1024),
  },
  maxBatchExpansionBytes: {
    doc: 'Maximum number of bytes that the context and integrations of a batch may add to all its calls together: their size multiplied by the number of calls.',
    default: String(4 * LIMITS.batchBytes),
    parse: integer(1024, 256 * 1024 * 1024),
  },
  maxBatchMessages: {
    doc: 'Maximum number of calls in one request.',
    default: String(LIMITS.batchMessages),
    parse: integer(1, 100_000),
  },
  maxNestingLevels: {
    doc: 'Maximum nesting depth of objects and arrays in one call.',
    default: String(LIMITS.nestingLevels),
    parse: integer(4, 512),
  },
  maxWaitingBytes: {
    doc: 'Maximum size of all calls waiting to be written to disk, in bytes. Further calls get 503.',
    default: String(64 * 1024 * 1024),
    parse: integer(1024 * 1024, 1024 * 1024 * 1024),
  },
  maxBufferedBodyBytes: {
    doc: 'Maximum size of all request bodies that are partially received or waiting to be parsed, in bytes. Further requests get 503.',
    default: String(64 * 1024 * 1024),
    parse: integer(1024 * 1024, 1024 * 1024 * 1024),
  },
  requestTimeoutMs: {
    doc: 'How long a request may take to arrive completely. Its connection is closed at most 3 seconds later.',
    default: '30s',
    parse: time(100, 600_000),
  },
  slowReaderTimeoutMs: {
    doc: 'How long a client may stop reading a response before its connection is closed.',
    default: '1m',
    parse: time(1_000, 600_000),
  },
  backupTimeoutMs: {
    doc: 'How long a backup download may take. After that, the connection is closed, and the copy of the database is removed from the disk.',
    default: '1h',
    parse: time(1_000, 24 * HOUR),
  },
  maxPipelinedRequests: {
    doc: 'Maximum number of pipelined requests waiting on one connection. Beyond that, the connection is closed.',
    default: '64',
    parse: integer(1, 10_000),
  },
  maxWaitingConnections: {
    doc: 'Maximum number of new connections waiting to be accepted. Linux caps this at net.core.somaxconn. Clients beyond the limit wait for a second or longer.',
    default: '4096',
    parse: integer(1, 65_535),
  },
  maxOpenFiles: {
    doc: 'Maximum number of files and connections that the service opens; never more than the operating system permits (ulimit -Hn). 128 are reserved for the database and other files, and 8 for each thread. Half of the rest is for client connections, half for webhook connections. With ingestThreads, a sixth of the client connections is reserved for requests other than calls; each of these connections uses three files. When either half is used up, Hookline closes the connections in it that have been idle longest. The service does not start with fewer than 64 in each half, and logs a warning if maxInFlight attempts need more.',
    default: '16384',
    parse: integer(256, 1_048_576),
  },
  traceContext: {
    doc: 'Whether requests to webhooks continue the distributed traces of their calls, with the headers `traceparent` and `tracestate` of W3C Trace Context. `on`: if the call had a `traceparent`, or if OpenTelemetry is on. `off`: never.',
    default: 'on',
    parse: oneOf('on', 'off'),
  },
  traceUrl: {
    doc: 'URL of a trace in your tracing tool, with the placeholder `{traceId}`, such as https://traces.example/{traceId}. Events link to it.',
    isLocation: true,
    parse: traceUrl,
  },
  maxDestinationsInMetrics: {
    doc: 'Maximum number of destinations that `/metrics` shows individually, with their names. The others are summed as `other`. At 1,000, a scrape takes about 100 ms.',
    default: '200',
    parse: integer(0, 10_000),
  },
  logLinesPerMinute: {
    doc: 'Maximum lines per minute for each log event. `log.lines_dropped` reports the number of dropped lines. The levels debug and fatal have no limit.',
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

/** The groups that the console and docs/reference/config.md show, by the first setting of each. */
const SETTING_GROUPS: Readonly<Partial<Record<SettingName, string>>> = {
  host: 'Server',
  backend: 'Storage',
  role: 'Cluster',
  adminToken: 'Access',
  allowedNetworks: 'Network',
  attemptTimeoutMs: 'Delivery',
  dedupeWindowMs: 'Events',
  ingestThreads: 'Threads and memory',
  maxMessageBytes: 'Requests',
  traceContext: 'Observability',
}

/** All settings with their groups, in order. */
export function groupedSettings(): [group: string, name: SettingName, setting: Setting][] {
  let group = ''
  return (Object.entries(SETTINGS) as [SettingName, Setting][]).map(([name, setting]) => {
    group = SETTING_GROUPS[name] ?? group
    return [group, name, setting]
  })
}
