import type { AcceptedEvent } from '@hookline/protocol'
import type { ByteBudget } from '../../../util/limits/byte-budget.ts'
import { BackendUnavailable } from '../../backend.ts'
import type { Log } from '../../log.ts'
import type { OpenOperation, Writer } from '../writer.ts'
import { blockOf } from './event-block.ts'
import type { Appended } from './write-log.ts'

interface AppenderOptions {
  readonly writer: Writer
  /** Of the bytes that wait for the disk. */
  readonly waiting: ByteBudget
  /** Called for what was appended together when it is committed, in the order of the commits. */
  readonly onCommitted?: (events: readonly AcceptedEvent[], appended: Appended) => void
}

/** Appends that become one block. */
interface Together {
  readonly events: AcceptedEvent[]
  appends: number
  bytes: number
  readonly operation: OpenOperation<'appendEvents'>
}

/** A block that has so many events or bytes takes no further append: whoever handles it does so in one turn. */
const MOST_EVENTS = 512
const MOST_BYTES = 1024 * 1024

/**
 * Appends events to the log, from one thread of the process. Appends that wait for the same commit, with no other operation
 * between them, cross to the writer as one block in one buffer: what a call costs on the way does not grow with the number
 * of clients that send one call at a time. Where such a block fails, each of its appends is made alone, so that one that
 * cannot be stored fails no other.
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
      throw new BackendUnavailable('Too many calls wait for the disk (maxWaitingBytes).')
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
      waiting.giveBack(bytes)
    }
  }

  #openFor(bytes: number): Together {
    const open = this.#together
    const hasRoom =
      open !== undefined && open.events.length < MOST_EVENTS && open.bytes + bytes <= MOST_BYTES
    if (hasRoom && open.operation.isLast()) return open
    return (this.#together = this.#begin([]))
  }

  #begin(events: AcceptedEvent[]): Together {
    const { writer, onCommitted } = this.#options
    const makeInput = () => {
      const input = blockOf(events)
      return { input, transfer: [input.bodies.buffer] }
    }
    const operation = writer.runOpen('appendEvents', makeInput, (appended) =>
      onCommitted?.(events, appended),
    )
    return { events, appends: 0, bytes: 0, operation }
  }
}
