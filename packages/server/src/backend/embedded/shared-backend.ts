import type { AcceptedEvent } from '@hookline/protocol'
import type { ByteBudget } from '../../util/limits/byte-budget.ts'
import type { SecretBox } from '../../util/secrets/secret-box.ts'
import type { Catalog } from '../catalog.ts'
import type { BackendThreads, SharedChange, ThreadConnection } from '../threads.ts'
import type { SharedChanges } from './shared-changes.ts'
import type { DamageWatch } from './damage/damage-watch.ts'
import type { LaneNumbers } from './deliveries/lane-numbers.ts'
import type { JoinLogData } from './join-log.ts'
import type { ConnectionData } from './joined-connection.ts'
import type { SqliteLog } from './log/sqlite-log.ts'
import type { WriterHost } from './writer-host.ts'

export interface SharedBackendOptions {
  readonly file: string
  readonly box: SecretBox
  readonly host: WriterHost
  readonly watch: DamageWatch
  readonly lanes: LaneNumbers
  readonly catalog: Pick<Catalog, 'current'>
  readonly changes: SharedChanges
  readonly log: SqliteLog
  readonly maxWaitingBytes: number
  /** The bytes that wait for the disk. */
  readonly waiting: { readonly budget: ByteBudget; readonly memory: SharedArrayBuffer }
}

/** The backend as other threads of the process join it (`join.ts`). */
export class SharedBackend implements BackendThreads {
  readonly #options: SharedBackendOptions

  constructor(options: SharedBackendOptions) {
    this.#options = options
  }

  async connect(): Promise<ThreadConnection> {
    const { file, box, host, lanes, catalog } = this.#options
    await lanes.saveAll(catalog.current.destinations.values())
    const { port, gone } = host.connect()
    const data: ConnectionData = { file, writer: port, keys: box.keys }
    return { data, transfer: [port], gone }
  }

  connectToLog(number: number): ThreadConnection {
    const { file, box, host, maxWaitingBytes, waiting } = this.#options
    // What the thread before it had taken.
    waiting.budget.giveBackAllOf(number)
    const part = { memory: waiting.memory, thread: number }
    const { port, gone } = host.connect()
    const own = { file, writer: port, keys: box.keys }
    const data: JoinLogData = { ...own, maxWaitingBytes, waiting: part }
    return { data, transfer: [port], gone }
  }

  onAppended(listener: (events: readonly AcceptedEvent[]) => void): () => void {
    return this.#options.log.onAppended(listener)
  }

  onChange(listener: (change: SharedChange) => Promise<unknown>): () => void {
    return this.#options.changes.onChange(listener)
  }

  seeDamage(error: Error): void {
    this.#options.watch.see(error)
  }
}
