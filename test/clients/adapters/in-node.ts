import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('../program.ts', import.meta.url))

/** The command that runs `program.ts` with a client. */
export function nodeProgram(
  name: string,
  part: string,
  endpoint: string,
): Promise<readonly string[]> {
  const args = ['--conditions=hookline-source', PROGRAM, name, part, endpoint]
  return Promise.resolve([process.execPath, ...args])
}

/** Makes a call, then changes the properties object. */
export function trackThenChange(
  track: (event: string, properties: object) => void,
  event: string,
): void {
  const properties = { cart: { items: 1 } }
  track(event, properties)
  properties.cart.items = 2
}
