import type { SecretBox } from '../../util/secrets/secret-box.ts'
import type { BackendThreads, SharedChange, ThreadConnection } from '../threads.ts'
import type { SharedChanges } from './shared-changes.ts'
import type { SqliteCatalog } from './catalog/sqlite-catalog.ts'
import type { DamageWatch } from './damage/damage-watch.ts'
import type { SqliteDeletions } from './deletions/sqlite-deletions.ts'
import type { LaneNumbers } from './deliveries/lane-numbers.ts'
import type { JoinData } from './join.ts'
import type { WriterHost } from './writer-host.ts'

export interface SharedBackendOptions {
  readonly file: string
  readonly box: SecretBox
  readonly host: WriterHost
  readonly watch: DamageWatch
  readonly lanes: LaneNumbers
  readonly catalog: SqliteCatalog
  readonly deletions: SqliteDeletions
  readonly changes: SharedChanges
}

/** The backend as other threads of the process join it (`join.ts`). */
export class SharedBackend implements BackendThreads {
  readonly #options: SharedBackendOptions

  constructor(options: SharedBackendOptions) {
    this.#options = options
  }

  async connect(): Promise<ThreadConnection> {
    const { file, box, host, lanes, catalog, deletions } = this.#options
    await lanes.saveAll(catalog.current.destinations.values())
    const { port, gone } = host.connect()
    const data: JoinData = { file, writer: port, keys: box.keys, purges: deletions.recentPurges }
    return { data, transfer: [port], gone }
  }

  onChange(listener: (change: SharedChange) => Promise<unknown>): () => void {
    return this.#options.changes.onChange(listener)
  }

  seeDamage(error: Error): void {
    this.#options.watch.see(error)
  }
}
