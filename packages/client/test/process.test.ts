import { describe, expect, test } from 'vitest'
import { openExchange } from '@hookline/testing/client/open-exchange'
import { runProgram } from '@hookline/testing/client/run-program'

describe('a process', () => {
  test('is not kept alive by a client with a call in its queue', async () => {
    await using exchange = await openExchange()
    await using program = runProgram('idle', [endpointOf(exchange.receiver)])
    expect(await program.exit()).toBe(0)
    expect(JSON.parse(program.stdout[0]!)).toMatchObject({ delivered: 1, pending: 1 })
  })

  test('that awaits close() does not exit before everything has arrived, even after retries', async () => {
    await using exchange = await openExchange({ respond: [503, 503, 'reset', 200] })
    await using program = runProgram('track-and-close', [endpointOf(exchange.receiver), '25'])
    expect(await program.exit()).toBe(0)
    // Three attempts to send the first batch of 20 fail; the fourth request delivers it.
    expect(exchange.messages.slice(60)).toHaveLength(25)
  })
})

function endpointOf({ port }: { readonly port: number }): string {
  return `http://127.0.0.1:${port}`
}
