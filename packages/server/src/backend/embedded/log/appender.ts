import type { AcceptedEvent } from '@hookline/protocol'
import type { ByteBudget } from '../../../util/limits/byte-budget.ts'
import { BackendUnavailable } from '../../backend.ts'
import type { Log } from '../../log.ts'
import type { Writer } from '../writer.ts'
import { blockOf } from './event-block.ts'
import type { Appended } from './write-log.ts'

export interface AppenderOptions {
  readonly writer: Writer
  /** Of the bytes that wait for the disk. */
  readonly waiting: ByteBudget
  /** Called for each append when it is committed, in the order of the commits. */
  readonly onCommitted?: (events: readonly AcceptedEvent[], appended: Appended) => void
}

/** Appends events to the log, from one thread of the process. */
export class Appender implements Pick<Log, 'append'> {
  readonly #options: AppenderOptions

  constructor(options: AppenderOptions) {
    this.#options = options
  }

  async append(events: readonly AcceptedEvent[]): Promise<void> {
    if (events.length === 0) return
    const { writer, waiting, onCommitted } = this.#options
    const block = blockOf(events)
    const bytes = block.bodies.length
    if (!waiting.take(bytes))
      throw new BackendUnavailable('Too many calls wait for the disk (maxWaitingBytes).')
    try {
      await writer.runWith('appendEvents', block, {
        onCommitted: (appended) => onCommitted?.(events, appended),
        transfer: [block.bodies.buffer],
      })
    } finally {
      waiting.giveBack(bytes)
    }
  }
}
