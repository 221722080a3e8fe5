import { newId } from '@hookline/protocol'
import type { Replay, ReplaySelection } from '../../../server/src/backend/replays.ts'
import { NOON } from './accepted-event.ts'

type ReplayChange = Partial<Omit<Replay, 'selection'>> & {
  readonly selection?: Partial<ReplaySelection>
}

/** A replay that has not begun, by default of all rejected and expired deliveries of `dst_a`. */
export const newReplay = ({ selection, ...change }: ReplayChange = {}): Replay => ({
  id: newId('rpl', NOON),
  selection: {
    destinationId: 'dst_a',
    states: ['rejected', 'expired'],
    from: 0,
    to: Date.UTC(2100, 0),
    includeDeclined: false,
    ...selection,
  },
  ratePerSecond: null,
  state: 'queued',
  createdAt: NOON,
  finishedAt: null,
  scanned: 0,
  requeued: 0,
  delivered: 0,
  failed: 0,
  reachedAt: null,
  cursor: null,
  ...change,
})
