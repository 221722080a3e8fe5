import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Whether several threads can listen on one port, and the system divides new connections between them. It tries: Node says
 * ENOTSUP where the system cannot (macOS, Windows).
 */
export async function hasReusePort(): Promise<boolean> {
  const server = createServer()
  try {
    server.listen({ port: 0, host: '127.0.0.1', reusePort: true })
    await once(server, 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}
