import { createServer } from 'node:net'
import { listenOnLoopback } from '../util/listen-on-loopback.ts'

/**
 * Whether several threads can listen on one port, and the system divides new connections between them. It tries: Node says
 * ENOTSUP where the system cannot (macOS, Windows).
 */
export async function hasReusePort(): Promise<boolean> {
  const server = createServer()
  try {
    await listenOnLoopback(server, { reusePort: true })
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}
