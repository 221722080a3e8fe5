import type { Batch } from './batch.ts'
import type { Answer, Rejected } from '../sending/transport.ts'

/** What became of a batch, once that is final. */
export class Fate {
  readonly batch: Batch
  /** The messages the service named one by one. */
  readonly rejected: readonly Rejected[]
  /** The last answer. */
  readonly answer: Answer

  constructor(batch: Batch, answer: Answer) {
    this.batch = batch
    this.answer = answer
    const byIndex = new Map(answer.rejected.map((each) => [each.index, each]))
    this.rejected = [...byIndex.values()].filter(({ index }) => index >= 0 && index < batch.length)
  }

  /** Whether what was not rejected has arrived. */
  get isDelivered(): boolean {
    const { status = 0 } = this.answer
    return status >= 200 && status < 300
  }

  /** How many of the batch's first messages were delivered. */
  deliveredOfFirst(messages: number): number {
    if (!this.isDelivered) return 0
    return messages - this.rejected.filter(({ index }) => index < messages).length
  }
}
