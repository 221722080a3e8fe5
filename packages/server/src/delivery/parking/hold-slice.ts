import type { Unreadable } from '../../backend/quarantine.ts'
import { held } from '../health/paused.ts'
import { type ClaimedDeliveries, recordClaimed } from './record-claimed.ts'

const SLICE = 256
/** Paused is paused: a retry that is due in an hour is held now, and not looked at again. */
const ANY_TIME = Number.MAX_SAFE_INTEGER

/** Makes some of a destination's pending deliveries held. Says whether more may be there, and what could not be read. */
export async function holdSlice(
  destinationId: string,
  context: ClaimedDeliveries,
): Promise<{ readonly isMore: boolean; readonly unreadable: readonly Unreadable[] }> {
  const claim = await context.deliveries.claim(destinationId, { now: ANY_TIME, limit: SLICE })
  const { deliveries: claimed, unreadable } = claim
  await recordClaimed(context, claimed, held)
  return { isMore: claimed.length + unreadable.length === SLICE, unreadable }
}
