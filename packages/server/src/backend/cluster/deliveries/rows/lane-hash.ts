import { createHmac } from 'node:crypto'
import { type LaneId, laneKey } from '../../../deliveries.ts'

/** What a lane is found by in the database: it reveals nothing about the URL to whoever lacks the key. */
export function laneHash(lane: LaneId, key: Buffer): string {
  return createHmac('sha256', key)
    .update(`lane ${laneKey(lane)}`)
    .digest('base64url')
}
