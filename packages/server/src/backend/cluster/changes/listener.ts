import { Socket } from 'node:net'
import pg from 'pg'
import type { Redacted } from '../../../util/secrets/redacted.ts'
import type { Clock } from '../../../util/time/clock.ts'
import { exponentialBackoffMs, sleep } from '../../../util/time/sleep.ts'
import { SCHEMA } from '../postgres/postgres.ts'

interface ListenOptions {
  readonly url: Redacted
  readonly clock: Clock
  /** Called for each notification, and after each connect, as notifications may have been lost. */
  readonly onNotify: () => void
  readonly signal: AbortSignal
}

const CONNECT_TIMEOUT_MS = 5_000
/** The interval of the queries that detect a dead connection: a listening client sends nothing else. */
const HEARTBEAT_MS = 15_000

/** Listens for notifications on a dedicated connection, and reconnects, until `signal` aborts. */
export async function listen(options: ListenOptions): Promise<void> {
  const { clock, signal } = options
  for (let failures = 0; !signal.aborted;) {
    const wasConnected = await listenOnce(options)
    failures = wasConnected ? 1 : failures + 1
    await sleep(clock, exponentialBackoffMs(failures), signal)
  }
}

/** Listens until the connection closes. Resolves to whether it was listening. */
async function listenOnce({ url, clock, onNotify, signal }: ListenOptions): Promise<boolean> {
  const socket = new Socket()
  const client = new pg.Client({
    connectionString: url.reveal(),
    stream: () => socket,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: CONNECT_TIMEOUT_MS,
    application_name: 'hookline',
  })
  const lost = new AbortController()
  client.on('error', () => lost.abort()).on('end', () => lost.abort())
  client.on('notification', onNotify)
  const ended = AbortSignal.any([lost.signal, signal])
  // A graceful close would wait for a server that may not respond.
  ended.addEventListener('abort', () => socket.destroy())
  let isListening = false
  try {
    await client.connect()
    await client.query(`LISTEN ${SCHEMA}`)
    isListening = true
    onNotify()
    while (!ended.aborted) {
      await sleep(clock, HEARTBEAT_MS, ended)
      if (!ended.aborted) await client.query('SELECT 1')
    }
  } catch {
    // Until the next connection works, changes are found by polling.
  }
  lost.abort()
  return isListening
}
