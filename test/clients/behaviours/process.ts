import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { asService, openReceiver, type ReceiverOptions } from '@hookline/testing/receiver/receiver'
import type { Behaviour } from '../behaviour.ts'
import type { ClientAdapter } from '../client-adapter.ts'

const LIMIT_MS = 60_000

/** The effects of a client on its process. */
export const PROCESS: readonly Behaviour[] = [
  {
    name: 'does not keep an otherwise idle process alive',
    async check(client) {
      await run(client, 'idle', 200)
    },
  },
]

/** Measured effects. These checks run alone. */
export const MEMORY: readonly Behaviour[] = [
  {
    name: 'uses at most 128 MiB for 300,000 calls while the server is down',
    async check(client) {
      const grownBytes = Number(await run(client, 'flood', 'reset'))
      assert.ok(grownBytes < 128 * 1024 * 1024, `the process grew by ${grownBytes} bytes`)
    },
  },
]

/** Runs one part of the program with the client. Resolves with its output. */
async function run(
  client: ClientAdapter,
  part: 'idle' | 'flood',
  respond: NonNullable<ReceiverOptions['respond']>,
): Promise<string> {
  await using receiver = await openReceiver({ respond: asService(respond) })
  const endpoint = `http://127.0.0.1:${receiver.port}`
  const [command, ...args] = await client.program(part, endpoint)
  const child = spawn(command!, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS)
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
  clearTimeout(timer)
  assert.equal(code, 0, 'the process did not exit')
  return output
}
