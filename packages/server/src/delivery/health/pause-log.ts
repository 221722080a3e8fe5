import type { Destination, Pause } from '@hookline/protocol'
import type { FollowedCatalog } from '../../backend/catalog.ts'
import type { Logger } from '../../telemetry/logger.ts'
import { fieldsOf } from '../../telemetry/names.ts'
import type { Worker } from '../../util/workers/worker.ts'

/** Logs which destinations and webhooks are paused, resumed, disabled and enabled, by a person or by Hookline. */
export class PauseLog implements Worker {
  readonly name = 'pauses.log'
  readonly #catalog: FollowedCatalog
  readonly #logger: Logger
  #known: FollowedCatalog['current']['destinations']

  constructor(catalog: FollowedCatalog, logger: Logger) {
    this.#catalog = catalog
    this.#logger = logger
    this.#known = catalog.current.destinations
  }

  async run(signal: AbortSignal): Promise<void> {
    const stop = this.#catalog.onChange(() => this.#compare())
    await new Promise((resolve) => {
      signal.addEventListener('abort', resolve, { once: true })
      if (signal.aborted) resolve(undefined)
    })
    stop()
  }

  #compare(): void {
    const before = this.#known
    this.#known = this.#catalog.current.destinations
    for (const [id, destination] of this.#known) {
      const known = before.get(id)
      if (known !== undefined && known !== destination) this.#log(known, destination)
    }
  }

  #log(before: Destination, after: Destination): void {
    const { id } = after
    const logger = this.#logger
    const fields = fieldsOf(id, undefined, this.#catalog.current)
    if (before.enabled && !after.enabled) logger.info(fields, 'destination.disabled')
    if (!before.enabled && after.enabled) logger.info(fields, 'destination.enabled')
    if (!before.paused && after.paused)
      logger.info({ ...fields, reason: after.paused.reason }, 'destination.paused')
    if (before.paused && !after.paused) logger.info(fields, 'destination.resumed')
    for (const { url, paused } of after.settings.webhooks)
      this.#logWebhook(id, url, [pauseOf(before, url), paused])
  }

  #logWebhook(
    id: string,
    url: string,
    [before, after]: readonly [Pause | undefined, Pause | undefined],
  ): void {
    if ((before === undefined) === (after === undefined)) return
    const fields = fieldsOf(id, url, this.#catalog.current)
    if (after === undefined) this.#logger.info(fields, 'webhook.resumed')
    else this.#logger.warn({ ...fields, reason: after.reason }, 'webhook.paused')
  }
}

function pauseOf({ settings }: Destination, url: string): Pause | undefined {
  return settings.webhooks.find((each) => each.url === url)?.paused
}
