import type { IngestCodeName } from '@hookline/protocol'

/** Why a call, or a whole request, is not taken. */
export interface Refused {
  readonly refused: IngestCodeName
}

/** Whether a step refused, rather than gave what it makes. */
export function isRefused(result: object): result is Refused {
  return 'refused' in result
}
