import type { IngestCodeName, Source } from '@hookline/protocol'

/** Why a call, or a whole request, is refused. */
export interface Refused {
  readonly refused: IngestCodeName
  /** Whose write key it has, where that is known and does not count. */
  readonly source?: Source
}

/** Whether a step refused its input. */
export function isRefused(result: object): result is Refused {
  return 'refused' in result
}

/** A refused call of a batch, as the response lists it. */
export interface RejectedCall {
  /** The place of the call in the batch, from 0. */
  readonly index: number
  /** The messageId of the call; `null` where it has none that is a string. */
  readonly messageId: string | null
  readonly code: IngestCodeName
  readonly message: string
}
