import type { Unreadable } from '../../backend/quarantine.ts'
import { asHeld } from '../rounds/round.ts'
import { type ClaimContext, updateClaimed } from './update-claimed.ts'

const SLICE = 256
/** Retries that are due later are held, too, so the destination is not looked at again when they become due. */
const ANY_TIME = Number.MAX_SAFE_INTEGER

/**
 * Makes a slice of a destination's pending deliveries held. Returns whether there may be more, and the deliveries that
 * could not be read.
 */
export async function holdPending(
  destinationId: string,
  context: ClaimContext,
): Promise<{ readonly isMore: boolean; readonly unreadable: readonly Unreadable[] }> {
  const claim = await context.deliveries.claim(destinationId, { now: ANY_TIME, limit: SLICE })
  const { deliveries: claimed, unreadable } = claim
  await updateClaimed(context, claimed, asHeld)
  return { isMore: claimed.length + unreadable.length === SLICE, unreadable }
}
