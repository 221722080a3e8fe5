import type { Transferable } from 'node:worker_threads'
import type { SharedChange, ThreadConnection } from '../../backend/threads.ts'
import type { Listening } from '../../http/listen.ts'
import { ThreadChanges } from '../../threads/thread-changes.ts'
import { ThreadGone } from '../../threads/thread-gone.ts'
import { ThreadHost, type ThreadHostOptions } from '../../threads/thread-host.ts'
import type {
  IngestMainFunctions,
  IngestThreadData,
  IngestThreadFunctions,
} from './ingest-functions.ts'

type HostOptions = ThreadHostOptions<IngestThreadFunctions, IngestMainFunctions>

export interface IngestThreadOptions extends Omit<HostOptions, 'input' | 'onReady'> {
  readonly connect: () => ThreadConnection
  /** @param backend the data of the connection */
  readonly dataOf: (backend: unknown) => IngestThreadData
}

/** One thread of ingestion, seen from main. */
export class IngestThread {
  readonly host: ThreadHost<IngestThreadFunctions, IngestMainFunctions>
  readonly #changes = new ThreadChanges<SharedChange>(
    (change) => this.host.channel?.call('apply', change),
    () => this.#gone,
  )
  #connection: ThreadConnection | undefined
  /** Of the last thread that could append: resolves when it has ended, and everything that it had posted is in the log. */
  #gone: Promise<void> = Promise.resolve()
  /** Where it listens when it is started again. */
  #listensAt: Listening | undefined

  constructor(options: IngestThreadOptions) {
    this.host = new ThreadHost({
      ...options,
      input: () => {
        this.#changes.onStart()
        this.#connection = options.connect()
        const { data, transfer } = this.#connection
        return { data: options.dataOf(data), transfer: transfer as readonly Transferable[] }
      },
      onReady: (channel) => {
        this.#gone = this.#connection!.gone
        this.#changes.onReady()
        // Where it fails, the thread ends with the error, and is started again.
        if (this.#listensAt) channel.send('listen', this.#listensAt)
      },
    })
  }

  /**
   * Listens when it is ready, and from then on whenever it is started again. Resolves to the URL. Rejects with the error of the
   * system, or with the reason why the thread cannot start.
   */
  async listen(at: Listening): Promise<string> {
    const channel = await this.host.ready()
    try {
      const url = await channel.call('listen', at)
      this.#listensAt = { ...at, port: Number(new URL(url).port) }
      return url
    } catch (error) {
      if (error instanceof ThreadGone) return this.listen(at)
      throw error
    }
  }

  apply(change: SharedChange): Promise<void> {
    return this.#changes.apply(change)
  }
}
