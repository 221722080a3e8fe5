import type { IngestCodeName, Source } from '@hookline/protocol'
import type { Logger } from './logger.ts'
import type { Clock } from '../util/time/clock.ts'
import { LogThrottle } from '../util/limits/log-throttle.ts'

const EVERY_MS = 60_000

/** The known details of a rejected request. */
export interface Refusal {
  /** The number of its calls; 1 if unknown. */
  readonly calls?: number
  readonly source?: Pick<Source, 'id' | 'name'> | undefined
  readonly url?: string
}

/** The maximum length of a logged path: enough to recognise the client, with little room for user data. */
const PATH_CHARACTERS = 64

/** Logs `request.rejected`: each code for each source immediately, then at most once a minute with the number of calls. */
export class RefusalLog {
  readonly #logger: Logger | undefined
  readonly #throttle: LogThrottle

  constructor(clock: Clock, logger: Logger | undefined) {
    this.#logger = logger
    this.#throttle = new LogThrottle(clock, EVERY_MS)
  }

  add(code: IngestCodeName, { calls = 1, source, url = '' }: Refusal = {}): void {
    const log = (counted: number): void => {
      const path = url.split('?', 1)[0]!.slice(0, PATH_CHARACTERS)
      const context = {
        code,
        calls: counted,
        ...(source && { source: source.name, sourceId: source.id }),
        ...(path && { path }),
      }
      this.#logger?.warn(context, 'request.rejected')
    }
    this.#throttle.count(`${code} ${source?.id ?? ''}`, log, calls)
  }
}
