import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import type { AdminServer } from '../admin-server.ts'

/** Sends 100,000 events to the live tail, more than it keeps for a stalled reader. */
export async function receiveMany(server: AdminServer): Promise<void> {
  const userId = 'x'.repeat(150)
  for (let batch = 0; batch < 100; batch += 1) {
    server.live.received(Array.from({ length: 1_000 }, () => acceptedEvent({ userId })))
    await new Promise((resolve) => setImmediate(resolve))
  }
}
