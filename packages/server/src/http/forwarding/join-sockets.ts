import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { systemClock } from '../../util/time/clock.ts'

/** How long a client whose response has ended may take to close. The main thread gives it two seconds after an error. */
const LINGER_MS = 3_000

export interface Joined {
  readonly client: Socket
  /** The connection to the main thread. */
  readonly upstream: Socket
  /** What has arrived from the client. */
  readonly received: Buffer
  /** What it sends from now on. */
  readonly sent: Readable
}

/**
 * Passes all bytes between a client and the main thread, each side as fast as the other reads, and the end of each side. When
 * one is gone, so is the other. It begins when the main thread has sent a byte: it expects a request now.
 */
export function joinSockets({ client, upstream, received, sent }: Joined): void {
  client.setTimeout(0)
  upstream.once('data', () => {
    upstream.write(received)
    sent.pipe(upstream)
    upstream.pipe(client)
  })
  client.once('close', () => upstream.destroy())
  upstream.on('error', () => upstream.destroy())
  upstream.once('end', () => closeSoon(client))
  upstream.once('close', () => {
    // Without an end, the response is not complete. Otherwise the client still gets the rest of it.
    if (!upstream.readableEnded) client.resetAndDestroy()
    sent.resume()
  })
}

/** The client has everything when its side has ended. It may have more to send, which nobody reads. */
function closeSoon(client: Socket): void {
  client.once('finish', () => {
    client.once(
      'close',
      systemClock.after(LINGER_MS, () => client.destroy()),
    )
  })
  client.end()
}
