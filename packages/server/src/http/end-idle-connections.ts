import type { Server } from 'node:http'
import { systemClock } from '../util/clock.ts'

const EVERY_MS = 50
const NOTHING = () => undefined

/**
 * Ends the connections of a closing server as they fall idle. Node ends those that are idle when it begins
 * to close; one that is in use then, and kept alive, would hold it open until the keep-alive timeout.
 */
export function endIdleConnections(server: Server): void {
  let cancel: () => void = NOTHING
  const sweep = () => {
    server.closeIdleConnections()
    cancel = systemClock.after(EVERY_MS, sweep)
  }
  server.once('close', () => cancel())
  sweep()
}
