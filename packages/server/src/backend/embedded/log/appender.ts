import type { AcceptedEvent } from '@hookline/protocol'
import type { ByteBudget } from '../../../util/limits/byte-budget.ts'
import { BackendUnavailableError } from '../../backend.ts'
import type { Log } from '../../log.ts'
import type { OpenOperation, Writer } from '../writer.ts'
import { blockOf } from './event-block.ts'
import type { AppendResult } from './write-log.ts'

interface AppenderOptions {
  readonly writer: Writer
  readonly waiting: ByteBudget
  readonly onCommitted?: (events: readonly AcceptedEvent[], appended: AppendResult) => void
}

interface Together {
  readonly events: AcceptedEvent[]
  appends: number
  bytes: number
  readonly operation: OpenOperation<'appendEvents'>
}

/** Limits of a block, which is handled in one turn of the event loop. */
const MAX_EVENTS = 512
const MAX_BYTES = 1024 * 1024

/**
 * Appends events from one thread. Consecutive appends share a block; if the block fails, they are
 * retried one by one.
 */
export class Appender implements Pick<Log, 'append'> {
  readonly #options: AppenderOptions
  #together: Together | undefined

  constructor(options: AppenderOptions) {
    this.#options = options
  }

  async append(events: readonly AcceptedEvent[]): Promise<void> {
    if (events.length === 0) return
    const { waiting } = this.#options
    const bytes = events.reduce((sum, { body }) => sum + body.length, 0)
    if (!waiting.take(bytes))
      throw new BackendUnavailableError(
        'Too many calls are waiting for the disk (maxWaitingBytes).',
      )
    const together = this.#openFor(bytes)
    for (const event of events) together.events.push(event)
    together.appends++
    together.bytes += bytes
    try {
      await together.operation.done
    } catch (error) {
      if (together.appends === 1) throw error
      await this.#begin([...events]).operation.done
    } finally {
      waiting.release(bytes)
    }
  }

  #openFor(bytes: number): Together {
    const open = this.#together
    const hasRoom =
      open !== undefined && open.events.length < MAX_EVENTS && open.bytes + bytes <= MAX_BYTES
    if (hasRoom && open.operation.isLast()) return open
    return (this.#together = this.#begin([]))
  }

  #begin(events: AcceptedEvent[]): Together {
    const { writer, onCommitted } = this.#options
    const operation = writer.runOpen(
      'appendEvents',
      () => blockOf(events),
      (appended) => onCommitted?.(events, appended),
    )
    return { events, appends: 0, bytes: 0, operation }
  }
}
