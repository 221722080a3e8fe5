import { connect } from 'node:net'
import type { WireCase } from './wire-cases.ts'

/** How long a client waits for a server that neither responds nor closes. */
const RESPONSE_TIMEOUT_MS = 300

/** Sends a case over a new connection. Resolves with the statuses of all responses. */
export function sendCase({ parts, ending }: WireCase, port: number): Promise<number[]> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
    let text = ''
    socket.setTimeout(RESPONSE_TIMEOUT_MS, () => socket.destroy())
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')))
    socket.on('end', () => socket.end())
    // A reset is a valid response to such bytes.
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(statusesIn(text)))
    if (ending === 'reads nothing') socket.pause()
    const write = (index: number): void => {
      if (socket.destroyed) return
      if (index < parts.length) socket.write(parts[index]!, () => setImmediate(write, index + 1))
      else if (ending === 'resets') socket.resetAndDestroy()
      else if (ending === 'ends its side') socket.end()
    }
    socket.on('connect', () => write(0))
  })
}

function statusesIn(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
}
