import { expect, test } from 'vitest'
import { openExchange } from '@hookline/testing/client/open-exchange'
import { runProgram } from '@hookline/testing/client/run-program'

test('headers from the options are added and do not replace the client’s own', async () => {
  const headers = { 'X-Strict-Mode': '1', authorization: 'Bearer x' }
  await using exchange = await openExchange({ headers })
  exchange.track(1)
  await exchange.analytics.flush()
  expect(exchange.receiver.requests[0]!.headers).toMatchObject({
    'x-strict-mode': '1',
    authorization: expect.stringMatching(/^Basic /),
  })
})

test('an exception from onError is logged and has no other effect', async () => {
  const lines: string[] = []
  const logger = { debug: () => {}, warn: (line: string) => lines.push(line) }
  const onError = () => {
    throw new Error('mistake')
  }
  await using exchange = await openExchange({ respond: [400, 200], flushAt: 1, onError, logger })
  exchange.track(2)
  expect(await exchange.analytics.flush()).toEqual({ delivered: 1, failed: 1, pending: 0 })
  expect(lines).toEqual([
    'analytics: 1 call failed: 400',
    'analytics: onError threw Error: mistake',
  ])
})

test('onError may make calls', async () => {
  const seen: string[] = []
  await using exchange = await openExchange({
    respond: [400, 200],
    onError: ({ name }) => {
      seen.push(name)
      exchange.track(1, 7)
    },
  })
  exchange.track(1)
  await exchange.analytics.flush()
  await exchange.analytics.flush()
  expect(seen).toEqual(['DeliveryError'])
  expect(exchange.events).toEqual([0, 7])
})

test('if neither onError nor logger is set, failures go to the console', async () => {
  await using exchange = await openExchange({ respond: 401 })
  await using program = runProgram('track-and-close', [endpointOf(exchange), '3'])
  expect(await program.exit()).toBe(0)
  expect(program.stderr).toBe('analytics: 3 calls failed: 401\n')
})

function endpointOf({ receiver }: { receiver: { port: number } }): string {
  return `http://127.0.0.1:${receiver.port}`
}
