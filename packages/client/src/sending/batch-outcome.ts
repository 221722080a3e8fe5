import type { Batch } from '../queue/batch.ts'
import { type BatchResponse, isOk, type RejectedMessage } from './transport.ts'

/** The final outcome of a batch: it will not be sent again. */
export class BatchOutcome {
  readonly batch: Batch
  /** The messages that the service rejected individually. */
  readonly rejected: readonly RejectedMessage[]
  /** The last response. */
  readonly response: BatchResponse

  constructor(batch: Batch, response: BatchResponse) {
    this.batch = batch
    this.response = response
    const byIndex = new Map(response.rejected.map((each) => [each.index, each]))
    this.rejected = [...byIndex.values()].filter(({ index }) => index >= 0 && index < batch.length)
  }

  /** Whether the service accepted all messages except `rejected`. */
  get isDelivered(): boolean {
    const { status = 0, isSuccess } = this.response
    return isSuccess && isOk(status)
  }

  /** The number of delivered messages among the first `messages` of the batch. */
  deliveredOfFirst(messages: number): number {
    if (!this.isDelivered) return 0
    return messages - this.rejected.filter(({ index }) => index < messages).length
  }
}
