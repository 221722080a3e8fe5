import { Redis } from 'ioredis'
import pg from 'pg'

/** The server that a peer of Hookline needs. */
interface PeerServer {
  /** Why the server cannot be reached; undefined if it can. */
  readonly missing: () => Promise<string | undefined>
  readonly note: () => Promise<string>
}

const TIMEOUT_MS = 2_000

export function redisUrl(): string {
  return process.env['HOOKLINE_BENCH_REDIS'] ?? 'redis://127.0.0.1:6379'
}

export function postgresUrl(): string {
  return process.env['HOOKLINE_BENCH_POSTGRES'] ?? 'postgres://postgres@127.0.0.1:5432/postgres'
}

/** Redis, for BullMQ. */
export const redisServer: PeerServer = {
  missing: () =>
    missing(
      'Redis',
      redisUrl(),
      'HOOKLINE_BENCH_REDIS',
      withRedis(async () => {}),
    ),
  note: withRedis(async (redis) => {
    const [, appendOnly] = await redis.config('GET', 'appendonly')
    const [, fsync] = await redis.config('GET', 'appendfsync')
    const isKept = appendOnly === 'yes' ? `appendfsync ${fsync}` : 'nothing on disk'
    return `Redis with appendonly ${appendOnly} (${isKept}); finished jobs are removed, no history is kept`
  }),
}

/** PostgreSQL, for pg-boss. */
export const postgresServer: PeerServer = {
  missing: () =>
    missing(
      'PostgreSQL',
      postgresUrl(),
      'HOOKLINE_BENCH_POSTGRES',
      withPostgres(async () => {}),
    ),
  note: withPostgres(async (client) => {
    const show = async (name: string): Promise<string> =>
      String((await client.query<Record<string, string>>(`SHOW ${name}`)).rows[0]![name])
    const [fsync, commit] = [await show('fsync'), await show('synchronous_commit')]
    return `PostgreSQL with fsync ${fsync}, synchronous_commit ${commit}; finished jobs are kept, without their attempts`
  }),
}

/** Why a server cannot be reached. Contains only host and port of the URL, which may contain credentials. */
async function missing(
  name: string,
  url: string,
  variable: string,
  connect: () => Promise<unknown>,
): Promise<string | undefined> {
  try {
    await connect()
    return undefined
  } catch (error) {
    const code = (error as { code?: string }).code ?? (error as Error).name
    return `no ${name} at ${new URL(url).host} (${code}); set ${variable}`
  }
}

function withRedis<T>(use: (redis: Redis) => Promise<T>): () => Promise<T> {
  return async () => {
    const redis = new Redis(redisUrl(), {
      lazyConnect: true,
      connectTimeout: TIMEOUT_MS,
      retryStrategy: () => null,
    })
    // connect() rejects without the reason.
    let reason: unknown
    redis.on('error', (error) => (reason = error))
    try {
      await redis.connect()
      return await use(redis)
    } catch (error) {
      throw reason ?? error
    } finally {
      redis.disconnect()
    }
  }
}

function withPostgres<T>(use: (client: pg.Client) => Promise<T>): () => Promise<T> {
  return async () => {
    const client = new pg.Client({
      connectionString: postgresUrl(),
      connectionTimeoutMillis: TIMEOUT_MS,
    })
    try {
      await client.connect()
      return await use(client)
    } finally {
      await client.end()
    }
  }
}
