import type { SharedChange } from '../../backend/threads.ts'
import type { Listening } from '../../http/listen.ts'
import { ThreadChanges } from '../../threads/thread-changes.ts'
import { ThreadGone } from '../../threads/thread-gone.ts'
import { ThreadHost, type ThreadHostOptions } from '../../threads/thread-host.ts'
import type { IngestMainFunctions, IngestThreadFunctions } from './ingest-functions.ts'

type HostOptions = ThreadHostOptions<IngestThreadFunctions, IngestMainFunctions>

/** One thread of ingestion, seen from main. */
export class IngestThread {
  readonly host: ThreadHost<IngestThreadFunctions, IngestMainFunctions>
  readonly #changes = new ThreadChanges<SharedChange>((change) =>
    this.host.channel?.call('apply', change),
  )
  /** Where it listens when it is started again. */
  #listensAt: Listening | undefined

  constructor(options: Omit<HostOptions, 'onReady'>) {
    this.host = new ThreadHost({
      ...options,
      input: () => {
        this.#changes.onStart()
        return options.input()
      },
      onReady: (channel) => {
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
